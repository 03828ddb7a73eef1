import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';

const REASON =
  'The signer process does not answer on SIGNER_URL: payouts and sweeps wait until it does';
/** A signer that is restarted misses one look. */
const MISSES = 2;

/**
 * Raises an alarm when the signer process does not answer, and removes it when it does. Payments
 * need no signer, so the service stays ready.
 * @example repeat('signer', 5_000, watchSigner(context));
 */
export function watchSigner(context: Context): () => Promise<void> {
  const { db, log, signer } = context;
  let misses = 0;
  return async () => {
    if (signer.answers === undefined) return;
    if (await signer.answers()) {
      if (misses > 0) log.info({ event: 'signer_answers' }, 'the signer answers again');
      misses = 0;
      await sql`delete from alarm where reason = ${REASON}`.execute(db);
      return;
    }
    misses += 1;
    if (misses === 1) log.warn({ event: 'signer_unavailable' }, REASON);
    if (misses === MISSES) await raise(context);
  };
}

async function raise({ db, ids, clock }: Context): Promise<void> {
  await sql`
    insert into alarm (id, reason, raised_at)
    select ${ids.uuid()}, ${REASON}, ${timestamp(clock.now())}
    where not exists (select 1 from alarm where reason = ${REASON})`.execute(db);
}
