import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { type Address, encodeAbiParameters, formatEther, type Hex, keccak256, parseEther, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, startAnvil, withoutMethods, type Anvil } from '../../test/anvil.ts';
import { contracts, ethereumAt, hot, tokensOf, words } from '../../test/ethereum.ts';
import type { ChainSender } from '../chain/sender.ts';
import { endLeases } from '../database/lease.ts';
import { processPayouts } from './process.ts';
import { mortal } from './test-kill.ts';
import { payoutShop, requirePayoutBooks, type PayoutShop } from './test-payouts.ts';

const hotAccount = mnemonicToAccount(words, { path: "m/44'/60'/0'/1/0" });

let anvil: Anvil;
let token: Address;
let forwarder: Address;
let shop: PayoutShop;
let recipients = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  [token, forwarder] = [await deploy(anvil, contracts['Token']!), await deploy(anvil, contracts['Forwarder']!)];
  shop = await payoutShop({ chains: ['ethereum'] });
  setSender(await senderAt(anvil.url));
  await shop.fund('ETH', '1000');
  await shop.fund('ETH_USDT', '100000');
  await anvil.wallet.setBalance({ address: hot, value: parseEther('500') });
  await setTokens(hot, 1_000_000_000n);
}, 60_000);
afterAll(async () => {
  await shop?.close();
  await anvil?.stop();
});

const senderAt = async (url: string): Promise<ChainSender> => (await ethereumAt(url, token)).sender;
const setSender = (sender: ChainSender): void => void (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
/** Never paid before. */
const nobody = (): Address => `0x${(0xabc000 + (recipients += 1)).toString(16).padStart(40, '0')}`;
const eth = (address: string, amount = '1', more: object = {}) =>
  shop.payOut({ kind: 'ETH', recipients: [{ amount, currency: 'ETH', address, ...more }] });
const usdt = (address: string, amount: string) => shop.payOut({ kind: 'ETH_USDT', recipients: [{ amount, currency: 'USD', address }] });
const mine = async (blocks = 1): Promise<void> => {
  await anvil.wallet.mine({ blocks });
  await shop.work();
};
const balance = async (address: Address): Promise<string> => formatEther(await anvil.wallet.getBalance({ address }));
const tokens = (address: Address): Promise<bigint> => tokensOf(anvil, token, address);
const nonce = (): Promise<number> => anvil.wallet.getTransactionCount({ address: hot });
const setTokens = (address: Address, units: bigint): Promise<void> => {
  const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, 4n]));
  return anvil.wallet.setStorageAt({ address: token, index: slot, value: toHex(units, { size: 32 }) });
};

