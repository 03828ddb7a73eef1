import { type AccountRow, findAccount } from '../account/store.ts';
import { ensureFirstStart, findFirstStart } from '../account/first-start.ts';
import type { Context } from '../context.ts';
import { isUuid } from '../http/id.ts';
import { UsageError } from './io.ts';

/**
 * The account of a command: the named one, or the first start's. `option` is the option that names
 * it.
 */
export async function accountOf(
  context: Context,
  named: string | undefined,
  option = '--account',
): Promise<AccountRow> {
  if (named !== undefined && !isUuid(named))
    throw new UsageError(
      `${option} takes an account's id, not "${named}". List them with: accounts list`,
    );
  // The command line may run with other settings than the service, such as `CALLBACK_URL`: it only
  // reads here.
  const id =
    named ?? ((await findFirstStart(context)) ?? (await ensureFirstStart(context))).account_id;
  const account = await findAccount(context.db, id);
  if (!account) throw new UsageError(`No account has the id ${id}. List them with: accounts list`);
  return account;
}

/** The account whose rows are listed; `null`, without a name, is every account. */
export const accountIdOf = async (
  context: Context,
  named: string | undefined,
): Promise<string | null> => (named === undefined ? null : (await accountOf(context, named)).id);

/** A wallet by its id alone, of any account. */
export async function walletOf(
  { db }: Context,
  id: string,
): Promise<{ account_id: string; chain: string }> {
  const row = isUuid(id)
    ? await db
        .selectFrom('wallet')
        .select(['account_id', 'chain'])
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined;
  if (!row) throw new UsageError(`No wallet has the id ${id}. List them with: wallets list`);
  return row;
}
