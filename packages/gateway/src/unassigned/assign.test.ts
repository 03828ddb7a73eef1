import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../account/create.ts';
import { sweepShop, type SweepShop } from '../../test/support/sweeps.ts';
import { renderMetrics } from '../http/monitoring/metrics.ts';
import { presentWallet } from '../wallet/present.ts';
import { listWallets } from '../wallet/store.ts';
import { verifyBooks } from '../ledger/verify.ts';
import { assignMoney, dismissMoney } from './assign.ts';
import { listUnassigned } from './store.ts';

let shop: SweepShop;
let other: string;
beforeAll(async () => {
  shop = await sweepShop({ chains: ['xrp', 'ethereum', 'liquid'] });
  other = (await createAccount(shop.context, {}, { name: 'Second shop' })).id;
});
afterAll(() => shop.close());

const by = 'ada';
const UNKNOWN = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';

/** Creates unassigned funds: a payment without a tag. */
async function lost(amount: string): Promise<string> {
  const { id } = await shop.create({ kind: 'XRP' });
  const txid = await shop.pay(id, { amount, tag: null });
  await shop.mine('XRP');
  return (await listUnassigned(shop.context.db, { settled: false, limit: 100 })).find(
    (one) => one.txid === txid,
  )!.id;
}

/** Creates unassigned funds: an unexplained increase of a deposit address's balance. */
async function grown(address: string, amount: string, key: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, seen_at)
    values ('ethereum', ${key}, null, 'ETH', ${address}, ${amount}, 'balance grew', '2026-11-21T06:00:00Z') returning id`.execute(
    shop.context.db,
  );
  return rows[0]!.id;
}

async function available(accountId: string, currency: string): Promise<string> {
  const rows = await sql<{ amount: string }>`
    select amount from balance where account_id = ${accountId} and currency = ${currency} and bucket = 'available'`.execute(
    shop.context.db,
  );
  return formatAmount(parseAmount(rows.rows[0]?.amount ?? '0'));
}

const postings = async (): Promise<number> =>
  (await shop.context.db.selectFrom('posting').select('entry_id').execute()).length;
const sound = async (): Promise<void> => expect(await verifyBooks(shop.context.db)).toEqual([]);
const open = async (): Promise<string[]> =>
  (await listUnassigned(shop.context.db, { settled: false, limit: 100 })).map(({ id }) => id);

describe('unassigned funds', () => {
  it('are assigned to a wallet once, in full, with operator and reason', async () => {
    const id = await lost('7.25');
    const before = await postings();
    const assigned = await assignMoney(shop.context, {
      id,
      accountId: shop.accountId,
      reason: ' The buyer wrote to us ',
      by,
    });
    expect(assigned).toMatchObject({
      id,
      account_id: shop.accountId,
      amount: '7.25',
      currency: 'XRP',
      settled_by: by,
      settled_reason: 'The buyer wrote to us',
    });
    expect(await available(shop.accountId, 'XRP')).toBe('7.25');
    expect(await postings()).toBe(before + 2);
    expect(await open()).not.toContain(id);
    const [settled] = await listUnassigned(shop.context.db, { settled: true, limit: 1 });
    expect(settled).toMatchObject({ id, settled_by: by, settled_reason: 'The buyer wrote to us' });
    // Repeating it, also by another operator, changes nothing; another account is rejected.
    const again = await assignMoney(shop.context, {
      id,
      accountId: shop.accountId,
      reason: 'Once more',
      by: 'bob',
    });
    expect(again).toEqual(assigned);
    await expect(
      assignMoney(shop.context, { id, accountId: other, reason: 'Mine', by }),
    ).rejects.toMatchObject({ reason: 'InvalidState' });
    expect(await postings()).toBe(before + 2);
    expect(await available(other, 'XRP')).toBe('0');
    await sound();
  });

  it('are settled once under concurrency', async () => {
    const id = await lost('3');
    const before = await available(shop.accountId, 'XRP');
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) =>
        assignMoney(shop.context, {
          id,
          accountId: at % 2 ? shop.accountId : other,
          reason: 'At once',
          by,
        }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
    const ours = parseAmount(await available(shop.accountId, 'XRP')) - parseAmount(before);
    const theirs = parseAmount(await available(other, 'XRP'));
    expect(formatAmount(ours + theirs)).toBe('3');
    await sound();
  });

  it('on a deposit address belong to its account, are swept and can be paid out', async () => {
    const invoice = await shop.create({ kind: 'ETH', amount: undefined });
    const id = await grown(invoice.address!.toLowerCase(), '0.5', 'block:address:delta');
    await expect(
      assignMoney(shop.context, { id, accountId: other, reason: 'Theirs', by }),
    ).rejects.toMatchObject({
      reason: 'ValidationError',
      message: expect.stringContaining(shop.accountId),
    });
    await assignMoney(shop.context, {
      id,
      accountId: shop.accountId,
      reason: 'A contract forwarded it',
      by,
    });
    const wallet = async () => {
      const rows = await listWallets(shop.context.db, shop.accountId, null);
      return presentWallet(rows.find(({ chain }) => chain === 'ethereum')!).balances;
    };
    expect(await wallet()).toMatchObject({ available: '0.5', to_consolidate: '0.5' });
    await sound();
    await shop.advance(60 * 60);
    await shop.sweep();
    expect(await shop.sweeps()).toMatchObject([{ asset: 'ETH', invoice_id: invoice.id }]);
    await sound();
  });

  it('are matched by watch key', async () => {
    const invoice = await shop.create({ kind: 'L-BTC', amount: undefined });
    const { rows } = await sql<{ watch_key: string }>`
      select watch_key from deposit_target where invoice_id = ${invoice.id}`.execute(
      shop.context.db,
    );
    const { rows: noted } = await sql<{ id: string }>`
      insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, seen_at)
      values ('liquid', 'block:0', 'block', 'L-BTC', ${rows[0]!.watch_key}, '0.5', 'came late', '2026-11-21T06:00:00Z') returning id`.execute(
      shop.context.db,
    );
    const { id } = noted[0]!;
    await expect(
      assignMoney(shop.context, { id, accountId: other, reason: 'Theirs', by }),
    ).rejects.toMatchObject({
      reason: 'ValidationError',
      message: expect.stringContaining(shop.accountId),
    });
    await assignMoney(shop.context, { id, accountId: shop.accountId, reason: 'Its own', by });
    expect(await available(shop.accountId, 'L-BTC')).toBe('0.5');
    await sound();
  });

  it('cannot be assigned if no key can move them', async () => {
    const id = await grown('0x00000000000000000000000000000000000000aa', '1', 'nobody:delta');
    await expect(
      assignMoney(shop.context, { id, accountId: shop.accountId, reason: 'x', by }),
    ).rejects.toMatchObject({
      reason: 'InvalidState',
    });
    expect(await open()).toContain(id);
    // It can be dismissed, e.g. after a manual refund.
    const dismissed = await dismissMoney(shop.context, { id, reason: 'Not ours', by });
    expect(dismissed).toMatchObject({ id, account_id: null, settled_reason: 'Not ours' });
    expect(await dismissMoney(shop.context, { id, reason: 'Again', by })).toEqual(dismissed);
    expect(await open()).not.toContain(id);
    await expect(
      assignMoney(shop.context, { id, accountId: shop.accountId, reason: 'x', by }),
    ).rejects.toMatchObject({
      reason: 'InvalidState',
    });
    await sound();
  });

  it('exclude payouts to external addresses', async () => {
    const { context, accountId } = shop;
    await shop.fund('XRP', '100');
    const address = 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY';
    const before = await open();
    const recipients = [{ amount: '10', currency: 'XRP', address, destination_tag: 7 }];
    const { id: payoutId } = await shop.payOut({ kind: 'XRP', recipients });
    await shop.work();
    await shop.mine('XRP');
    const { txid } = await shop.payout(payoutId);
    expect(await shop.sent(address)).toMatchObject([{ txid, state: 'block', amount: '10' }]);
    expect(await open()).toEqual(before);
    // If it is listed anyway, verifyBooks reports it and no account is credited.
    const { rows } = await sql<{ id: string }>`
      insert into unassigned (chain, observation_key, txid, asset, address, amount, reason, seen_at)
      values ('xrp', ${`${txid}:0`}, ${txid}, 'XRP', ${address}, '10', 'destination tag 7 is of no invoice', '2026-11-21T06:00:00Z')
      returning id`.execute(context.db);
    const id = rows[0]!.id;
    const credited = await available(accountId, 'XRP');
    await expect(assignMoney(context, { id, accountId, reason: 'x', by })).rejects.toMatchObject({
      reason: 'InvalidState',
    });
    expect(await available(accountId, 'XRP')).toBe(credited);
    expect((await verifyBooks(context.db)).map(({ rule, row }) => [rule, row])).toMatchObject([
      ['unassigned_came_to_us', { id, txid }],
    ]);
    await dismissMoney(context, { id, reason: 'It was a payout', by });
    await sound();
  });

  it('include payouts to our own address with an unknown tag', async () => {
    const { context, accountId } = shop;
    const [address] = (await shop.create({ kind: 'XRP' })).address!.split(':');
    const recipients = [{ amount: '4', currency: 'XRP', address, destination_tag: 4294967295 }];
    const { id: payoutId } = await shop.payOut({ kind: 'XRP', recipients });
    await shop.work();
    await shop.mine('XRP');
    const { txid } = await shop.payout(payoutId);
    const { id } = (await listUnassigned(context.db, { settled: false, limit: 100 })).find(
      (one) => one.txid === txid,
    )!;
    await sound();
    await assignMoney(context, { id, accountId, reason: 'Our own', by });
    await sound();
  });

  it('cannot be assigned after a transaction was credited', async () => {
    const invoice = await shop.create({ kind: 'XRP' });
    await shop.pay(invoice.id);
    const id = await lost('2');
    const { db } = shop.context;
    const key = await sql<{
      observation_key: string;
    }>`select observation_key from transaction where invoice_id = ${invoice.id}`.execute(db);
    const own = await sql<{
      observation_key: string;
    }>`select observation_key from unassigned where id = ${id}`.execute(db);
    await sql`update unassigned set observation_key = ${key.rows[0]!.observation_key} where id = ${id}`.execute(
      db,
    );
    await expect(
      assignMoney(shop.context, { id, accountId: shop.accountId, reason: 'x', by }),
    ).rejects.toMatchObject({
      reason: 'InvalidState',
    });
    await sql`update unassigned set observation_key = ${own.rows[0]!.observation_key} where id = ${id}`.execute(
      db,
    );
  });

  it.each([[''], ['   '], ['x'.repeat(501)], ['a\0b']])(
    'require a valid reason, not %j',
    async (reason) => {
      const id = await lost('1');
      for (const settle of [assignMoney, dismissMoney])
        await expect(
          settle(shop.context, { id, accountId: shop.accountId, reason, by }),
        ).rejects.toMatchObject({
          reason: 'ValidationError',
        });
      expect(await open()).toContain(id);
    },
  );

  it.each([[UNKNOWN], ['x'], ['']])('answer NotFound for the id %j', async (id) => {
    for (const settle of [assignMoney, dismissMoney])
      await expect(
        settle(shop.context, { id, accountId: shop.accountId, reason: 'x', by }),
      ).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('are counted by the metrics until settled', async () => {
    const count = async (): Promise<number> =>
      Number(/unassigned_payments (\d+)/.exec(await renderMetrics(shop.context))?.[1]);
    const before = await count();
    const id = await lost('1');
    expect(await count()).toBe(before + 1);
    await assignMoney(shop.context, { id, accountId: shop.accountId, reason: 'x', by });
    expect(await count()).toBe(before);
  });

  it('settled without a posting, or posted without a settlement, are found by verifyBooks', async () => {
    const broken = async (damage: string): Promise<string[]> => {
      const undo = new Error('undo');
      let found: string[] = [];
      await shop.context.db
        .transaction()
        .execute(async (trx) => {
          await sql.raw(damage).execute(trx);
          found = [...new Set((await verifyBooks(trx)).map(({ rule }) => rule))];
          throw undo;
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error;
        });
      return found;
    };
    expect(
      await broken("update unassigned set wallet_id = null, account_id = null where chain = 'xrp'"),
    ).toEqual(['assigned_is_posted']);
    expect(
      await broken(
        'update unassigned set amount = amount + 1 where wallet_id is not null and invoice_id is null',
      ),
    ).toEqual(['assigned_is_posted']);
  });
});
