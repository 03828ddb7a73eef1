import type { Context } from '../context.ts';
import type { Db, Trx } from '../database/database.ts';

const known = new WeakMap<object, Map<string, string>>();

/**
 * The secret that signs an account's callbacks. It never changes while the process runs, so it is
 * read once.
 */
export async function callbackToken(
  { secrets }: Pick<Context, 'secrets'>,
  db: Db | Trx,
  accountId: string,
): Promise<string> {
  const tokens = known.get(secrets) ?? new Map<string, string>();
  known.set(secrets, tokens);
  const cached = tokens.get(accountId);
  if (cached !== undefined) return cached;
  const { callback_token_sealed: sealed } = await db
    .selectFrom('account')
    .select('callback_token_sealed')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const token = secrets.unseal(sealed, accountId);
  tokens.set(accountId, token);
  return token;
}
