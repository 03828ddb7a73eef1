import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { sql } from 'kysely';
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseEther } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy } from '../../../chains/test/support/anvil.ts';
import { startOpStack, type OpStack } from '../../../chains/test/support/op-stack.ts';
import { contracts, evmAt, payoutAddress } from '../../test/support/ethereum.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';
import { checkBalances } from '../balance-check/run.ts';
import { timestamp, transact } from '../database/database.ts';
import { post } from './post.ts';

const COIN = 'ETH-BASE';
const RECIPIENT: Address = '0x52908400098527886E0F7030069857D2E4169EE7';

let op: OpStack;
let token: Address;
let shop: SweepShop;
const deposits: Address[] = [];

beforeEach(async () => {
  deposits.length = 0;
  op = await startOpStack('--chain-id', '84532');
  token = await deploy(op.anvil, contracts['Token']!);
  shop = await sweepShop({ chains: ['base'] });
  const { adapter, sender } = await evmAt('base', op.proxy.url, { 'USDC-BASE': token });
  (shop.context.chains as Map<string, ChainAdapter>).set('base', adapter);
  (shop.context.senders as Map<string, ChainSender>).set('base', sender);
  await shop.settle();
  await shop.fund(COIN, '10');
  await op.anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('10') });
}, 60_000);
afterEach(async () => {
  await shop?.close();
  await op?.stop();
});

async function mine(blocks = 12): Promise<void> {
  await op.anvil.wallet.mine({ blocks });
  await followChain();
  await shop.settle();
}

/** Blocks of anvil are at least a second apart, so the chain has a time of its own. */
async function followChain(): Promise<void> {
  const { timestamp } = await op.anvil.wallet.getBlock();
  const { clock } = shop.context;
  clock.advance(Math.max(0, Number(timestamp) * 1000 - clock.now()));
}

/** Mines while the fee for data is a thousand times as high as planned. */
async function mineDear(): Promise<void> {
  await op.multiplyFee(1_000n);
  await op.anvil.wallet.mine({ blocks: 1 });
  await op.multiplyFee(1n);
  await mine(11);
}

const payOut = (amount = '1') =>
  shop.payOut({ kind: COIN, recipients: [{ amount, currency: 'ETH', address: RECIPIENT }] });

async function booked(): Promise<Amount> {
  const { rows } = await sql<{ sum: string; owed: string }>`
    select coalesce(sum(amount), 0)::text as sum, (select coalesce(sum(amount), 0)::text from owed_fee) as owed
    from balance where currency = ${COIN}`.execute(shop.context.db);
  return parseAmount(rows[0]!.sum) - parseAmount(rows[0]!.owed);
}

async function owed(): Promise<string[]> {
  const { rows } = await sql<{
    amount: string;
  }>`select amount::text as amount from owed_fee`.execute(shop.context.db);
  return rows.map(({ amount }) => formatAmount(parseAmount(amount)));
}

/** @param elsewhere of it, what is in no book of this test */
async function requireEqual(elsewhere: Amount = 0n): Promise<void> {
  const held = await Promise.all(
    [payoutAddress, ...deposits].map((address) => op.anvil.wallet.getBalance({ address })),
  );
  expect(await booked()).toBe(held.reduce((sum, wei) => sum + wei, 0n) - elsewhere);
}

async function alarmsOfBalances(): Promise<string[]> {
  await checkBalances(shop.context, new AbortController().signal);
  const { rows } = await sql<{ reason: string }>`select reason from alarm`.execute(shop.context.db);
  return rows.map(({ reason }) => reason);
}

