import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { requireProfile } from './get.ts';
import { listProfiles, lockProfiles, markDeleted, type ProfileRow } from './store.ts';

/**
 * Deletes a profile (§4.5): nothing new is made with it. Its invoices and payouts stay and go on, their callbacks and notices
 * included. The last profile of an account stays, because without one nothing can be received (a choice).
 * @returns what was deleted
 * @throws ServiceError `NotFound`, also the second time; `InvalidState` for the last one
 */
export async function deleteProfile(context: Context, accountId: string, id: string): Promise<ProfileRow> {
  return transact(context.db, async (trx) => {
    // Two that are deleted at once would otherwise both find the other one left.
    await lockProfiles(trx, accountId);
    const profile = await requireProfile(trx, accountId, id);
    if ((await listProfiles(trx, accountId)).length === 1)
      throw new ServiceError('InvalidState', 'The last profile of an account can not be deleted; create another one first.');
    await markDeleted(trx, profile, timestamp(context.clock.now()));
    return profile;
  });
}
