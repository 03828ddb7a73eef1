import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { type Address, formatEther, type Hex, parseEther } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { answering, startRpcProxy, type RpcProxy } from '../../../chains/test/support/rpc-proxy.ts';
import { contracts, ethereumAt, payoutAddress, words } from '../../test/support/ethereum.ts';
import { payoutShop, type PayoutShop, type ShownPayout } from '../../test/support/payouts.ts';
import { processPayouts } from './sending/process.ts';
import { requestReplacement } from './sending/replace.ts';

const hotAccount = mnemonicToAccount(words, { path: "m/44'/60'/0'/1/0" });
/** Code that refuses each call. */
const REVERTS = '0x60006000fd';
/** A provider without an index of transactions. */
const WITHOUT_INDEX = answering(/^eth_getTransaction(Receipt|ByHash)$/, null);

let anvil: Anvil;
let proxy: RpcProxy;
let shop: PayoutShop;
let recipients = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  const token = await deploy(anvil, contracts['Token']!);
  proxy = await startRpcProxy(anvil.url);
  shop = await payoutShop({ chains: ['ethereum'] });
  const { sender } = await ethereumAt(proxy.url, token);
  (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
  await shop.fund('ETH', '1000');
  await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('500') });
}, 60_000);
afterAll(async () => {
  await shop?.close();
  await proxy?.stop();
  await anvil?.stop();
});
beforeEach(() => proxy.change(null));

const freshAddress = (): Address =>
  `0x${(0xdef000 + (recipients += 1)).toString(16).padStart(40, '0')}`;
const payOut = (address: string, amount = '2') =>
  shop.payOut({ kind: 'ETH', recipients: [{ amount, currency: 'ETH', address }] });
const mine = async (blocks = 1): Promise<void> => {
  await anvil.wallet.mine({ blocks });
  await shop.work();
};
const balance = async (address: Address): Promise<string> =>
  formatEther(await anvil.wallet.getBalance({ address }));
const alarms = async (): Promise<string[]> =>
  (await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db)).rows.map(
    ({ reason }) => reason,
  );

/** Sends another transaction with the next number of the payout address. */
async function sendRival(): Promise<void> {
  const serializedTransaction = await hotAccount.signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    nonce: await anvil.wallet.getTransactionCount({ address: payoutAddress }),
    to: freshAddress(),
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 10n ** 9n,
  });
  await anvil.wallet.sendRawTransaction({ serializedTransaction });
}

describe('a payout that the provider no longer finds', () => {
  it('does not fail while its own transaction used the number', async () => {
    const address = freshAddress();
    const payout = await payOut(address);
    await shop.work();
    const { reserved } = await shop.holdings('ETH');
    proxy.change(WITHOUT_INDEX);
    await mine(20);
    expect(await balance(address)).toBe('2');
    expect((await shop.payout(payout.id)).status).toBe('pending');
    expect((await shop.holdings('ETH')).reserved).toBe(reserved);
    proxy.change(null);
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect(await shop.events(payout.id)).toEqual([
      'payout_pending',
      'payout_confirmed',
      'payout_complete',
    ]);
  });

  it('does not fail while the transaction with its number is unknown', async () => {
    const payout = await payOut(freshAddress());
    await shop.work();
    proxy.change((call, answer) =>
      call.method === 'eth_getBlockByNumber' && call.params[1] === true
        ? { result: null }
        : WITHOUT_INDEX(call, answer),
    );
    await mine(20);
    expect((await shop.payout(payout.id)).status).toBe('pending');
    // State of these blocks was pruned.
    proxy.change((call, answer) =>
      call.method === 'eth_getTransactionCount' && call.params[1] !== 'latest'
        ? { error: { code: -32_000, message: 'missing trie node' } }
        : WITHOUT_INDEX(call, answer),
    );
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('pending');
    proxy.change(null);
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('complete');
  });

  it('fails when another transaction used the number, however long ago', async () => {
    const payout = await payOut(freshAddress());
    await shop.work();
    await anvil.wallet.dropTransaction({ hash: (await shop.payout(payout.id)).txid as Hex });
    await sendRival();
    await mine(300);
    expect(await shop.payout(payout.id)).toMatchObject({
      status: 'failed',
      error: 'Another transaction of the address took its number',
    });
    const next = await payOut(freshAddress(), '0.1');
    await shop.work();
    await mine(12);
    expect((await shop.payout(next.id)).status).toBe('complete');
  });
});

