import type { Context } from '../context.ts';
import type { Account, Key } from '../http/env.ts';

/** The account of a request and the name of its API key, recorded as `created_by` and the like. */
export interface Caller {
  accountId: string;
  name: string;
}

export async function callerOf(
  { db }: Context,
  { account, key }: { account: Account; key: Key },
): Promise<Caller> {
  const { name } = await db
    .selectFrom('api_key')
    .select('name')
    .where('id', '=', key.id)
    .executeTakeFirstOrThrow();
  return { accountId: account.id, name };
}
