import type { Context } from '../../context.ts';
import type { Key } from '../../http/env.ts';
import { ServiceError } from '../../http/error.ts';
import { isUuid } from '../../http/id.ts';
import { requireIntegrator } from '../integrator.ts';
import { findKey, type KeyRow, type KeyScope } from './key-store.ts';

/** The keys that a caller can read. */
export function scopeOf({ accountId, isIntegratorKey }: Key): KeyScope {
  return { accountId, isIntegrator: isIntegratorKey };
}

/** @throws ServiceError `NotFound` for an unknown id and another account's alike */
export async function requireKey(
  { db }: Pick<Context, 'db'>,
  caller: Key,
  id: string,
): Promise<KeyRow> {
  const key = isUuid(id) ? await findKey(db, scopeOf(caller), id) : null;
  if (!key) throw noKey();
  return key;
}

/**
 * A key that the caller may change: one of a sub account. Keys of the account itself are managed on
 * the command line only, because a key that could change them could grant itself any permission
 * (our choice).
 * @throws ServiceError `PermissionDenied`, `NotFound`
 */
export async function requireChangeable(
  context: Pick<Context, 'db'>,
  caller: Key,
  id: string,
): Promise<KeyRow> {
  requireIntegrator(caller);
  const key = await requireKey(context, caller, id);
  if (key.account_id === caller.accountId)
    throw new ServiceError(
      'PermissionDenied',
      'Keys of the account itself are changed by its operator; this reaches those of sub accounts.',
    );
  return key;
}

export const noKey = (): ServiceError =>
  new ServiceError('NotFound', 'There is no API key with this id.');
