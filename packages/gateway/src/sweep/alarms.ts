import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { clearLapsed, raiseRecurring } from '../alarm/recurring.ts';
import type { Context } from '../context.ts';
import type { AlarmFunding } from '../database/tables/transaction.ts';

const WAITS = 'A sweep waits: ';
const NOT_SWEPT = 'Deposits are not swept: ';
/** In alarms about deposits, which are not looked at in each round. */
const CANNOT_START = " can't be swept, because ";

interface Round {
  context: Context;
  sender: { chain: ChainId };
  /** Alarms about open sweeps whose cause was met in this round. */
  met: Set<string>;
  /** Whether the cause of an open sweep could not be looked at in this round. */
  isUnseen: boolean;
}

/** Raised in each round while an open sweep waits for the same reason. */
export async function raiseSweepWaits(
  { context, sender, met }: Round,
  reason: string,
): Promise<void> {
  met.add(`${WAITS}${reason}`);
  await raiseRecurring(context, sender.chain, `${WAITS}${reason}`);
}

/** Raised while a deposit lacks what its sweep needs. */
export const raiseCannotStart = (
  context: Context,
  chain: ChainId,
  coin: string,
  why: string,
  funding: AlarmFunding | null,
): Promise<void> => raiseRecurring(context, chain, `${WAITS}${coin}${CANNOT_START}${why}`, funding);

/** Raised while deposits stay on their addresses. */
export const raiseNotSwept = (context: Context, chain: ChainId, reason: string): Promise<void> =>
  raiseRecurring(context, chain, `${NOT_SWEPT}${reason}`);

/**
 * After a round without an error: removes the alarms whose cause was not met again. A cause that
 * was not looked at leaves them to their lapse.
 */
export async function clearMetNoMore(round: Round): Promise<void> {
  if (!round.isUnseen) await deleteUnmet(round);
  await clearSweepAlarms(round.context, { on: round.sender.chain });
}

async function deleteUnmet({ context, sender: { chain }, met }: Round): Promise<void> {
  await sql`
    delete from alarm where chain = ${chain} and starts_with(reason, ${WAITS})
      and strpos(reason, ${CANNOT_START}) = 0 and reason <> all(${[...met]}::text[])`.execute(
    context.db,
  );
}

/** Removes alarms that lapsed: `on` a chain after a round that missed nothing. */
export const clearSweepAlarms = (
  context: Context,
  chains: Parameters<typeof clearLapsed>[1],
): Promise<void> => clearLapsed(context, chains, [WAITS, NOT_SWEPT]);
