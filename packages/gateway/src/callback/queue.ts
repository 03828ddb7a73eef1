import { timestamp, type Trx } from '../database/database.ts';

export interface QueuedCallback {
  accountId: string;
  profileId: string;
  resource: 'invoice' | 'transaction' | 'payout';
  resourceId: string;
  /** As `invoice_pending`. */
  event: string;
  /** Makes the exact bytes that are sent, now and on every retry. */
  body: (callbackId: string) => string | Promise<string>;
  /** Real time, milliseconds since the epoch: it is due at once. */
  at: number;
}

/**
 * Records a callback in the transaction of the change that it reports. A resource tells each event once: the same again
 * changes nothing, and without a callback address on the profile nothing is queued.
 * @returns the callback's id, or null when there was nothing to queue
 */
export async function queueCallback(trx: Trx, callback: QueuedCallback): Promise<string | null> {
  const { accountId, profileId, resource, resourceId, event } = callback;
  const profile = await trx
    .selectFrom('profile')
    .select('callback_url')
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .executeTakeFirst();
  if (!profile?.callback_url) return null;
  const id = crypto.randomUUID();
  const inserted = await trx
    .insertInto('callback')
    .values({
      account_id: accountId,
      id,
      resource,
      resource_id: resourceId,
      event,
      profile_id: profileId,
      url: profile.callback_url,
      body: await callback.body(id),
      next_at_real: timestamp(callback.at),
      created_at_real: timestamp(callback.at),
    })
    .onConflict((conflict) => conflict.columns(['resource_id', 'event']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted?.id ?? null;
}
