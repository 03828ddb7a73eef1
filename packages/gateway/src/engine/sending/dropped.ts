import {
  createRefusalPauses,
  type RefusalPauses,
} from '@crypto-checkout/chains/rpc/refusal-pauses';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Db } from '../../database/database.ts';
import { findAttempt, findOutgoing, isSigned, type Outgoing } from './outgoing-store.ts';

/** Transactions that one look sends again; a lane has no more of them in flight either. */
const LIMIT = 16;
const pauses = new WeakMap<Context, RefusalPauses>();

/**
 * Sends the bytes of ended transactions again that a reorganisation deeper than final has dropped.
 * Their numbers are a gap, and everything behind a gap waits. The same bytes are never paid twice.
 * @param missingFrom the first number that the node lacks
 */
export async function sendDropped(
  context: Context,
  sender: ChainSender,
  lane: string | null,
  missingFrom: number,
): Promise<void> {
  const isMissing = sql<boolean>`o.lane = ${lane} and o.nonce >= ${missingFrom}`;
  for (const ended of await findEnded(context.db, sender.chain, isMissing))
    if (!(await repeat(context, sender, ended))) return;
}

/** The same, of the blocks above this height, which have left the chain. */
export async function sendDroppedAbove(
  context: Context,
  sender: ChainSender,
  height: number,
): Promise<void> {
  const isAbove = sql<boolean>`o.nonce is not null
    and greatest(p.block_height, s.block_height, g.top_up_height) > ${height}`;
  for (const ended of await findEnded(context.db, sender.chain, isAbove))
    await repeat(context, sender, ended);
}

/** @returns whether the network has taken it again */
async function repeat(context: Context, sender: ChainSender, ended: Ended): Promise<boolean> {
  const { db, clock, log } = context;
  const { chain } = sender;
  const outgoing = await findOutgoing(db, ended.id);
  const attempt = outgoing === null ? undefined : attemptToRepeat(outgoing, ended);
  if (outgoing === null || attempt === undefined) return false;
  if (!(await isUnseen(db, sender, outgoing))) return false;
  const known = pauses.get(context) ?? createRefusalPauses(() => clock.real());
  pauses.set(context, known);
  const response = await known.broadcast({ id: ended.id, attempt: attempt.number }, () =>
    sender.broadcast(attempt.raw, { mayBeSent: true }),
  );
  if (response.result !== 'ok') return false;
  log.warn(
    { event: 'dropped_transaction_sent', chain, outgoing_id: ended.id, txid: attempt.txid },
    'a transaction that its chain had and dropped was sent again',
  );
  return true;
}

/**
 * A payment that was made is made again. One that failed must not succeed now, because its money is
 * back in the wallet: only a cancellation, which sends nothing, fills its number.
 */
function attemptToRepeat({ attempts }: Outgoing, { succeeded }: Ended) {
  return attempts
    .filter(isSigned)
    .filter(({ intent }) => (intent === 'cancel') !== succeeded)
    .at(-1);
}

async function isUnseen(
  db: Db,
  sender: ChainSender,
  { nonce, attempts }: Outgoing,
): Promise<boolean> {
  const { state } = await sender.lookUp({
    nonce,
    attempts: attempts.filter(isSigned),
    wasAccepted: true,
    ownTransaction: (txid) => findAttempt(db, sender.chain, txid),
  });
  return state === 'unseen';
}

interface Ended {
  id: string;
  succeeded: boolean;
}

async function findEnded(db: Db, chain: ChainId, condition: RawBuilder<boolean>): Promise<Ended[]> {
  const { rows } = await sql<Ended>`
    select o.id, coalesce(p.status = 'complete', s.status = 'complete', g.id is not null) as succeeded
    from outgoing o
      left join payout p on p.id = o.id
      left join sweep s on s.id = o.id
      left join sweep g on g.top_up_id = o.id
    where o.chain = ${chain} and ${condition} and not o.open and o.result = 'ok'
      and (p.status in ('complete', 'failed') or s.status in ('complete', 'failed') or g.id is not null)
    order by o.nonce limit ${LIMIT}`.execute(db);
  return rows;
}
