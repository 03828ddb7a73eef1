import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { isUuid } from '../http/id.ts';
import { quarantineTransaction, releaseTransaction } from '../risk/quarantine.ts';
import type { TransactionView } from '../transaction/store.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { showOne } from './table.ts';

const BY = 'command line';

export function addTransactions(program: Command, io: Io): void {
  const transactions = program.command('transactions').description('payments that came in');
  const change = (name: string, description: string, work: (context: Context, accountId: string, id: string) => Promise<TransactionView>) =>
    transactions
      .command(name)
      .description(description)
      .argument('<id>', "the transaction's id")
      .action((id: string, _: unknown, command: Command) =>
        withContext(io, async (context) => {
          const { status, txid, kind } = await work(context, await accountOfTransaction(context, id), id);
          showOne(io, command.optsWithGlobals(), { id, kind, txid, status });
        }),
      );
  change('quarantine', 'holds a payment: it is counted to nothing until it is released', (context, accountId, id) =>
    quarantineTransaction(context, accountId, id, BY),
  );
  change('release', 'releases a payment that is held', (context, accountId, id) => releaseTransaction(context, accountId, id, BY));
}

async function accountOfTransaction({ db }: Context, id: string): Promise<string> {
  const row = isUuid(id) ? await db.selectFrom('transaction').select('account_id').where('id', '=', id).executeTakeFirst() : undefined;
  if (!row) throw new UsageError(`There is no transaction with the id ${id}.`);
  return row.account_id;
}
