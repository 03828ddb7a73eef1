import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import {
  type Address,
  encodeAbiParameters,
  formatEther,
  type Hex,
  keccak256,
  parseEther,
  toHex,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deploy,
  startAnvil,
  withoutMethods,
  type Anvil,
} from '../../../chains/test/support/anvil.ts';
import {
  contracts,
  ethereumAt,
  payoutAddress,
  tokensOf,
  words,
} from '../../test/support/ethereum.ts';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { endLeases } from '../database/lease.ts';
import { processPayouts } from './sending/process.ts';
import { killableProcess } from '../../test/support/kill.ts';
import { payoutShop, requirePayoutBooks, type PayoutShop } from '../../test/support/payouts.ts';

const hotAccount = mnemonicToAccount(words, { path: "m/44'/60'/0'/1/0" });

let anvil: Anvil;
let token: Address;
let forwarder: Address;
let shop: PayoutShop;
let recipients = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  [token, forwarder] = [
    await deploy(anvil, contracts['Token']!),
    await deploy(anvil, contracts['Forwarder']!),
  ];
  shop = await payoutShop({ chains: ['ethereum'] });
  setSender(await senderAt(anvil.url));
  await shop.fund('ETH', '1000');
  await shop.fund('ETH_USDT', '100000');
  await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('500') });
  await setTokens(payoutAddress, 1_000_000_000n);
}, 60_000);
afterAll(async () => {
  await shop?.close();
  await anvil?.stop();
});

const senderAt = async (url: string): Promise<ChainSender> => (await ethereumAt(url, token)).sender;
const setSender = (sender: ChainSender): void =>
  void (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
/** Never paid before. */
const freshAddress = (): Address =>
  `0x${(0xabc000 + (recipients += 1)).toString(16).padStart(40, '0')}`;
const eth = (address: string, amount = '1', more: object = {}) =>
  shop.payOut({ kind: 'ETH', recipients: [{ amount, currency: 'ETH', address, ...more }] });
const usdt = (address: string, amount: string) =>
  shop.payOut({ kind: 'ETH_USDT', recipients: [{ amount, currency: 'USD', address }] });
const mine = async (blocks = 1): Promise<void> => {
  await anvil.wallet.mine({ blocks });
  await shop.work();
};
const balance = async (address: Address): Promise<string> =>
  formatEther(await anvil.wallet.getBalance({ address }));
const tokens = (address: Address): Promise<bigint> => tokensOf(anvil, token, address);
const nonce = (): Promise<number> => anvil.wallet.getTransactionCount({ address: payoutAddress });
const setTokens = (address: Address, units: bigint): Promise<void> => {
  const slot = keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, 4n]),
  );
  return anvil.wallet.setStorageAt({
    address: token,
    index: slot,
    value: toHex(units, { size: 32 }),
  });
};

