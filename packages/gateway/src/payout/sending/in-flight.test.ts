import { sql } from 'kysely';
import {
  type Address,
  encodeAbiParameters,
  formatEther,
  keccak256,
  parseEther,
  parseGwei,
  toHex,
} from 'viem';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import type { Anvil } from '../../../../chains/test/support/anvil.ts';
import type { ChangeAnswer, RpcProxy } from '../../../../chains/test/support/rpc-proxy.ts';
import { payoutAddress, tokensOf } from '../../../test/support/ethereum.ts';
import { evmPayouts, type EvmPayouts } from '../../../test/support/evm-payouts.ts';
import { killableProcess } from '../../../test/support/kill.ts';
import { requirePayoutBooks, type PayoutShop } from '../../../test/support/payouts.ts';
import { endLeases } from '../../database/lease.ts';
import { processPayouts } from './process.ts';
import { requestReplacement } from './replace.ts';

/** As many as leave with one block. */
const AT_ONCE = 16;

let own: EvmPayouts;
let shop: PayoutShop;
let anvil: Anvil;
let proxy: RpcProxy;
let token: Address;
let recipients = 0;

beforeEach(async () => {
  own = await evmPayouts();
  ({ shop, anvil, proxy, token } = own);
  shop.context.config.payoutFeeRise = 1000;
  await shop.fund('ETH', '400');
  await shop.fund('ETH_USDT', '1000');
}, 30_000);
afterEach(() => own?.close());

interface Paid {
  id: string;
  address: Address;
}

const freshAddress = (): Address =>
  `0x${(0xfed000 + (recipients += 1)).toString(16).padStart(40, '0')}`;
async function eth(amount = '1'): Promise<Paid> {
  const address = freshAddress();
  const out = { kind: 'ETH', recipients: [{ amount, currency: 'ETH', address }] };
  return { id: (await shop.payOut(out)).id, address };
}
async function several(count: number): Promise<Paid[]> {
  const all: Paid[] = [];
  while (all.length < count) all.push(await eth());
  return all;
}
const statusesOf = (payouts: readonly Paid[]): Promise<string[]> =>
  Promise.all(payouts.map(async ({ id }) => (await shop.payout(id)).status));
const balanceOf = async (address: Address): Promise<string> =>
  formatEther(await anvil.wallet.getBalance({ address }));
const mine = async (blocks = 1): Promise<void> => {
  await anvil.wallet.mine({ blocks });
  await shop.work();
};
const all = (status: string, count: number): string[] => Array<string>(count).fill(status);
/** Nonces of the plans, in their order. */
const nonces = async (): Promise<number[]> =>
  (
    await sql<{ nonce: number }>`select nonce from outgoing order by nonce`.execute(shop.context.db)
  ).rows.map(({ nonce }) => nonce);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const attemptsOf = async ({ id }: Paid): Promise<number> =>
  (
    await sql<{ n: number }>`
      select count(*)::int as n from outgoing_attempt where outgoing_id = ${id}`.execute(
      shop.context.db,
    )
  ).rows[0]!.n;
/** Each recipient has its amount once, and the numbers have no gap. */
async function requirePaidOnce(payouts: readonly Paid[], amount = '1'): Promise<void> {
  expect(await statusesOf(payouts)).toEqual(all('complete', payouts.length));
  for (const { address } of payouts) expect(await balanceOf(address)).toBe(amount);
  expect(await nonces()).toEqual(upTo(payouts.length));
  expect((await shop.holdings('ETH')).reserved).toBe('0');
}

it('sixteen leave with one block, and the next ones with the next block', async () => {
  const payouts = await several(AT_ONCE + 2);
  await shop.work();
  expect(await statusesOf(payouts)).toEqual([...all('pending', AT_ONCE), 'new', 'new']);
  expect(await nonces()).toEqual(upTo(AT_ONCE));
  await mine();
  expect(await statusesOf(payouts)).toEqual([...all('confirmed', AT_ONCE), 'pending', 'pending']);
  await mine();
  await mine(11);
  await requirePaidOnce(payouts);
});