describe('a payout over a real node', () => {
  it('waits while the sending address holds too little, and tells the operator', async () => {
    await anvil.wallet.setBalance({ address: hot, value: 0n });
    const { id } = await eth(nobody(), '0.5');
    await shop.work();
    expect((await shop.payout(id)).status).toBe('new');
    const { rows } = await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db);
    expect(rows).toEqual([{ reason: `Payouts wait: the address ${hot} holds too little ETH` }]);
    await anvil.wallet.setBalance({ address: hot, value: parseEther('500') });
    await shop.work();
    expect((await shop.payout(id)).status).toBe('pending');
    await mine(12);
    expect((await shop.payout(id)).status).toBe('complete');
  });

  it('arrives, and costs what the chain says', async () => {
    const before = parseAmount((await shop.holdings('ETH')).available);
    const address = nobody();
    const payout = await eth(address, '1.5', { notes: 'memo: order 7' });
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    const sent = await anvil.wallet.getTransaction({ hash: txid as Hex });
    expect(sent).toMatchObject({ value: parseEther('1.5'), input: toHex('order 7'), type: 'eip1559' });
    expect((await shop.payout(payout.id)).status).toBe('pending');
    await mine();
    const confirmed = await shop.payout(payout.id);
    const { gasUsed, effectiveGasPrice } = await anvil.wallet.getTransactionReceipt({ hash: txid as Hex });
    const fee = formatEther(gasUsed * effectiveGasPrice);
    expect(confirmed).toMatchObject({
      status: 'confirmed',
      confirmations: 1,
      amount: { total: '1.5', network_fee: fee, network_fee_currency: 'ETH' },
    });
    await mine(11);
    expect(await shop.payout(payout.id)).toMatchObject({ status: 'complete', confirmations: 12, txid });
    expect(await balance(address)).toBe('1.5');
    const spent = before - parseAmount((await shop.holdings('ETH')).available);
    expect(formatAmount(spent)).toBe(formatAmount(parseAmount('1.5') + parseAmount(fee)));
    expect((await shop.holdings('ETH')).reserved).toBe('0');
  });

  it('of a token takes its fee in the coin', async () => {
    const address = nobody();
    const payout = await usdt(address, '25.5');
    await shop.work();
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
    expect(await tokens(address)).toBe(25_500_000n);
    expect(await shop.holdings('ETH_USDT')).toEqual({ available: '99974.5', reserved: '0' });
    expect((await shop.holdings('ETH')).reserved).toBe('0');
  });

  it('goes one after another, each with the next number', async () => {
    const from = await nonce();
    const payouts = [await eth(nobody(), '0.1'), await usdt(nobody(), '1'), await eth(nobody(), '0.2')];
    const statuses = async () => Promise.all(payouts.map(async ({ id }) => (await shop.payout(id)).status));
    await shop.work();
    expect(await statuses()).toEqual(['pending', 'new', 'new']);
    await mine();
    expect(await statuses()).toEqual(['confirmed', 'pending', 'new']);
    await mine();
    await mine();
    await mine(12);
    expect(await statuses()).toEqual(['complete', 'complete', 'complete']);
    const { rows } = await sql<{ nonce: number }>`
      select nonce from outgoing where id = any(${payouts.map(({ id }) => id)}::uuid[]) order by nonce`.execute(shop.context.db);
    expect(rows.map((row) => row.nonce)).toEqual([from, from + 1, from + 2]);
  });

  it('waits for a node that lags behind what was sent, and tells the operator: no number is used twice', async () => {
    const first = await eth(nobody(), '0.1');
    await shop.work();
    await mine(12);
    expect((await shop.payout(first.id)).status).toBe('complete');
    const next = await nonce();
    await anvil.wallet.setNonce({ address: hot, nonce: next - 1 });
    const second = await eth(nobody(), '0.2');
    await shop.work();
    expect((await shop.payout(second.id)).status).toBe('new');
    // Not even tried: the database would refuse the number, and nobody would hear why.
    const { rows } = await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db);
    expect(rows).toContainEqual({ reason: `Payouts wait: the node lags behind what ${hot} sent` });
    await anvil.wallet.setNonce({ address: hot, nonce: next });
    await shop.work();
    await mine(12);
    expect((await shop.payout(second.id)).status).toBe('complete');
    expect(await nonce()).toBe(next + 1);
  });

  it('has one recipient, and no smart contract unless the profile allows it', async () => {
    const two = [nobody(), nobody()].map((address) => ({ amount: '1', currency: 'ETH', address }));
    await expect(shop.payOut({ kind: 'ETH', recipients: two })).rejects.toMatchObject({ reason: 'ValidationError' });
    await expect(eth(token)).rejects.toMatchObject({ reason: 'InvalidAddress' });
    await shop.context.db.updateTable('profile').set({ allow_smart_contract_payouts: true }).execute();
    // This one takes nothing, which shows before anything is signed.
    const { id } = await eth(forwarder, '0.1');
    const before = await nonce();
    await shop.work();
    expect(await shop.payout(id)).toMatchObject({ status: 'failed', error: 'The chain refuses this transfer: it would revert' });
    expect(await nonce()).toBe(before);
    await shop.context.db.updateTable('profile').set({ allow_smart_contract_payouts: false }).execute();
  });
});

