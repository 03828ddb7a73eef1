import { sql } from 'kysely';
import type { ChainSender, FeePreset, Replacement } from '@crypto-checkout/chains/sender';
import type { Db, Trx } from '../../database/database.ts';
import { isSpentFurther, takenInputs } from '../coin-store.ts';
import { findOutgoing, newestAttempt, saveAttempt, type Attempt } from './outgoing-store.ts';

/** A transaction that was sent, waits for its block and can be replaced. */
export interface Replaceable {
  /** Of the transaction. */
  id: string;
  sender: ChainSender & Required<Pick<ChainSender, 'replace'>>;
  attempts: readonly Attempt[];
  newest: Attempt;
  /** Outputs that stored plans of the chain spend. */
  taken: readonly string[];
}

export type ReplaceIntent = 'bump' | 'cancel';

/**
 * @returns null if it was not sent, is in a block, is final once it is sent, or if a later
 * transaction spends its change
 */
export async function findReplaceable(
  db: Db,
  sender: ChainSender,
  id: string,
): Promise<Replaceable | null> {
  const { replace } = sender;
  const outgoing = await findOutgoing(db, id);
  if (replace === undefined || outgoing === null || outgoing.tries === 0 || !outgoing.open)
    return null;
  const { attempts, chain } = outgoing;
  if (await isSpentFurther(db, txidsOf(attempts))) return null;
  const taken = await takenInputs(db, chain);
  return {
    id: outgoing.id,
    sender: { ...sender, replace },
    attempts,
    newest: newestAttempt(outgoing),
    taken,
  };
}

const txidsOf = (attempts: readonly Attempt[]): string[] =>
  attempts.flatMap(({ txid }) => txid ?? []);

/** A cancelling transaction is never replaced by one that pays. */
const intentAfter = ({ newest }: Replaceable, intent: ReplaceIntent): ReplaceIntent =>
  newest.intent === 'cancel' ? 'cancel' : intent;

export const planReplacement = (
  waiting: Replaceable,
  intent: ReplaceIntent,
  preset: FeePreset = 'high',
): Promise<Replacement> =>
  waiting.sender.replace({
    preset,
    plans: waiting.attempts.map(({ plan }) => plan),
    intent: intentAfter(waiting, intent),
    taken: waiting.taken,
  });

/**
 * Stores the plan as the newest attempt; the next round signs and broadcasts it.
 * @returns false if the transaction is in a block, or was replaced, meanwhile
 */
export async function saveReplacement(
  trx: Trx,
  waiting: Replaceable,
  intent: ReplaceIntent,
  { plan, inputs }: Pick<Replacement, 'plan' | 'inputs'>,
): Promise<boolean> {
  const { id, newest } = waiting;
  // A plan that spends the change of this transaction locks it too.
  await sql`select from outgoing where id = ${id} for update`.execute(trx);
  const outgoing = await findOutgoing(trx, id);
  if (!outgoing?.open || (await isSpentFurther(trx, txidsOf(outgoing.attempts)))) return false;
  if (newestAttempt(outgoing).number !== newest.number) return false;
  const number = newest.number + 1;
  return saveAttempt(trx, id, { number, intent: intentAfter(waiting, intent), plan, inputs });
}

/** Milliseconds since an attempt was planned. */
export const ageOf = ({ created_at_real: at }: Attempt, realNow: number): number =>
  realNow - Date.parse(at);