describe('a payout that the provider refuses and hands on', () => {
  it('does not fail, and is confirmed', async () => {
    const address = freshAddress();
    const payout = await payOut(address);
    const { reserved } = await shop.holdings('ETH');
    proxy.change(({ method }, answer) =>
      method === 'eth_sendRawTransaction'
        ? { error: { code: -32_000, message: 'transaction underpriced' } }
        : answer,
    );
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('new');
    expect((await shop.holdings('ETH')).reserved).toBe(reserved);
    await mine(2);
    expect(await balance(address)).toBe('2');
    expect((await shop.payout(payout.id)).status).toBe('confirmed');
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect((await shop.holdings('ETH')).reserved).toBe('0');
  });
});

describe('a payout that the provider refuses', () => {
  it('is broadcast less and less often, and completes when the provider has it', async () => {
    const payout = await payOut(freshAddress());
    proxy.change((call, answer) =>
      call.method === 'eth_sendRawTransaction'
        ? { error: { code: -32_000, message: 'internal error' } }
        : WITHOUT_INDEX(call, answer),
    );
    await shop.work();
    const sends = (): number => proxy.calls('eth_sendRawTransaction');
    const before = sends();
    const sentAt: number[] = [];
    let now = 0;
    for (const second of [1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 124, 125, 184, 185]) {
      shop.context.clock.advance((second - now) * 1_000);
      now = second;
      const count = sends();
      await processPayouts(shop.context);
      if (sends() > count) sentAt.push(second);
    }
    expect(sentAt).toEqual([1, 2, 3, 5, 9, 17, 33, 65, 125, 185]);
    expect(sends() - before).toBe(sentAt.length);
    proxy.change(null);
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
  });
});

describe('a failed payout whose transaction is in a block after all', () => {
  /** The provider shows another transaction in place of ours. */
  const REPLACED = (txid: string) =>
    ((call, answer) =>
      call.method === 'eth_getBlockByNumber' && call.params[1] === true
        ? {
            result: JSON.parse(
              JSON.stringify(answer.result).replaceAll(txid, `0x${'ee'.repeat(32)}`),
            ) as unknown,
          }
        : WITHOUT_INDEX(call, answer)) satisfies typeof WITHOUT_INDEX;

  it('is confirmed with an alarm, and its funds leave the books', async () => {
    const before = await shop.holdings('ETH');
    const payout = await payOut(freshAddress());
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    proxy.change(REPLACED(txid));
    await mine(20);
    expect((await shop.payout(payout.id)).status).toBe('failed');
    expect(await shop.holdings('ETH')).toEqual(before);
    proxy.change(null);
    shop.context.clock.advance(600_000);
    await shop.work();
    expect(await shop.payout(payout.id)).toMatchObject({ status: 'complete', error: null });
    expect(Number((await shop.holdings('ETH')).available)).toBeLessThan(
      Number(before.available) - 2,
    );
    expect((await shop.holdings('ETH')).reserved).toBe('0');
    expect(await alarms()).toEqual([
      `A payout of 2 ETH on Ethereum failed, but its transaction ${txid} was found in a block: the recipient was paid (payout ${payout.id})`,
    ]);
  });

  it('stays confirmed until the wallet covers it', async () => {
    const payout = await payOut(freshAddress());
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    proxy.change(REPLACED(txid));
    await mine(20);
    expect((await shop.payout(payout.id)).status).toBe('failed');
    // The released funds were paid out again.
    proxy.change(null);
    const { available } = await shop.holdings('ETH');
    await payOut(freshAddress(), String(Math.floor(Number(available) - 1)));
    shop.context.clock.advance(600_000);
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('confirmed');
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('confirmed');
    expect(await alarms()).toContain(
      `A payout of 2 ETH on Ethereum failed, but its transaction ${txid} was found in a block: the recipient was paid (payout ${payout.id}), and the wallet holds too little for it`,
    );
    await shop.fund('ETH', '5');
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('complete');
  });
});