it('nothing is planned behind a transaction that the node refuses', async () => {
  proxy.change((call, answer) =>
    call.method === 'eth_sendRawTransaction'
      ? { error: { code: -32_000, message: 'txpool is full' } }
      : answer,
  );
  const payouts = await several(3);
  await shop.work();
  expect(await statusesOf(payouts)).toEqual(all('new', 3));
  expect(await nonces()).toEqual([0]);
  proxy.change(null);
  await shop.work();
  await mine();
  await mine(12);
  await requirePaidOnce(payouts);
});

it('a plan that the signer refuses leaves no gap', async () => {
  const payouts = await several(4);
  const { signer } = shop.context;
  const refused = payouts[1]!.id;
  shop.context.signer = {
    sign: async (request) => {
      if (request.id === refused) throw new SigningRefusedError('beyond the policy');
      return signer.sign(request);
    },
  };
  await shop.work();
  expect(await statusesOf(payouts)).toEqual(['pending', 'new', 'pending', 'pending']);
  expect(await nonces()).toEqual([0, 1, 2]);
  shop.context.signer = signer;
  await mine();
  await mine(12);
  await requirePaidOnce(payouts);
});

it('of transactions whose fee is too low the first is sent again, and the others behind it', async () => {
  const payouts = await several(3);
  await shop.work();
  await anvil.wallet.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('200') });
  await anvil.wallet.mine({ blocks: 1 });
  await own.aMinuteLater();
  const late = await eth();
  await shop.work();
  await shop.work();
  expect(await Promise.all(payouts.map(attemptsOf))).toEqual([2, 1, 1]);
  // The network fee is in motion: nothing is added behind it.
  expect((await shop.payout(late.id)).status).toBe('new');
  await mine();
  await shop.work();
  expect(await statusesOf(payouts)).toEqual(['confirmed', 'pending', 'pending']);
  expect(await Promise.all(payouts.map(attemptsOf))).toEqual([2, 2, 1]);
  for (let block = 0; block < 3; block += 1) {
    await mine();
    await shop.work();
  }
  await mine(12);
  await requirePaidOnce([...payouts, late]);
  expect(await own.alarms()).toEqual([]);
});

it('the second is cancelled, and the others are paid', async () => {
  const payouts = await several(3);
  await shop.work();
  const by = { accountId: shop.accountId, username: 'ops' };
  await requestReplacement(shop.context, by, payouts[1]!.id, 'cancel');
  await shop.work();
  await mine();
  await mine(12);
  expect(await statusesOf(payouts)).toEqual(['complete', 'failed', 'complete']);
  expect(await Promise.all(payouts.map(({ address }) => balanceOf(address)))).toEqual([
    '1',
    '0',
    '1',
  ]);
  expect(await nonces()).toEqual([0, 1, 2]);
  expect((await shop.holdings('ETH')).reserved).toBe('0');
});

it('no coin and no token is promised twice', async () => {
  await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('1.5') });
  const slot = keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [payoutAddress, 4n]),
  );
  const value = toHex(15_000_000n, { size: 32 });
  await anvil.wallet.setStorageAt({ address: token, index: slot, value });
  const [first, second] = [await eth('1'), await eth('1')];
  const address = freshAddress();
  const usdt = { kind: 'ETH_USDT', recipients: [{ amount: '10', currency: 'USD', address }] };
  const [third, fourth] = [await shop.payOut(usdt), await shop.payOut(usdt)];
  await shop.work();
  const statuses = (): Promise<string[]> =>
    Promise.all(
      [first, second, third, fourth].map(async ({ id }) => (await shop.payout(id)).status),
    );
  expect(await statuses()).toEqual(['pending', 'new', 'pending', 'new']);
  expect(await own.alarms()).toEqual([]);
  // The blocks show that it really lacks.
  await mine();
  expect((await own.alarms()).toSorted()).toEqual([
    `Payouts are waiting: the address ${payoutAddress} holds too little ETH`,
    `Payouts are waiting: the address ${payoutAddress} holds too little ETH_USDT`,
  ]);
  const { rows } = await sql<{ funding: { amount: string } }>`
    select funding from alarm order by reason`.execute(shop.context.db);
  expect(rows).toMatchObject([
    { funding: { asset: 'ETH', address: payoutAddress } },
    // It holds 5 of the 10 USDT.
    { funding: { asset: 'ETH_USDT', amount: '5', address: payoutAddress } },
  ]);
  await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('5') });
  await anvil.wallet.setStorageAt({ address: token, index: slot, value });
  await shop.work();
  await mine();
  await mine(12);
  expect(await statuses()).toEqual(all('complete', 4));
  expect(await tokensOf(anvil, token, address)).toBe(20_000_000n);
  expect(await own.alarms()).toEqual([]);
});

