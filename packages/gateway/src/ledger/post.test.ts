import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transact } from '../database/database.ts';
import { testAccount, type TestAccount } from '../../test/support/call.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { LedgerError, type Line, post } from './post.ts';
import { verifyBooks } from './verify.ts';

const AT = '2026-11-21T06:00:00.000000+00:00';
let context: TestContext;
let account: TestAccount;
let walletId: string;
let otherId: string;

beforeAll(async () => {
  context = await testContext();
  account = await testAccount(context);
  const wallets = await context.db.selectFrom('wallet').select('id').orderBy('id').execute();
  [walletId, otherId] = wallets.map(({ id }) => id) as [string, string];
});
afterAll(() => context.close());

const entry = (lines: Line[]) =>
  transact(context.db, (trx) =>
    post(trx, {
      accountId: account.account_id,
      reason: 'test',
      resourceId: context.ids.uuid(),
      at: AT,
      lines,
    }),
  );

const wallet = (
  amount: string,
  bucket: 'pending' | 'available' | 'frozen' = 'available',
  currency = 'BTC',
  id = walletId,
): Line => ({
  book: 'wallet',
  walletId: id,
  bucket,
  currency,
  amount: amount.startsWith('-') ? -parseAmount(amount.slice(1)) : parseAmount(amount),
});
const chain = (amount: string, currency = 'BTC'): Line => ({
  book: 'chain',
  currency,
  amount: amount.startsWith('-') ? -parseAmount(amount.slice(1)) : parseAmount(amount),
});

const balance = async (bucket: string, currency = 'BTC', id = walletId): Promise<string | null> => {
  const { rows } = await sql<{ amount: string }>`
    select trim_scale(amount)::text as amount from balance
    where wallet_id = ${id} and bucket = ${bucket} and currency = ${currency}`.execute(context.db);
  return rows[0]?.amount ?? null;
};

async function auditLedger(): Promise<void> {
  expect(await verifyBooks(context.db)).toEqual([]);
}

describe('post', () => {
  it('moves money from the chain into a bucket and on to another', async () => {
    await entry([wallet('1.5', 'pending', 'LTC'), chain('-1.5', 'LTC')]);
    await entry([wallet('-1.5', 'pending', 'LTC'), wallet('1.5', 'available', 'LTC')]);
    expect([await balance('pending', 'LTC'), await balance('available', 'LTC')]).toEqual([
      '0',
      '1.5',
    ]);
    await auditLedger();
  });

  it('keeps 18 decimals', async () => {
    await entry([
      wallet('123456789012345678.123456789012345678', 'available', 'ETH'),
      chain('-123456789012345678.123456789012345678', 'ETH'),
    ]);
    await entry([
      wallet('0.000000000000000001', 'available', 'ETH'),
      chain('-0.000000000000000001', 'ETH'),
    ]);
    expect(await balance('available', 'ETH')).toBe('123456789012345678.123456789012345679');
  });

  it('rejects an entry that does not sum to zero per currency', async () => {
    await expect(entry([wallet('1'), chain('-2')])).rejects.toThrow(LedgerError);
    await expect(entry([wallet('1'), chain('-1', 'ETH')])).rejects.toThrow(LedgerError);
    await expect(entry([wallet('1')])).rejects.toThrow(LedgerError);
    await auditLedger();
  });

  it('rejects an entry that would overdraw a balance, and writes nothing', async () => {
    await entry([wallet('1', 'available', 'DOGE'), chain('-1', 'DOGE')]);
    await expect(
      entry([wallet('5', 'pending', 'DOGE'), wallet('-5', 'available', 'DOGE')]),
    ).rejects.toThrow('is less than 5');
    await expect(entry([wallet('-1', 'pending', 'XRP'), chain('1', 'XRP')])).rejects.toThrow(
      LedgerError,
    );
    expect([await balance('available', 'DOGE'), await balance('pending', 'DOGE')]).toEqual([
      '1',
      null,
    ]);
    await auditLedger();
  });

  it('ignores an entry without an amount', async () => {
    const count = async () =>
      (await context.db.selectFrom('posting').select('entry_id').execute()).length;
    const before = await count();
    await entry([wallet('0'), chain('0')]);
    expect(await count()).toBe(before);
  });

  it('accepts two lines on one balance', async () => {
    await entry([
      wallet('3', 'available', 'TON'),
      wallet('-1', 'available', 'TON'),
      chain('-2', 'TON'),
    ]);
    expect(await balance('available', 'TON')).toBe('2');
    await auditLedger();
  });
});

describe('50 concurrent entries', () => {
  it('debit 10 times 10 from 100 and no more', async () => {
    await entry([wallet('100'), chain('-100')]);
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => entry([wallet('-10'), chain('10')])),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(LedgerError);
    expect(await balance('available')).toBe('0');
    await auditLedger();
  });

  it('between two wallets in both directions lose nothing and do not deadlock', async () => {
    await entry([
      wallet('50', 'available', 'SOL'),
      wallet('50', 'available', 'SOL', otherId),
      chain('-100', 'SOL'),
    ]);
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, turn) => {
        const [from, to] = turn % 2 ? [walletId, otherId] : [otherId, walletId];
        return entry([wallet('-1', 'available', 'SOL', from), wallet('1', 'available', 'SOL', to)]);
      }),
    );
    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(
      Number(await balance('available', 'SOL')) +
        Number(await balance('available', 'SOL', otherId)),
    ).toBe(100);
    await auditLedger();
  });
});
