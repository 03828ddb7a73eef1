import type { ChainId } from '@crypto-checkout/protocol/kind';
import { isSignedPlan } from '@crypto-checkout/chains/evm/send/sign';
import { isSignedBitcoinPlan } from '@crypto-checkout/chains/bitcoin/sign';
import type { SendPlan, SignedTransaction } from '@crypto-checkout/chains/sender';
import type { Purpose } from '@crypto-checkout/chains/signer';
import { sql } from 'kysely';
import { transact, type Db } from '../../database/database.ts';
import { ServiceError } from '../../http/error.ts';
import { findOutgoing, isSigned, saveSigned } from './outgoing-store.ts';

/** A transaction that waits for its signature, as the offline signer reads it. */
export interface UnsignedTransaction {
  /** Id of the payout, sweep or top-up. */
  id: string;
  purpose: Purpose;
  chain: ChainId;
  plan: SendPlan;
  /** Index of our own receiving key, where the recipient is a deposit address. */
  recipientIndex: number | null;
}

/** The newest plan of each transaction that is not signed yet, oldest first. */
export async function listUnsigned(db: Db): Promise<UnsignedTransaction[]> {
  const { rows } = await sql<UnsignedTransaction>`
    select o.id, o.purpose, o.chain, t.plan, s.key_index as "recipientIndex"
    from outgoing o
    join lateral (select plan, raw from outgoing_attempt where outgoing_id = o.id order by number desc limit 1) t on true
    left join sweep s on s.top_up_id::text = o.id::text
    where o.open and t.raw is null order by o.created_at_real, o.id`.execute(db);
  return rows;
}

/**
 * Stores a signature that was made elsewhere; the worker broadcasts the transaction. Storing it
 * again changes nothing.
 * @throws ServiceError `NotFound` for an unknown id; `ValidationError` when it signs anything but a
 * plan of this id
 */
export async function saveSignature(
  db: Db,
  id: string,
  signed: SignedTransaction,
): Promise<'stored' | 'known'> {
  const outgoing = await findOutgoing(db, id);
  if (outgoing === null)
    throw new ServiceError('NotFound', `No transaction ${id} waits for a signature.`);
  const attempt = outgoing.attempts.find(
    ({ plan }) =>
      (plan.family === 'evm' && isSignedPlan(plan, signed)) ||
      (plan.family === 'bitcoin' && isSignedBitcoinPlan(plan, signed)),
  );
  if (attempt === undefined)
    throw new ServiceError(
      'ValidationError',
      `The signed transaction of ${id} is not the plan that was exported.`,
    );
  if (isSigned(attempt)) return 'known';
  await saveSigned(db, id, attempt.number, signed);
  return 'stored';
}

/**
 * Forgets a plan that was never signed; it is planned anew, unless it is rejected first.
 * @throws ServiceError `NotFound` for an unknown id; `InvalidState` when a signature is stored
 */
export async function discardUnsigned(db: Db, id: string): Promise<void> {
  await transact(db, async (trx) => {
    const { rows } = await sql<{ signed: boolean }>`
      select exists (select from outgoing_attempt where outgoing_id = o.id and raw is not null) as signed
      from outgoing o where o.id::text = ${id} for update`.execute(trx);
    const [found] = rows;
    if (found === undefined)
      throw new ServiceError('NotFound', `No transaction ${id} waits for a signature.`);
    if (found.signed)
      throw new ServiceError('InvalidState', `The transaction ${id} is signed and will be sent.`);
    await sql`delete from outgoing_attempt where outgoing_id::text = ${id}`.execute(trx);
    await sql`delete from outgoing where id::text = ${id}`.execute(trx);
    await sql`delete from outgoing_input where outgoing_id::text = ${id}`.execute(trx);
  });
}
