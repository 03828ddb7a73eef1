import { type Address, formatEther } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Anvil } from '../../../../chains/test/support/anvil.ts';
import type { RpcProxy } from '../../../../chains/test/support/rpc-proxy.ts';
import { payoutAddress } from '../../../test/support/ethereum.ts';
import { evmPayouts, type EvmPayouts } from '../../../test/support/evm-payouts.ts';
import type { PayoutShop } from '../../../test/support/payouts.ts';
import { requestReplacement } from '../../payout/sending/replace.ts';

const WAITING = `Payouts are waiting: the node lags behind what ${payoutAddress} sent`;

let own: EvmPayouts;
let shop: PayoutShop;
let anvil: Anvil;
let proxy: RpcProxy;
let before: `0x${string}`;
let recipients = 0;

beforeEach(async () => {
  own = await evmPayouts();
  ({ shop, anvil, proxy } = own);
  shop.context.config.payoutFeeRise = 1000;
  await shop.fund('ETH', '400');
  await shop.settle();
  await mine();
  before = await anvil.wallet.snapshot();
}, 30_000);
afterEach(() => own?.close());

interface Paid {
  id: string;
  address: Address;
}

async function eth(amount = '1'): Promise<Paid> {
  const address: Address = `0x${(0xfee000 + (recipients += 1)).toString(16).padStart(40, '0')}`;
  const out = { kind: 'ETH', recipients: [{ amount, currency: 'ETH', address }] };
  return { id: (await shop.payOut(out)).id, address };
}
const mine = async (blocks = 1): Promise<void> => {
  await anvil.wallet.mine({ blocks });
  await shop.settle();
};
/** Another chain takes the place of all blocks since the start. None of ours is in it. */
async function reorganise(): Promise<void> {
  await anvil.wallet.revert({ id: before });
  await mine(30);
}
const statusesOf = (...payouts: readonly Paid[]): Promise<string[]> =>
  Promise.all(payouts.map(async ({ id }) => (await shop.payout(id)).status));
const balancesOf = (...payouts: readonly Paid[]): Promise<string[]> =>
  Promise.all(
    payouts.map(async ({ address }) => formatEther(await anvil.wallet.getBalance({ address }))),
  );
const broadcasts = (): number => proxy.calls('eth_sendRawTransaction');

describe('a reorganisation deeper than final drops transactions of the payout address', () => {
  it('and complete payouts are sent again without a later one', async () => {
    const one = await eth();
    await shop.work();
    await mine();
    await mine(12);
    await reorganise();
    await mine();
    expect(await balancesOf(one)).toEqual(['1']);
    const sent = broadcasts();
    await mine(12);
    expect(broadcasts()).toBe(sent);
    expect(await statusesOf(one)).toEqual(['complete']);
  });

  it('and complete payouts are sent again, when the node did not answer at first, with the next one', async () => {
    const [one, two] = [await eth('1'), await eth('2')];
    await shop.work();
    await mine();
    await mine(12);
    const isSent = /^eth_(getTransactionByHash|sendRawTransaction)$/;
    proxy.change(({ method }, answer) =>
      isSent.test(method) ? { error: { code: -32_000, message: 'later' } } : answer,
    );
    await reorganise();
    proxy.change(null);
    await mine();
    expect(await balancesOf(one, two)).toEqual(['0', '0']);
    const three = await eth('3');
    await shop.work();
    await mine();
    await shop.work();
    await mine(12);
    expect(await balancesOf(one, two, three)).toEqual(['1', '2', '3']);
    expect(await statusesOf(one, two, three)).toEqual(['complete', 'complete', 'complete']);
    expect(await own.alarms()).toEqual([]);
  });

  it('and a cancelled payout leaves its number to its cancellation', async () => {
    const one = await eth();
    await shop.work();
    const by = { accountId: shop.accountId, username: 'ops' };
    await requestReplacement(shop.context, by, one.id, 'cancel');
    await shop.work();
    await mine();
    await mine(12);
    expect(await statusesOf(one)).toEqual(['failed']);
    await reorganise();
    const two = await eth('2');
    await shop.work();
    await mine();
    await shop.work();
    await mine(12);
    expect(await balancesOf(one, two)).toEqual(['0', '2']);
    expect(await statusesOf(one, two)).toEqual(['failed', 'complete']);
  });

  it('and a payout that had failed is not sent again: its money is back in the wallet', async () => {
    const one = await eth();
    await shop.work();
    // The recipient refuses the money in the first chain only.
    await anvil.wallet.setCode({ address: one.address, bytecode: '0x60006000fd' });
    await mine();
    await mine(12);
    expect(await statusesOf(one)).toEqual(['failed']);
    await reorganise();
    const two = await eth('2');
    const sent = broadcasts();
    await shop.work();
    await mine();
    expect(broadcasts()).toBe(sent);
    expect(await balancesOf(one)).toEqual(['0']);
    expect(await statusesOf(two)).toEqual(['new']);
    expect(await own.alarms()).toEqual([WAITING]);
    // The operator fills the number from another wallet.
    await anvil.wallet.impersonateAccount({ address: payoutAddress });
    const nothing = { account: payoutAddress, to: payoutAddress, value: 0n };
    await anvil.wallet.sendTransaction(nothing);
    await mine();
    await shop.work();
    await mine(12);
    expect(await balancesOf(one, two)).toEqual(['0', '2']);
    expect(await statusesOf(one, two)).toEqual(['failed', 'complete']);
    expect(await own.alarms()).toEqual([]);
  });
});

it('a node that lags behind shows its blocks, and gets nothing again', async () => {
  const one = await eth();
  await shop.work();
  await mine();
  await mine(12);
  expect(await statusesOf(one)).toEqual(['complete']);
  proxy.change((call, answer) =>
    call.method === 'eth_getTransactionCount' ? { result: '0x0' } : answer,
  );
  const sent = broadcasts();
  const two = await eth('2');
  await shop.work();
  expect(broadcasts()).toBe(sent);
  expect(await statusesOf(two)).toEqual(['new']);
  expect(await own.alarms()).toEqual([WAITING]);
});
