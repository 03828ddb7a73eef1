import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { timestamp } from '../../database/database.ts';

const REASON =
  'The signer process does not answer on SIGNER_URL: payouts and sweeps wait until it does';
/** The alarm ends with the cause, which can change. */
const reasonWith = (problem: string): string => `${REASON} (${problem})`;
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
    if (signer.problem === undefined) return;
    const problem = await signer.problem();
    if (problem === null) {
      if (misses > 0) log.info({ event: 'signer_answers' }, 'the signer answers again');
      misses = 0;
      await sql`delete from alarm where starts_with(reason, ${REASON})`.execute(db);
      return;
    }
    misses += 1;
    if (misses === 1) log.warn({ event: 'signer_unavailable' }, reasonWith(problem));
    if (misses >= MISSES) await raise(context, reasonWith(problem));
  };
}

async function raise({ db, ids, clock }: Context, reason: string): Promise<void> {
  await sql`
    update alarm set reason = ${reason}
    where starts_with(reason, ${REASON}) and reason <> ${reason}`.execute(db);
  await sql`
    insert into alarm (id, reason, raised_at)
    select ${ids.uuid()}, ${reason}, ${timestamp(clock.now())}
    where not exists (select 1 from alarm where reason = ${reason})`.execute(db);
}
