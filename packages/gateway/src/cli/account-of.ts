import { type AccountRow, findAccount } from '../account/store.ts';
import { ensureFirstStart, findFirstStart } from '../account/first-start.ts';
import type { Context } from '../context.ts';
import { isUuid } from '../http/id.ts';
import { UsageError } from './io.ts';

/** The account that a command is about: the one that is named, or the one that the first start made; `option` is where it was named. */
export async function accountOf(context: Context, named: string | undefined, option = '--account'): Promise<AccountRow> {
  if (named !== undefined && !isUuid(named))
    throw new UsageError(`${option} takes an account's id, not "${named}"; accounts list shows them.`);
  // The command line may have other settings than the service, as `CALLBACK_URL`: what is there is only read.
  const id = named ?? ((await findFirstStart(context)) ?? (await ensureFirstStart(context))).account_id;
  const account = await findAccount(context.db, id);
  if (!account) throw new UsageError(`There is no account ${id}; accounts list shows them.`);
  return account;
}

/** The account whose rows are listed; `null`, where none is named, is every account. */
export const accountIdOf = async (context: Context, named: string | undefined): Promise<string | null> =>
  named === undefined ? null : (await accountOf(context, named)).id;

/** A wallet that is named by its id alone, whoever's it is. */
export async function walletOf({ db }: Context, id: string): Promise<{ account_id: string; chain: string }> {
  const row = isUuid(id)
    ? await db.selectFrom('wallet').select(['account_id', 'chain']).where('id', '=', id).executeTakeFirst()
    : undefined;
  if (!row) throw new UsageError(`There is no wallet with the id ${id}; wallets list shows them.`);
  return row;
}