describe('a failed payout whose final block left the chain, and which another block pays', () => {
  let before: { available: string; reserved: string };
  let payout: ShownPayout;
  let snapshot: Hex;

  /** Nobody has mined it; the chain comes back to here. */
  beforeEach(async () => {
    await shop.fund('ETH', '10');
    before = await shop.holdings('ETH');
    payout = await payOut(freshAddress());
    await shop.work();
    snapshot = await anvil.wallet.snapshot();
  });

  const addressOf = ({ recipients }: ShownPayout): Address => recipients[0]!.address as Address;
  const alarmsOf = async (): Promise<string[]> =>
    (await alarms()).filter((reason) => reason.includes(payout.id));

  async function revert(): Promise<void> {
    await anvil.wallet.setCode({ address: addressOf(payout), bytecode: REVERTS });
    await mine(12);
    expect(await shop.payout(payout.id)).toMatchObject({
      status: 'failed',
      error: 'The transaction was mined and reverted',
    });
    expect(await spent()).toBe(await feeOf());
  }

  /** The next block has the first transaction of the payout, for another fee than before. */
  async function payAfterAll(): Promise<void> {
    await anvil.wallet.revert({ id: snapshot });
    const { rows } = await sql<{ raw: Hex }>`
      select raw from outgoing_attempt where outgoing_id = ${payout.id} order by number limit 1`.execute(
      shop.context.db,
    );
    const { baseFeePerGas } = await anvil.wallet.getBlock();
    await anvil.wallet.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeePerGas! + 1_000_000n });
    await anvil.wallet.sendRawTransaction({ serializedTransaction: rows[0]!.raw });
    shop.context.clock.advance(600_000);
    await mine();
    expect(await balance(addressOf(payout))).toBe('2');
  }

  const feeOf = async (): Promise<Amount> =>
    parseAmount((await shop.payout(payout.id)).amount.network_fee);
  const spent = async (): Promise<Amount> =>
    parseAmount(before.available) - parseAmount((await shop.holdings('ETH')).available);

  it('is confirmed with an alarm; the books have the fee of the new block alone', async () => {
    await revert();
    const fee = await feeOf();
    await payAfterAll();
    const { txid, status, error } = await shop.payout(payout.id);
    expect({ status, error }).toEqual({ status: 'confirmed', error: null });
    expect(await alarmsOf()).toEqual([
      `A payout of 2 ETH on Ethereum failed, but its transaction ${txid} was found in a block: the recipient was paid (payout ${payout.id})`,
    ]);
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect(await feeOf()).not.toBe(fee);
    expect(await spent()).toBe(parseAmount('2') + (await feeOf()));
    expect((await shop.holdings('ETH')).reserved).toBe(before.reserved);
    expect(await alarmsOf()).toHaveLength(1);
    expect(await shop.events(payout.id)).toEqual([
      'payout_pending',
      'payout_failed',
      'payout_confirmed',
      'payout_complete',
    ]);
  });

  it('gets the first fee back once while the wallet does not cover it', async () => {
    await revert();
    const fee = await feeOf();
    const { available } = await shop.holdings('ETH');
    const other = await payOut(
      freshAddress(),
      formatAmount(parseAmount(available) - parseAmount('1')),
    );
    const left = parseAmount((await shop.holdings('ETH')).available);
    await payAfterAll();
    for (let round = 0; round < 2; round += 1) {
      expect((await shop.payout(payout.id)).status).toBe('confirmed');
      expect(parseAmount((await shop.holdings('ETH')).available)).toBe(left + fee);
      await shop.work();
    }
    await shop.fund('ETH', '5');
    await mine(13);
    expect((await shop.payout(payout.id)).status).toBe('complete');
    const { status, amount } = await shop.payout(other.id);
    expect(status).toBe('complete');
    expect(await spent()).toBe(
      parseAmount(amount.total) +
        parseAmount(amount.network_fee) +
        parseAmount('2') +
        (await feeOf()) -
        parseAmount('5'),
    );
  });

  it('is paid although its cancelling transaction was final', async () => {
    await requestReplacement(
      shop.context,
      { accountId: shop.accountId, username: 'operator' },
      payout.id,
      'cancel',
    );
    await shop.work();
    await mine(12);
    expect(await shop.payout(payout.id)).toMatchObject({
      status: 'failed',
      error: 'It was cancelled: another transaction took its place',
    });
    expect(await spent()).toBe(await feeOf());
    await payAfterAll();
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect(await spent()).toBe(parseAmount('2') + (await feeOf()));
    expect(await alarmsOf()).toHaveLength(1);
  });
});

describe('a payout that reverted in a final block', () => {
  it('stays failed and costs its fee once, however often it is looked up', async () => {
    const address = freshAddress();
    const payout = await payOut(address);
    await shop.work();
    await anvil.wallet.setCode({ address, bytecode: REVERTS });
    await mine(12);
    const failed = await shop.payout(payout.id);
    expect(failed.status).toBe('failed');
    const after = await shop.holdings('ETH');
    shop.context.clock.advance(600_000);
    await mine(13);
    expect(await shop.payout(payout.id)).toEqual(failed);
    expect(await shop.holdings('ETH')).toEqual(after);
  });
});