it('a node behind the first of them gets no further ones, and an alarm says so', async () => {
  await several(2);
  await shop.work();
  await mine();
  const more = await several(2);
  await shop.work();
  expect(await nonces()).toEqual([0, 1, 2, 3]);
  const behind: ChangeAnswer = (call, answer) =>
    call.method === 'eth_getTransactionCount' ? { result: '0x1' } : answer;
  proxy.change(behind);
  const last = await eth();
  await shop.work();
  expect((await shop.payout(last.id)).status).toBe('new');
  expect(await own.alarms()).toEqual([
    `Payouts are waiting: the node lags behind what ${payoutAddress} sent`,
  ]);
  proxy.change(null);
  await shop.work();
  expect(await statusesOf([...more, last])).toEqual(all('pending', 3));
  expect(await nonces()).toEqual([0, 1, 2, 3, 4]);
});

it('a reorganisation takes them out of their blocks, and they come back in their order', async () => {
  const payouts = await several(3);
  await shop.work();
  await mine(2);
  await anvil.wallet.request({ method: 'anvil_reorg', params: [2, []] } as never);
  const late = await eth();
  await shop.work();
  // The network has the three again, so it follows them.
  expect((await shop.payout(late.id)).status).toBe('pending');
  expect(await nonces()).toEqual(upTo(4));
  await mine(2);
  await mine();
  await mine(12);
  await requirePaidOnce([...payouts, late]);
});

it('one that a reorganisation took out of its block is sent again for a higher fee', async () => {
  const [first] = (await several(1)) as [Paid];
  await shop.work();
  await mine(2);
  expect(await statusesOf([first])).toEqual(['confirmed']);
  await anvil.wallet.request({ method: 'anvil_reorg', params: [2, []] } as never);
  await anvil.wallet.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('200') });
  await anvil.wallet.mine({ blocks: 1 });
  await own.aMinuteLater();
  await shop.work();
  await shop.work();
  expect(await attemptsOf(first)).toBe(2);
  await mine();
  await mine(12);
  await requirePaidOnce([first]);
});

it('two gateways at once send each payout once', async () => {
  const payouts = await several(6);
  const other = { ...shop.context };
  await Promise.all([processPayouts(shop.context), processPayouts(other)]);
  await requirePayoutBooks(shop);
  expect(await nonces()).toEqual(upTo(6));
  await mine();
  await mine(12);
  await requirePaidOnce(payouts);
});

it('a process that crashes at any step leaves no gap, and pays each once', async () => {
  const killable = killableProcess(shop.context);
  const paid: Paid[] = [];
  // At every ninth step: a crash at each step is a test of a single payout.
  let steps = 3;
  for (let lived = false; !lived; steps += 9) {
    expect(steps).toBeLessThan(300);
    const batch = [await eth('0.001'), await eth('0.001'), await eth('0.001')];
    paid.push(...batch);
    killable.surviveFor(steps);
    await processPayouts(killable.context).catch(() => {});
    lived = !killable.isKilled();
    await killable.waitUntilIdle();
    killable.surviveFor(Number.POSITIVE_INFINITY);
    await endLeases(shop.context.db);
    await shop.work();
    await shop.work();
    await mine(12);
    expect(await statusesOf(batch)).toEqual(all('complete', 3));
  }
  expect(paid.length).toBeGreaterThan(15);
  await requirePaidOnce(paid, '0.001');
  await killable.close();
}, 120_000);
