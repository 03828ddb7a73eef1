import { parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testAccount, type TestAccount } from '../../test/support/call.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { transact } from '../database/database.ts';
import { collectOwedFees, postExcessFee } from './excess-fee.ts';
import { post } from './post.ts';
import { verifyBooks } from './verify.ts';

const AT = '2026-11-26T06:00:00.000000+00:00';
let context: TestContext;
let account: TestAccount;
let walletId: string;

beforeAll(async () => {
  context = await testContext();
  account = await testAccount(context);
  walletId = (await context.db.selectFrom('wallet').select('id').executeTakeFirstOrThrow()).id;
});
afterAll(() => context.close());

const owe = (resourceId: string, amount: string, currency = 'BTC', reason = 'test_fee') =>
  transact(context.db, (trx) =>
    postExcessFee(
      trx,
      {
        accountId: account.account_id,
        walletId,
        currency,
        resourceId,
        reason,
        amount: parseAmount(amount),
      },
      AT,
    ),
  );

const fund = (amount: string) =>
  transact(context.db, (trx) =>
    post(trx, {
      accountId: account.account_id,
      reason: 'test',
      resourceId: context.ids.uuid(),
      at: AT,
      lines: [
        {
          book: 'wallet',
          walletId,
          bucket: 'available',
          currency: 'BTC',
          amount: parseAmount(amount),
        },
        { book: 'chain', currency: 'BTC', amount: -parseAmount(amount) },
      ],
    }),
  );

async function owed(): Promise<string[]> {
  const { rows } = await sql<{ amount: string }>`
    select trim_scale(amount)::text as amount from owed_fee order by amount`.execute(context.db);
  return rows.map(({ amount }) => amount);
}

it('two fees of one resource that are owed add up, and are taken once', async () => {
  const [payout, other] = [context.ids.uuid(), context.ids.uuid()];
  await owe(payout, '3');
  await owe(payout, '4');
  await owe(other, '1');
  expect(await owed()).toEqual(['1', '7']);
  await expect(owe(payout, '1', 'LTC')).rejects.toThrow('owes another fee already');
  await fund('5');
  await collectOwedFees(context.db, AT);
  await fund('2');
  await collectOwedFees(context.db, AT);
  await fund('9');
  await collectOwedFees(context.db, AT);
  await collectOwedFees(context.db, AT);
  expect(await owed()).toEqual([]);
  const { rows } = await sql<{ amount: string }>`select trim_scale(amount)::text as amount
    from balance where wallet_id = ${walletId} and currency = 'BTC' and bucket = 'available'`.execute(
    context.db,
  );
  expect(rows).toEqual([{ amount: '8' }]);
  expect(await verifyBooks(context.db)).toEqual([]);
});

it('a fee for receiving that is owed breaks no rule of the books', async () => {
  await owe(context.ids.uuid(), '100', 'BTC', 'receiving_fee');
  expect(await owed()).toEqual(['92']);
  expect(await verifyBooks(context.db)).toEqual([]);
  await fund('100');
  await collectOwedFees(context.db, AT);
  expect(await owed()).toEqual([]);
  expect(await verifyBooks(context.db)).toEqual([]);
});
