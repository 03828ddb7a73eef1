import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { type Address, encodeFunctionData, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import {
  startRpcProxy,
  type ChangeAnswer,
  type RpcProxy,
} from '../../../chains/test/support/rpc-proxy.ts';
import { contracts, ethereumAt, payoutAddress } from '../../test/support/ethereum.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';
import { rescanChain } from '../engine/rescan.ts';
import { scanChain } from '../engine/scan.ts';
import { assignMoney } from '../unassigned/assign.ts';
import { listUnassigned, type Unassigned } from '../unassigned/store.ts';
import { countForInvoice } from '../unassigned/count-for-invoice.ts';
import { expireInvoices } from '../settlement/expire-invoices.ts';
import { compareBalances, recordDifferences } from './compare.ts';
import { checkBalances } from './run.ts';

let anvil: Anvil;
let proxy: RpcProxy;
let shop: SweepShop;
const BUYER = '0x52908400098527886E0F7030069857D2E4169EE7';
let token: Address;
let forwarder: Address;

const NO_TRACE: ChangeAnswer = (call, answer) =>
  call.method.startsWith('debug_')
    ? { error: { code: -32_601, message: 'method not found' } }
    : answer;

beforeEach(async () => {
  anvil = await startAnvil();
  token = await deploy(anvil, contracts['Token']!);
  forwarder = await deploy(anvil, contracts['Forwarder']!);
  proxy = await startRpcProxy(anvil.url);
  proxy.change(NO_TRACE);
  shop = await sweepShop({ chains: ['ethereum'] });
  await useNode();
  await shop.settle();
}, 60_000);
afterEach(async () => {
  await shop?.close();
  await proxy?.stop();
  await anvil?.stop();
});

async function useNode(): Promise<void> {
  const { adapter, sender } = await ethereumAt(proxy.url, token);
  (shop.context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  (shop.context.senders as Map<string, ChainSender>).set('ethereum', sender);
}

/** Pays an address out of a contract, as exchanges and smart wallets do. */
async function payInside(address: string, ether: string): Promise<void> {
  const { abi } = contracts['Forwarder']!;
  const data = encodeFunctionData({ abi, functionName: 'pay', args: [address] });
  await anvil.wallet.sendTransaction({
    to: forwarder,
    data,
    value: parseEther(ether),
    gas: 100_000n,
  });
}
async function mineAndScan(blocks = 1): Promise<void> {
  await anvil.wallet.mine({ blocks });
  await shop.settle();
}
/** Lets a minute pass, for the lease too, and runs one round. */
async function check(): Promise<void> {
  await sql`delete from lease where name like 'balances:%'`.execute(shop.context.db);
  await checkBalances(shop.context, new AbortController().signal);
}
const listed = (): Promise<Unassigned[]> =>
  listUnassigned(shop.context.db, { settled: false, limit: 100 });
const assign = (id: string) =>
  assignMoney(shop.context, {
    id,
    accountId: shop.accountId,
    reason: 'The buyer sent the transaction id',
    by: 'ada',
  });
const alarms = async (): Promise<string[]> =>
  (await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db)).rows.map(
    ({ reason }) => reason,
  );
const available = async (): Promise<string> => (await shop.holdings('ETH')).available;

async function address(): Promise<Address> {
  return (await shop.create({ kind: 'ETH', amount: undefined })).address as Address;
}

it('money that no transaction shows is listed once, when it is final', async () => {
  const to = await address();
  await payInside(to, '0.04');
  await mineAndScan(11);
  await check();
  expect(await listed()).toEqual([]);
  await mineAndScan(1);
  await check();
  await check();
  await mineAndScan(30);
  await check();
  expect(await listed()).toMatchObject([
    {
      chain: 'ethereum',
      txid: null,
      address: to.toLowerCase(),
      amount: '0.04',
      currency: 'ETH',
      reason: 'the balance is higher than the known payments to the address',
    },
  ]);
  await payInside(to, '0.01');
  await mineAndScan(12);
  await check();
  expect((await listed()).map(({ amount }) => amount).toSorted()).toEqual(['0.01', '0.04']);
});

it('money of a transaction that the tracer gave up on is listed', async () => {
  proxy.change((call, answer) =>
    call.method === 'debug_traceBlockByHash' && Array.isArray(answer.result)
      ? {
          result: (answer.result as { txHash: string }[]).map(({ txHash }) => ({
            txHash,
            error: 'execution timeout',
          })),
        }
      : answer,
  );
  await useNode();
  const to = await address();
  await payInside(to, '0.07');
  await mineAndScan(12);
  await check();
  expect(await listed()).toMatchObject([{ address: to.toLowerCase(), amount: '0.07' }]);
});

it('assigned money is credited once and swept, also after a rescan and further checks', async () => {
  const to = await address();
  await payInside(to, '2');
  await mineAndScan(12);
  await check();
  const [found] = await listed();
  await assign(found!.id);
  await assign(found!.id);
  await rescanChain(shop.context, { chain: 'ethereum', from: 0 });
  await check();
  expect(await listed()).toEqual([]);
  expect(await available()).toBe('2');
  shop.context.clock.advance(600_000);
  await shop.sweep();
  await check();
  await mineAndScan(12);
  await shop.sweep();
  expect(await shop.sweeps()).toMatchObject([{ status: 'complete' }]);
  await mineAndScan(12);
  await check();
  expect(await listed()).toEqual([]);
  expect(await alarms()).toEqual([]);
});

it('a transaction that a later scan finds takes the listed money back, or refuses its assignment', async () => {
  const to = await address();
  await payInside(to, '0.5');
  await mineAndScan(12);
  await check();
  const [found] = await listed();
  // The node can trace from now on.
  proxy.change(null);
  await useNode();
  await rescanChain(shop.context, { chain: 'ethereum', from: 0 });
  await expect(assign(found!.id)).rejects.toThrow(/are explained by a transaction now/);
  expect(await available()).toBe('0.5');
  await check();
  expect(await listed()).toEqual([]);
  expect(await alarms()).toEqual([]);
});

it('found money counts for its invoice with all that follows, also after it expired', async () => {
  const invoice = await shop.create({ kind: 'ETH' });
  const to = invoice.address as Address;
  await payInside(to, '0.04');
  const block = await anvil.wallet.mine({ blocks: 1 }).then(() => anvil.wallet.getBlock());
  const [txid] = block.transactions;
  await mineAndScan(12);
  shop.context.clock.advance(60 * 60 * 1000);
  await mineAndScan(1);
  await expireInvoices(shop.context);
  expect((await shop.get(invoice.id)).status).toBe('expired');
  await check();
  const [found] = await listed();
  const count = (more: object = {}) =>
    countForInvoice(shop.context, {
      id: found!.id,
      invoiceId: invoice.id,
      txid,
      reason: 'The buyer sent the transaction id',
      by: 'ada',
      ...more,
    });
  await expect(count({ txid: undefined })).rejects.toThrow(/txid is required/);
  await expect(count({ txid: `0x${'ab'.repeat(32)}` })).rejects.toThrow(/is not a successful/);
  const other = await shop.create({ kind: 'ETH' });
  await expect(count({ invoiceId: other.id })).rejects.toThrow(/must be the one of the address/);
  await expect(count({ invoiceId: 'x' })).rejects.toThrow('No invoice has this id');
  await count();
  await expect(count()).rejects.toThrow();
  expect(await shop.get(invoice.id)).toMatchObject({ status: 'complete' });
  expect(await shop.transactions(invoice.id)).toMatchObject([
    { txid, status: 'complete', amount: { paid: { amount: '0.04' } } },
  ]);
  expect(await shop.events(invoice.id)).toEqual([
    'invoice_pending',
    'invoice_confirmed',
    'invoice_complete',
  ]);
  expect(await available()).toBe('0.04');
  await check();
  // A scan that finds the transaction later does not credit it again.
  proxy.change(null);
  await useNode();
  await rescanChain(shop.context, { chain: 'ethereum', from: 0 });
  expect(await available()).toBe('0.04');
  await payInside(to, '0.01');
  proxy.change(NO_TRACE);
  await useNode();
  await mineAndScan(12);
  await check();
  expect(await listed()).toMatchObject([{ amount: '0.01' }]);
  await assign((await listed())[0]!.id);
  shop.context.clock.advance(600_000);
  await shop.sweep();
  await mineAndScan(12);
  await shop.sweep();
  await check();
  expect(await alarms()).toEqual([]);
});

it('token transfers are found that the node left out of its logs', async () => {
  const to = await address();
  proxy.change((call, answer) => {
    if (call.method === 'eth_getLogs') return { result: [] };
    if (call.method !== 'eth_getBlockByNumber') return NO_TRACE(call, answer);
    const block = answer.result as { logsBloom?: string } | null;
    return { result: block === null ? null : { ...block, logsBloom: undefined } };
  });
  const { abi } = contracts['Token']!;
  const data = encodeFunctionData({ abi, functionName: 'transfer', args: [to, 3_000_000n] });
  await anvil.wallet.sendTransaction({ to: token, data, gas: 100_000n });
  await mineAndScan(12);
  await check();
  expect(await listed()).toMatchObject([{ amount: '3', currency: 'USDT' }]);
});

it('calls stay within the budget, and every address has its turn', async () => {
  shop.context.config.balanceCheckCalls = 12;
  const addresses: Address[] = [];
  for (let number = 0; number < 9; number += 1) addresses.push(await address());
  await sql`update invoice set status = 'expired', requested_text = '1', expires_at = now() - interval '1 year'`.execute(
    shop.context.db,
  );
  for (const to of addresses) await payInside(to, '0.1');
  await mineAndScan(12);
  const calls = (): number => proxy.calls('eth_getBalance') + proxy.calls('eth_call');
  for (let round = 0; round < 3; round += 1) {
    const before = calls();
    await check();
    expect(calls() - before).toBeLessThanOrEqual(12);
  }
  expect((await listed()).map((one) => one.address).toSorted()).toEqual(
    addresses.map((one) => one.toLowerCase()).toSorted(),
  );
  const before = calls();
  shop.context.config.balanceCheckCalls = 0;
  await check();
  expect(calls()).toBe(before);
});

it('a budget below the calls of a round has a round every few minutes', async () => {
  shop.context.config.balanceCheckCalls = 4;
  const to = await address();
  await payInside(to, '0.1');
  await mineAndScan(12);
  const calls = (): number => proxy.calls('eth_getBalance') + proxy.calls('eth_call');
  const aMinuteLater = async (): Promise<number> => {
    const before = calls();
    await sql`update lease set until = until - interval '1 minute' where name like 'balances:%'`.execute(
      shop.context.db,
    );
    await checkBalances(shop.context, new AbortController().signal);
    return calls() - before;
  };
  const minutes = [await aMinuteLater(), await aMinuteLater(), await aMinuteLater()];
  expect(minutes[0]).toBeGreaterThan(0);
  expect(minutes[1]).toBe(0);
  expect(minutes[2]).toBeGreaterThan(0);
  // A coin and a token, on at most three addresses.
  expect(Math.max(...minutes)).toBeLessThanOrEqual(6);
  expect(await listed()).toMatchObject([{ amount: '0.1' }]);
});

it('money is listed although an earlier row with the same total was taken back', async () => {
  const to = await address();
  let balance = 0n;
  const grow = async (ether: string): Promise<void> => {
    balance += parseEther(ether);
    await anvil.wallet.setBalance({ address: to, value: balance });
    await mineAndScan(12);
    await check();
  };
  await grow('3');
  await grow('2');
  const second = (await listed()).find(({ amount }) => amount === '2');
  await assign(second!.id);
  await grow('-3');
  expect(await listed()).toEqual([]);
  // The total is 3 again after this one, as it was before the second.
  await grow('1');
  await grow('4');
  expect((await listed()).map(({ amount }) => amount).toSorted()).toEqual(['1', '4']);
});

it('two gateways list the same money once', async () => {
  await payInside(await address(), '1');
  await mineAndScan(12);
  await sql`delete from lease where name like 'balances:%'`.execute(shop.context.db);
  const signal = new AbortController().signal;
  await Promise.all([checkBalances(shop.context, signal), checkBalances(shop.context, signal)]);
  await check();
  expect(await listed()).toHaveLength(1);
});

it('a comparison that is stored after another one lists nothing twice', async () => {
  const to = await address();
  await payInside(to, '1');
  await mineAndScan(12);
  const { context } = shop;
  const adapter = context.chains.get('ethereum')!;
  const differences = await compareBalances(context, adapter, [`evm:${to.toLowerCase()}`]);
  await recordDifferences(context, differences!);
  await recordDifferences(context, differences!);
  expect(await listed()).toHaveLength(1);
});

it('a node without the state of the block changes nothing', async () => {
  await payInside(await address(), '1');
  await mineAndScan(12);
  proxy.change((call, answer) =>
    call.method === 'eth_getBalance'
      ? { error: { code: -32_000, message: 'missing trie node' } }
      : NO_TRACE(call, answer),
  );
  await check();
  expect(await listed()).toEqual([]);
  proxy.change(NO_TRACE);
  await check();
  expect(await listed()).toHaveLength(1);
});

it('an address that holds less than the books say raises an alarm', async () => {
  const to = await address();
  await anvil.wallet.sendTransaction({ to, value: parseEther('1'), gas: 21_000n });
  await mineAndScan(12);
  await check();
  expect(await alarms()).toEqual([]);
  await anvil.wallet.setBalance({ address: to, value: parseEther('0.4') });
  await mineAndScan(12);
  await check();
  await check();
  expect(await alarms()).toEqual([
    `The deposit address ${to.toLowerCase()} holds 0.6 ETH on Ethereum less than the books say`,
  ]);
  expect(formatAmount(parseAmount(await available()))).toBe('1');
});

describe('the payout address', () => {
  const SENDER = payoutAddress;
  const minedAndChecked = async (): Promise<void> => {
    await mineAndScan(12);
    await check();
  };

  /** Two ether are swept to the address, and half of one is paid out. */
  async function sweepAndPayOut(): Promise<void> {
    const to = await address();
    await anvil.wallet.sendTransaction({ to, value: parseEther('2'), gas: 21_000n });
    await mineAndScan(12);
    shop.context.clock.advance(600_000);
    await shop.sweep();
    await mineAndScan(12);
    await shop.sweep();
    const { id } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '0.5', currency: 'ETH', address: BUYER }],
    });
    await shop.work();
    await check();
    await minedAndChecked();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('complete');
  }

  it('holds what the books say, through sweeps and payouts', async () => {
    await sweepAndPayOut();
    await minedAndChecked();
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('raises an alarm when it holds less', async () => {
    await sweepAndPayOut();
    const held = await anvil.wallet.getBalance({ address: SENDER });
    await anvil.wallet.setBalance({ address: SENDER, value: held - parseEther('0.25') });
    await minedAndChecked();
    await check();
    // Another payout changes the balance, and the same money is missing.
    await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '0.1', currency: 'ETH', address: BUYER }],
    });
    await shop.work();
    await minedAndChecked();
    await shop.work();
    await minedAndChecked();
    expect(await alarms()).toEqual([
      `The payout address ${SENDER.toLowerCase()} holds 0.25 ETH on Ethereum less than the books say`,
    ]);
  });

  it('lists money that no transaction shows once, and its wallet gets it', async () => {
    await payInside(SENDER, '0.3');
    await minedAndChecked();
    await check();
    const found = await listed();
    expect(found).toMatchObject([{ amount: '0.3', currency: 'ETH' }]);
    await assign(found[0]!.id);
    await minedAndChecked();
    expect([await listed(), await alarms()]).toEqual([[], []]);
    expect(await available()).toBe('0.3');
  });

  it('holds more when the owner of a cold address sends money back, and a surplus is still listed', async () => {
    const cold: Address = '0x000000000000000000000000000000000000c01d';
    shop.context.config.sweepTo = { ethereum: cold };
    const to = await address();
    await anvil.wallet.sendTransaction({ to, value: parseEther('2'), gas: 21_000n });
    await mineAndScan(12);
    shop.context.clock.advance(600_000);
    await shop.sweep();
    await mineAndScan(12);
    await shop.sweep();
    await anvil.wallet.impersonateAccount({ address: cold });
    const back = { account: cold, to: SENDER, value: parseEther('1.5') };
    await anvil.wallet.sendTransaction(back);
    await minedAndChecked();
    await check();
    expect([await listed(), await alarms()]).toEqual([[], []]);
    await payInside(SENDER, '0.3');
    await minedAndChecked();
    await check();
    expect(await listed()).toMatchObject([
      { amount: '0.3', reason: expect.stringMatching(/dismiss it if it was swept to a cold/) },
    ]);
    await assign((await listed())[0]!.id);
    await minedAndChecked();
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });

  it('is not compared while a payout is on its way', async () => {
    await sweepAndPayOut();
    const { id } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '0.5', currency: 'ETH', address: BUYER }],
    });
    await shop.work();
    // It is final on the chain, and the books have not seen it yet.
    await anvil.wallet.mine({ blocks: 12 });
    await scanChain(shop.context, 'ethereum');
    await check();
    expect([await alarms(), (await shop.payout(id)).status]).toEqual([[], 'pending']);
    await shop.work();
    await minedAndChecked();
    expect([await alarms(), (await shop.payout(id)).status]).toEqual([[], 'complete']);
  });

  it('is not compared with books that are ahead of the last scan', async () => {
    const to = await address();
    await anvil.wallet.sendTransaction({ to, value: parseEther('2'), gas: 21_000n });
    await mineAndScan(12);
    shop.context.clock.advance(600_000);
    await shop.sweep();
    // The scan is behind, and the sweep is final.
    await anvil.wallet.mine({ blocks: 14 });
    await shop.sweep();
    expect(await shop.sweeps()).toMatchObject([{ status: 'complete' }]);
    await check();
    expect([await listed(), await alarms()]).toEqual([[], []]);
    await scanChain(shop.context, 'ethereum');
    await check();
    const { id } = await shop.payOut({
      kind: 'ETH',
      recipients: [{ amount: '0.5', currency: 'ETH', address: BUYER }],
    });
    await shop.work();
    await anvil.wallet.mine({ blocks: 14 });
    await shop.work();
    expect((await shop.payout(id)).status).toBe('complete');
    await check();
    expect([await listed(), await alarms()]).toEqual([[], []]);
    await minedAndChecked();
    expect([await listed(), await alarms()]).toEqual([[], []]);
  });
});
