import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { TRANSACTION_STATUSES } from '@crypto-checkout/protocol/status';
import type { Command } from 'commander';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Db } from '../../database/database.ts';
import { isUuid } from '../../http/id.ts';
import { quarantineTransaction, releaseTransaction } from '../../risk/quarantine.ts';
import type { TransactionView } from '../../transaction/views.ts';
import { accountIdOf } from '../account-of.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { requireOneOf } from '../options.ts';
import { limitAndOffset, pageFrom, readPage } from '../page.ts';
import { showOne, showRows } from '../table.ts';

const BY = 'command line';

interface ListOptions {
  status: string;
  account?: string;
  page: string;
}

export function addTransactions(program: Command, io: Io): void {
  const transactions = program.command('transactions').description('incoming payments');
  transactions
    .command('list')
    .description('lists transactions, newest first, 25 a page')
    .option('--status <status>', `${TRANSACTION_STATUSES.join(', ')} or all`, 'quarantined')
    .option('--account <id>', 'default: every account')
    .option('--page <number>', 'from 1', '1')
    .action((options: ListOptions, command: Command) =>
      withContext(io, async (context) => {
        const accountId = await accountIdOf(context, options.account);
        const page = readPage(options.page);
        const status = requireOneOf('--status', [...TRANSACTION_STATUSES, 'all'], options.status);
        const found = await newestTransactions(context.db, {
          accountId,
          status,
          ...limitAndOffset(page),
        });
        const none =
          status === 'all'
            ? 'There are no transactions.'
            : `There are no ${status} transactions. List all with: --status all`;
        showRows(io, command.optsWithGlobals(), pageFrom(io, found, page).map(shown), none);
      }),
    );
  const change = (
    name: string,
    description: string,
    work: (context: Context, accountId: string, id: string) => Promise<TransactionView>,
  ) =>
    transactions
      .command(name)
      .description(description)
      .argument('<id>', "the transaction's id")
      .action((id: string, _: unknown, command: Command) =>
        withContext(io, async (context) => {
          const { status, txid, kind } = await work(
            context,
            await accountOfTransaction(context, id),
            id,
          );
          showOne(io, command.optsWithGlobals(), { id, kind, txid, status });
        }),
      );
  change(
    'quarantine',
    'quarantines a payment: it is not credited until it is released',
    (context, accountId, id) => quarantineTransaction(context, accountId, id, BY),
  );
  change('release', 'releases a quarantined payment', (context, accountId, id) =>
    releaseTransaction(context, accountId, id, BY),
  );
}

async function accountOfTransaction({ db }: Context, id: string): Promise<string> {
  const row = isUuid(id)
    ? await db
        .selectFrom('transaction')
        .select('account_id')
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (!row)
    throw new UsageError(
      `No transaction has the id ${id}. List them with: transactions list --status all`,
    );
  return row.account_id;
}

interface Found {
  id: string;
  status: string;
  kind: string;
  asset: string;
  amount: string;
  risk_level: string | null;
  created_at: string;
  invoice_id: string;
  txid: string;
}

/** The status is a literal, so that the partial index applies. */
async function newestTransactions(
  db: Db,
  {
    accountId,
    status,
    limit,
    offset,
  }: { accountId: string | null; status: string; limit: number; offset: number },
): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select id, status, kind, asset, amount::text as amount, risk_level, created_at, invoice_id, txid from transaction
    where ${status === 'all' ? sql`true` : sql`status = ${sql.lit(status)}`}
      and ${accountId === null ? sql`true` : sql`account_id = ${accountId}`}
    order by created_at desc, number desc limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

const shown = ({ id, status, kind, asset, amount, ...rest }: Found) => ({
  id,
  status,
  kind,
  amount: `${formatAmount(parseAmount(amount))} ${kindOf(asset)?.symbol ?? asset}`,
  ...rest,
});