describe('a network fee above what was held for it', () => {
  it('leaves what is available, and the books equal the chain', async () => {
    const { id } = await payOut();
    await shop.work();
    await mineDear();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('complete');
    const { rows } = await sql<{ fee: string; reserve: string }>`
      select fee::text as fee, fee_reserve::text as reserve from payout`.execute(shop.context.db);
    const fee = parseAmount(rows[0]!.fee);
    expect(fee).toBeGreaterThan(parseAmount(rows[0]!.reserve));
    const { available, reserved } = await shop.holdings(COIN);
    expect([available, reserved]).toEqual([formatAmount(parseAmount('9') - fee), '0']);
    expect(await owed()).toEqual([]);
    await requireEqual();
    expect(await alarmsOfBalances()).toEqual([]);
  });

  it('is owed while the wallet lacks it, and taken once from what comes next', async () => {
    const { id } = await payOut();
    await shop.work();
    const elsewhere = await emptyWallet();
    await mineDear();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('complete');
    const [debt] = await owed();
    expect(Number(debt)).toBeGreaterThan(0);
    await requireEqual(elsewhere);
    // A part of it comes, then more than the rest.
    const part = parseAmount(debt!) / 3n;
    await shop.fund(COIN, formatAmount(part));
    await shop.work();
    await shop.work();
    expect(await owed()).toEqual([formatAmount(parseAmount(debt!) - part)]);
    expect((await shop.holdings(COIN)).available).toBe('0');
    await shop.fund(COIN, '2');
    await shop.work();
    await shop.work();
    expect(await owed()).toEqual([]);
    expect((await shop.holdings(COIN)).available).toBe(
      formatAmount(parseAmount('2') + part - parseAmount(debt!)),
    );
  });

  it('is not owed any more when its block left the chain and another one pays', async () => {
    const { id } = await payOut('0.000001');
    await shop.work();
    const elsewhere = await emptyWallet();
    const snapshot = await op.anvil.wallet.snapshot();
    await op.anvil.wallet.setCode({ address: RECIPIENT, bytecode: '0x60006000fd' });
    await mineDear();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('failed');
    const [debt] = await owed();
    const fee = parseAmount((await shop.payout(id)).amount.network_fee);
    await requireEqual(elsewhere);
    await op.anvil.wallet.revert({ id: snapshot });
    await op.multiplyFee(1n);
    const { rows } = await sql<{ raw: Hex }>`select raw from outgoing_attempt`.execute(
      shop.context.db,
    );
    await op.anvil.wallet.sendRawTransaction({ serializedTransaction: rows[0]!.raw });
    shop.context.clock.advance(600_000);
    await mine();
    await shop.work();
    expect((await shop.payout(id)).status).toBe('complete');
    expect(await owed()).toEqual([]);
    const { rows: returned } = await sql<{ amount: string }>`
      select amount::text as amount from posting where reason = 'payout_network_fee_returned' and book = 'wallet'`.execute(
      shop.context.db,
    );
    expect(returned.map(({ amount }) => parseAmount(amount))).toEqual([fee - parseAmount(debt!)]);
    await requireEqual(elsewhere);
  });

  it('of a gas top-up is booked as well', async () => {
    const { address } = await shop.create({ kind: 'USDC-BASE', amount: undefined });
    deposits.push(address as Address);
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [address as Address, 500_000_000n],
    });
    await op.anvil.wallet.sendTransaction({ to: token, data, gas: 200_000n, chain: null });
    await mine();
    await op.anvil.wallet.increaseTime({ seconds: 600 });
    await mine(1);
    await shop.sweep();
    expect(await shop.sweeps()).toMatchObject([{ status: 'topping_up' }]);
    await mineDear();
    await shop.sweep();
    await mine();
    await shop.sweep();
    const [sweep] = await shop.sweeps();
    expect(sweep).toMatchObject({ status: 'complete' });
    expect(parseAmount(sweep!.top_up_fee!)).toBeGreaterThan(parseAmount(sweep!.top_up_fee_reserve));
    await requireEqual();
    expect(await alarmsOfBalances()).toEqual([]);
  });
});

/** The rest of the payout address is the money of others. */
async function emptyWallet(): Promise<Amount> {
  const { context, accountId } = shop;
  const amount = parseAmount((await shop.holdings(COIN)).available);
  const { wallet_id: walletId } = await context.db
    .selectFrom('profile_currency')
    .select('wallet_id')
    .where('kind', '=', COIN)
    .executeTakeFirstOrThrow();
  await transact(context.db, (trx) =>
    post(trx, {
      accountId,
      reason: 'test_funds',
      resourceId: context.ids.uuid(),
      at: timestamp(context.clock.now()),
      lines: [
        { book: 'wallet', walletId, bucket: 'available', currency: COIN, amount: -amount },
        { book: 'chain', currency: COIN, amount },
      ],
    }),
  );
  return amount;
}