describe('a payout through a node', () => {
  it('waits and raises an alarm while the sending address holds too little', async () => {
    await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('0.1') });
    const ids = [
      (await eth(freshAddress(), '0.5')).id,
      (await eth(freshAddress(), '0.25')).id,
    ] as const;
    const statuses = () => Promise.all(ids.map(async (id) => (await shop.payout(id)).status));
    await shop.work();
    expect(await statuses()).toEqual(['new', 'new']);
    const { rows } = await sql<{ reason: string; funding: { amount: string } }>`
      select reason, funding from alarm`.execute(shop.context.db);
    expect(rows).toEqual([
      {
        reason: `Payouts are waiting: the address ${payoutAddress} holds too little ETH`,
        funding: { asset: 'ETH', amount: expect.any(String), address: payoutAddress },
      },
    ]);
    // Both amounts with their highest network fees, less what the address holds.
    const { amount } = rows[0]!.funding;
    expect(Number(amount)).toBeGreaterThan(0.65);
    expect(Number(amount)).toBeLessThan(0.67);
    const value = parseEther('0.1') + parseEther(amount);
    await anvil.wallet.setBalance({ address: payoutAddress, value });
    await shop.work();
    expect(await statuses()).toEqual(['pending', 'pending']);
    expect((await sql`select reason from alarm`.execute(shop.context.db)).rows).toEqual([]);
    await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('500') });
    await mine(12);
    expect(await statuses()).toEqual(['complete', 'complete']);
  });

  it('arrives and costs the actual network fee', async () => {
    const before = parseAmount((await shop.holdings('ETH')).available);
    const address = freshAddress();
    const payout = await eth(address, '1.5', { notes: 'memo: order 7' });
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    const sent = await anvil.wallet.getTransaction({ hash: txid as Hex });
    expect(sent).toMatchObject({
      value: parseEther('1.5'),
      input: toHex('order 7'),
      type: 'eip1559',
    });
    expect((await shop.payout(payout.id)).status).toBe('pending');
    await mine();
    const confirmed = await shop.payout(payout.id);
    const { gasUsed, effectiveGasPrice } = await anvil.wallet.getTransactionReceipt({
      hash: txid as Hex,
    });
    const fee = formatEther(gasUsed * effectiveGasPrice);
    expect(confirmed).toMatchObject({
      status: 'confirmed',
      confirmations: 1,
      amount: { total: '1.5', network_fee: fee, network_fee_currency: 'ETH' },
    });
    await mine(11);
    expect(await shop.payout(payout.id)).toMatchObject({
      status: 'complete',
      confirmations: 12,
      txid,
    });
    expect(await balance(address)).toBe('1.5');
    const spent = before - parseAmount((await shop.holdings('ETH')).available);
    expect(formatAmount(spent)).toBe(formatAmount(parseAmount('1.5') + parseAmount(fee)));
    expect((await shop.holdings('ETH')).reserved).toBe('0');
  });

  it('of a token pays its fee in the coin', async () => {
    const address = freshAddress();
    const payout = await usdt(address, '25.5');
    await shop.work();
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect(await tokens(address)).toBe(25_500_000n);
    expect(await shop.holdings('ETH_USDT')).toEqual({ available: '99974.5', reserved: '0' });
    expect((await shop.holdings('ETH')).reserved).toBe('0');
  });

  it('is sent with the next nonce', async () => {
    const from = await nonce();
    const payouts = [
      await eth(freshAddress(), '0.1'),
      await usdt(freshAddress(), '1'),
      await eth(freshAddress(), '0.2'),
    ];
    const statuses = async () =>
      Promise.all(payouts.map(async ({ id }) => (await shop.payout(id)).status));
    await shop.work();
    expect(await statuses()).toEqual(['pending', 'pending', 'pending']);
    await mine();
    expect(await statuses()).toEqual(['confirmed', 'confirmed', 'confirmed']);
    await mine(12);
    expect(await statuses()).toEqual(['complete', 'complete', 'complete']);
    const { rows } = await sql<{ nonce: number }>`
      select nonce from outgoing where id = any(${payouts.map(({ id }) => id)}::uuid[]) order by nonce`.execute(
      shop.context.db,
    );
    expect(rows.map((row) => row.nonce)).toEqual([from, from + 1, from + 2]);
  });

  it('waits and raises an alarm while the node lags behind: no nonce is used twice', async () => {
    const first = await eth(freshAddress(), '0.1');
    await shop.work();
    await mine(12);
    expect((await shop.payout(first.id)).status).toBe('complete');
    const next = await nonce();
    await anvil.wallet.setNonce({ address: payoutAddress, nonce: next - 1 });
    const second = await eth(freshAddress(), '0.2');
    await shop.work();
    expect((await shop.payout(second.id)).status).toBe('new');
    // Not attempted: the database would reject the duplicate nonce, and no alarm would be raised.
    const { rows } = await sql<{ reason: string }>`select reason from alarm`.execute(
      shop.context.db,
    );
    expect(rows).toContainEqual({
      reason: `Payouts are waiting: the node lags behind what ${payoutAddress} sent`,
    });
    await anvil.wallet.setNonce({ address: payoutAddress, nonce: next });
    await shop.work();
    await mine(12);
    expect((await shop.payout(second.id)).status).toBe('complete');
    expect(await nonce()).toBe(next + 1);
  });

  it('has one recipient, which is no smart contract unless the profile allows it', async () => {
    const two = [freshAddress(), freshAddress()].map((address) => ({
      amount: '1',
      currency: 'ETH',
      address,
    }));
    await expect(shop.payOut({ kind: 'ETH', recipients: two })).rejects.toMatchObject({
      reason: 'ValidationError',
    });
    await expect(eth(token)).rejects.toMatchObject({ reason: 'InvalidAddress' });
    await expect(eth(payoutAddress)).rejects.toMatchObject({
      reason: 'InvalidAddress',
      message: expect.stringContaining('is the address that payouts are sent from'),
    });
    await shop.context.db
      .updateTable('profile')
      .set({ allow_smart_contract_payouts: true })
      .execute();
    // This contract rejects payments, which shows before signing.
    const { id } = await eth(forwarder, '0.1');
    const before = await nonce();
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({
      status: 'failed',
      error: 'The chain refuses this transfer: it would revert',
    });
    expect(await nonce()).toBe(before);
    const alarms = await shop.context.db
      .selectFrom('alarm')
      .select('reason')
      .where('resource_id', '=', id)
      .execute();
    expect(alarms).toEqual([
      {
        reason:
          'A payout of ETH on Ethereum failed: The chain refuses this transfer: it would revert',
      },
    ]);
    await shop.context.db
      .updateTable('profile')
      .set({ allow_smart_contract_payouts: false })
      .execute();
  });
});

