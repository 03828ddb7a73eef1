import type { PayoutEvent } from '@crypto-checkout/protocol/event';
import { PAYOUT_STATUSES, type PayoutStatus } from '@crypto-checkout/protocol/status';
import { milliseconds } from '../database/timestamp.ts';
import type { ChainFacts } from '../engine/sending/track.ts';

/**
 * Legal moves (docs/interface.md, "Payout transitions"). A payout that is `unconfirmed`, or whose
 * block was reorganised, can still fail for certain: its funds must return. A payout that waits can
 * be rejected as a draft can: nothing is planned before it is `new`. An approved payout is `new`
 * before its date and can be rejected until then (`isWaiting`). A failed payout whose transaction
 * is found in a block was paid: the chain has the last word.
 */
export const PAYOUT_MOVES: Readonly<Record<PayoutStatus, readonly PayoutStatus[]>> = {
  draft: ['new', 'rejected'],
  scheduled: ['new', 'rejected'],
  new: ['queued', 'awaiting_funds', 'awaiting_policies', 'pending', 'failed', 'rejected'],
  queued: ['pending', 'failed'],
  awaiting_funds: ['new', 'rejected'],
  awaiting_policies: ['new', 'rejected'],
  pending: ['confirmed', 'unconfirmed', 'failed'],
  unconfirmed: ['confirmed', 'failed'],
  confirmed: ['complete', 'failed'],
  complete: [],
  rejected: [],
  failed: ['confirmed'],
};

/** Nothing more happens to the payout, except for the repair of a wrong failure. */
export const isEnded = (status: PayoutStatus): boolean =>
  status === 'complete' || status === 'rejected' || status === 'failed';

type Timed = { status: PayoutStatus; scheduled_at: string | null };

/** True if the payout has no date, or its date has come. */
export const isDue = ({ scheduled_at }: Pick<Timed, 'scheduled_at'>, now: number): boolean =>
  scheduled_at === null || milliseconds(scheduled_at) <= now;

/** True if the payout waits, so that it can be rejected while no transaction is planned. */
export const isWaiting = (payout: Timed, now: number): boolean =>
  isMove(payout.status, 'rejected') && (payout.status !== 'new' || !isDue(payout, now));

/** A `new` payout that is not planned for this long waits for an operator. */
const STUCK_AFTER_MS = 10 * 60 * 1000;

/** True if the payout should have been sent long ago, so that it can be rejected without a plan. */
export function isStuck(
  {
    status,
    created_at,
    approved_at,
    scheduled_at,
  }: Timed & { created_at: string; approved_at: string | null },
  now: number,
): boolean {
  const times = [created_at, approved_at, scheduled_at].filter((time) => time !== null);
  const since = Math.max(...times.map(milliseconds));
  return status === 'new' && now - since >= STUCK_AFTER_MS;
}

/** A payout without a block for this long is `unconfirmed` (docs/interface.md, "Limits"). */
export const UNCONFIRMED_AFTER_MS = 24 * 60 * 60 * 1000;

/** Observed facts about a payout's transaction. */
export interface SentFacts extends ChainFacts {
  status: PayoutStatus;
  finalConfirmations: number;
  /** True after 24 hours without a block. */
  aged: boolean;
}

/**
 * The statuses that a payout passes through, in order; empty if it does not change. A payout never
 * goes backwards: after a reorganisation the same bytes are broadcast again, as long as they can
 * get into a block.
 */
export function sentPath(facts: SentFacts): PayoutStatus[] {
  const { status, chain, confirmations, finalConfirmations, aged } = facts;
  switch (chain) {
    case 'impossible':
      return isMove(status, 'failed') ? ['failed'] : [];
    case 'reverted':
      // Until it is final, a reorganisation could still make it succeed.
      if (confirmations >= finalConfirmations) return isMove(status, 'failed') ? ['failed'] : [];
      return pathTo(status, 'pending');
    case 'block':
      return pathTo(status, confirmations >= finalConfirmations ? 'complete' : 'confirmed');
    case 'sent': {
      const path = pathTo(status, 'pending');
      return aged && (path.at(-1) ?? status) === 'pending' ? [...path, 'unconfirmed'] : path;
    }
    default:
      throw new Error(`Unknown chain state ${String(chain satisfies never)}`);
  }
}

const SENT_STATUSES: readonly PayoutStatus[] = ['pending', 'confirmed', 'complete'];

function pathTo(status: PayoutStatus, target: PayoutStatus): PayoutStatus[] {
  const at = status === 'unconfirmed' || status === 'failed' ? 0 : SENT_STATUSES.indexOf(status);
  if (at < 0 && !isMove(status, 'pending')) return [];
  return SENT_STATUSES.slice(at + 1, SENT_STATUSES.indexOf(target) + 1);
}

/** The event of each status; each is reported once per payout. */
export const PAYOUT_EVENT_OF: Readonly<Partial<Record<PayoutStatus, PayoutEvent>>> = {
  pending: 'payout_pending',
  confirmed: 'payout_confirmed',
  complete: 'payout_complete',
  failed: 'payout_failed',
  rejected: 'payout_rejected',
};

export const isMove = (from: PayoutStatus, to: PayoutStatus): boolean =>
  PAYOUT_MOVES[from].includes(to);

/**
 * Follows a path through the table.
 * @returns the last status, and the events in order
 * @throws Error for a step that is not in the table
 */
export function followPath(
  from: PayoutStatus,
  path: readonly PayoutStatus[],
): { status: PayoutStatus; events: PayoutEvent[] } {
  let status = from;
  const events: PayoutEvent[] = [];
  for (const to of path) {
    if (!isMove(status, to)) throw new Error(`A payout can't go from ${status} to ${to}`);
    const event = PAYOUT_EVENT_OF[to];
    if (event !== undefined) events.push(event);
    status = to;
  }
  return { status, events };
}

/**
 * Runs at startup: all statuses are in the table, each move leads to another status, and final
 * statuses have no moves.
 */
export function checkPayoutMoves(): void {
  for (const status of PAYOUT_STATUSES)
    if (!(status in PAYOUT_MOVES)) throw new Error(`PAYOUT_MOVES: ${status} is missing`);
  for (const [from, targets] of Object.entries(PAYOUT_MOVES)) {
    for (const to of targets)
      if (!(to in PAYOUT_MOVES) || to === from)
        throw new Error(`PAYOUT_MOVES: ${from} to ${to} is not a move`);
  }
  for (const last of ['complete', 'rejected'] as const) {
    if (PAYOUT_MOVES[last].length > 0) throw new Error(`PAYOUT_MOVES: ${last} is final`);
  }
  if (PAYOUT_MOVES.failed.some((to) => to !== 'confirmed'))
    throw new Error('PAYOUT_MOVES: failed leads to confirmed only');
}

/** Nothing was broadcast yet. */
export const isUnsent = (status: PayoutStatus): boolean => status === 'new' || status === 'queued';
