import type { Context } from '../../context.ts';
import type { Env } from '../../http/env.ts';
import { ServiceError } from '../../http/error.ts';
import type { Approver } from './decide.ts';

/** @throws ServiceError `PermissionDenied` for a key with a limit */
export async function approverOf(
  context: Context,
  { key, account }: Pick<Env['Variables'], 'key' | 'account'>,
): Promise<Approver> {
  if (key.maxPayout !== null || key.maxPayoutDaily !== null)
    throw new ServiceError(
      'PermissionDenied',
      'A key with a max_payout or max_payout_daily cannot approve, reject, bump or cancel payouts.',
    );
  return { accountId: account.id, username: await keyName(context, key.id), email: null };
}

async function keyName({ db }: Context, id: string): Promise<string> {
  const { name } = await db
    .selectFrom('api_key')
    .select('name')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return name;
}
