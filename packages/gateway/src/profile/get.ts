import type { Db, Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { findProfile, type ProfileRow } from './store.ts';

/** @throws ServiceError `NotFound` for an id that is unknown, deleted or another account's */
export async function requireProfile(
  db: Db | Trx,
  accountId: string,
  id: string,
): Promise<ProfileRow> {
  const profile = isUuid(id) ? await findProfile(db, accountId, id) : null;
  if (!profile) throw new ServiceError('NotFound', 'There is no profile with this id.');
  return profile;
}
