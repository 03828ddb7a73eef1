import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { requireProfile } from './get.ts';
import { listProfiles, lockProfiles, markDeleted, type ProfileRow } from './store.ts';

/**
 * Deletes a profile, so that nothing new is created with it. Its invoices and payouts continue,
 * with their callbacks and notices. The last profile of an account stays, because without one
 * nothing can be received (our choice).
 * @returns the deleted profile
 * @throws ServiceError `NotFound`, also the second time; `InvalidState` for the last one
 */
export async function deleteProfile(
  context: Context,
  accountId: string,
  id: string,
): Promise<ProfileRow> {
  return transact(context.db, async (trx) => {
    // Otherwise two concurrent deletes would both find the other profile left.
    await lockProfiles(trx, accountId);
    const profile = await requireProfile(trx, accountId, id);
    if ((await listProfiles(trx, accountId)).length === 1)
      throw new ServiceError(
        'InvalidState',
        'The last profile of an account can not be deleted; create another one first.',
      );
    await markDeleted(trx, profile, timestamp(context.clock.now()));
    return profile;
  });
}