describe('failures on the chain', () => {
  it('a reverted transfer fails once it is final: the amount returns, the fee is spent', async () => {
    const before = { eth: await shop.holdings('ETH'), usdt: await shop.holdings('ETH_USDT') };
    const payout = await usdt(freshAddress(), '30');
    await shop.work();
    await setTokens(payoutAddress, 0n);
    await mine(11);
    expect((await shop.payout(payout.id)).status).toBe('pending');
    await mine();
    const failed = await shop.payout(payout.id);
    expect(failed).toMatchObject({
      status: 'failed',
      error: 'The transaction was mined and reverted',
    });
    expect(await shop.holdings('ETH_USDT')).toEqual(before.usdt);
    const spent =
      parseAmount(before.eth.available) - parseAmount((await shop.holdings('ETH')).available);
    expect(formatAmount(spent)).toBe(failed.amount.network_fee);
    await setTokens(payoutAddress, 1_000_000_000n);
  });

  it('a dropped transaction is broadcast again with the same bytes', async () => {
    const payout = await eth(freshAddress(), '0.3');
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    await anvil.wallet.dropTransaction({ hash: txid as Hex });
    await shop.work();
    await mine(12);
    expect(await shop.payout(payout.id)).toMatchObject({ status: 'complete', txid });
  });

  it('a reorganisation moves it to another block', async () => {
    const address = freshAddress();
    const payout = await eth(address, '0.3');
    await shop.work();
    await mine(2);
    await anvil.wallet.request({ method: 'anvil_reorg', params: [2, []] } as never);
    await shop.work();
    expect(await shop.payout(payout.id)).toMatchObject({ status: 'confirmed', confirmations: 0 });
    await mine(13);
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect(await balance(address)).toBe('0.3');
  });

  it('another transaction with its nonce ends it once that is final', async () => {
    const before = await shop.holdings('ETH');
    const address = freshAddress();
    const payout = await eth(address, '0.4');
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    await anvil.wallet.dropTransaction({ hash: txid as Hex });
    // The operator's key is also used in another wallet.
    const raw = await hotAccount.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: await nonce(),
      to: freshAddress(),
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    });
    await anvil.wallet.sendRawTransaction({ serializedTransaction: raw });
    await mine(5);
    expect((await shop.payout(payout.id)).status).toBe('pending');
    await mine(15);
    expect(await shop.payout(payout.id)).toMatchObject({
      status: 'failed',
      error: 'Another transaction of the address took its number',
    });
    expect(await shop.holdings('ETH')).toEqual(before);
    expect(await balance(address)).toBe('0');
    const next = await eth(freshAddress(), '0.1');
    await shop.work();
    await mine(12);
    expect((await shop.payout(next.id)).status).toBe('complete');
  });

  it('a node that accepts the transaction without responding does not cause a second one', async () => {
    const address = freshAddress();
    const before = await nonce();
    const payout = await eth(address, '0.5');
    const real = await senderAt(anvil.url);
    setSender({
      ...real,
      broadcast: async (raw) => {
        await real.broadcast(raw);
        return { result: 'unknown', reason: 'The node does not answer' };
      },
    });
    await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('new');
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect([await balance(address), await nonce()]).toEqual(['0.5', before + 1]);
    setSender(real);
  });

  it('a node without send methods leaves the outcome unknown', async () => {
    const proxy = await withoutMethods(anvil.url, /eth_sendRawTransaction/);
    setSender(await senderAt(proxy.url));
    const payout = await eth(freshAddress(), '0.6');
    const held = (await shop.holdings('ETH')).reserved;
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('new');
    expect((await shop.holdings('ETH')).reserved).toBe(held);
    await proxy.stop();
    setSender(await senderAt(anvil.url));
    await shop.work();
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
  });
});

describe('a process that crashes', () => {
  // At every third step: the sandbox's test stops at each step of the same code.
  it('never sends twice through a node', async () => {
    const killable = killableProcess(shop.context);
    let steps = 0;
    for (let lived = false; !lived; steps += 3) {
      expect(steps).toBeLessThan(150);
      const [address, before] = [freshAddress(), await nonce()];
      const payout = await eth(address, '0.001');
      killable.surviveFor(steps);
      await processPayouts(killable.context).catch(() => {});
      lived = !killable.isKilled();
      killable.surviveFor(Number.POSITIVE_INFINITY);
      await endLeases(shop.context.db);
      await shop.work();
      await mine();
      expect([
        await balance(address),
        await nonce(),
        (await shop.payout(payout.id)).status,
      ]).toEqual(['0.001', before + 1, 'confirmed']);
    }
    expect(steps).toBeGreaterThan(20);
    await mine(12);
    await requirePayoutBooks(shop);
    expect((await shop.holdings('ETH')).reserved).toBe('0');
    await killable.close();
  }, 240_000);
});