describe('what goes wrong on the chain', () => {
  it('a transfer that reverts has failed once that is final: the amount is back, the fee is gone', async () => {
    const before = { eth: await shop.holdings('ETH'), usdt: await shop.holdings('ETH_USDT') };
    const payout = await usdt(nobody(), '30');
    await shop.work();
    await setTokens(hot, 0n);
    await mine(11);
    expect((await shop.payout(payout.id)).status).toBe('pending');
    await mine();
    const failed = await shop.payout(payout.id);
    expect(failed).toMatchObject({ status: 'failed', error: 'The transaction was mined and reverted' });
    expect(await shop.holdings('ETH_USDT')).toEqual(before.usdt);
    const spent = parseAmount(before.eth.available) - parseAmount((await shop.holdings('ETH')).available);
    expect(formatAmount(spent)).toBe(failed.amount.network_fee);
    await setTokens(hot, 1_000_000_000n);
  });

  it('a transaction that the node forgets is sent again, the same', async () => {
    const payout = await eth(nobody(), '0.3');
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    await anvil.wallet.dropTransaction({ hash: txid as Hex });
    await shop.work();
    await mine(12);
    expect(await shop.payout(payout.id)).toMatchObject({ status: 'complete', txid });
  });

  it('a reorganisation brings it into another block', async () => {
    const address = nobody();
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

  it('another transaction with its number ends it, once that is final', async () => {
    const before = await shop.holdings('ETH');
    const address = nobody();
    const payout = await eth(address, '0.4');
    await shop.work();
    const { txid } = await shop.payout(payout.id);
    await anvil.wallet.dropTransaction({ hash: txid as Hex });
    // Somebody has the operator's key in another wallet too.
    const raw = await hotAccount.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: await nonce(),
      to: nobody(),
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
    const next = await eth(nobody(), '0.1');
    await shop.work();
    await mine(12);
    expect((await shop.payout(next.id)).status).toBe('complete');
  });

  it('a node that is silent after it took the transaction does not have it sent twice', async () => {
    const address = nobody();
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

  it('a node that knows nothing of sending leaves the outcome unknown', async () => {
    const door = await withoutMethods(anvil.url, /eth_sendRawTransaction/);
    setSender(await senderAt(door.url));
    const payout = await eth(nobody(), '0.6');
    const held = (await shop.holdings('ETH')).reserved;
    for (let round = 0; round < 3; round += 1) await shop.work();
    expect((await shop.payout(payout.id)).status).toBe('new');
    expect((await shop.holdings('ETH')).reserved).toBe(held);
    await door.stop();
    setSender(await senderAt(anvil.url));
    await shop.work();
    await mine(12);
    expect((await shop.payout(payout.id)).status).toBe('complete');
  });
});

describe('a process that dies', () => {
  // At every third step: the sandbox's test stops at each, over the same code.
  it('never sends twice over a real node', async () => {
    const doomed = mortal(shop.context);
    let steps = 0;
    for (let lived = false; !lived; steps += 3) {
      expect(steps).toBeLessThan(150);
      const [address, before] = [nobody(), await nonce()];
      const payout = await eth(address, '0.001');
      doomed.live(steps);
      await processPayouts(doomed.context).catch(() => {});
      lived = !doomed.isDead();
      doomed.live(Number.POSITIVE_INFINITY);
      await endLeases(shop.context.db);
      await shop.work();
      await mine();
      expect([await balance(address), await nonce(), (await shop.payout(payout.id)).status]).toEqual(['0.001', before + 1, 'confirmed']);
    }
    expect(steps).toBeGreaterThan(20);
    await mine(12);
    await requirePayoutBooks(shop);
    expect((await shop.holdings('ETH')).reserved).toBe('0');
    await doomed.close();
  }, 240_000);
});
