import type { Context } from '../context.ts';
import type { Account, Key } from '../http/env.ts';

/** Who asks: the account, and the name of the key, which is shown as who did it. */
export interface Caller {
  accountId: string;
  name: string;
}

export async function callerOf({ db }: Context, { account, key }: { account: Account; key: Key }): Promise<Caller> {
  const { name } = await db.selectFrom('api_key').select('name').where('id', '=', key.id).executeTakeFirstOrThrow();
  return { accountId: account.id, name };
}
