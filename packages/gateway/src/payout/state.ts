import type { PayoutEvent } from '@crypto-checkout/protocol/event';
import { PAYOUT_STATUSES, type PayoutStatus } from '@crypto-checkout/protocol/status';
import { milliseconds } from '../database/timestamp.ts';

/**
 * Legal moves (§3.3, decisions "Payout moves"). Some are choices: a queued one is sent when its turn comes; one that waited longer
 * than 24 hours, and one whose block was left by the chain, may still turn out to have failed for certain: their money must come back.
 * One that waits for its time, for money or for a policy can be stopped, as a draft can: nothing of it is planned before it is `new`.
 * One that is `new` because it was approved before its date can be stopped until then (`isWaiting`).
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
  failed: [],
};

type Timed = { status: PayoutStatus; scheduled_at: string | null };

/** Whether its date, if it has one, has come. */
export const isDue = ({ scheduled_at }: Pick<Timed, 'scheduled_at'>, now: number): boolean =>
  scheduled_at === null || milliseconds(scheduled_at) <= now;

/** Whether it waits for somebody or something, and so can be rejected as long as nothing of it is planned. */
export const isWaiting = (payout: Timed, now: number): boolean =>
  isMove(payout.status, 'rejected') && (payout.status !== 'new' || !isDue(payout, now));

/** After so long without a block a payout is `unconfirmed` (§8). */
export const UNCONFIRMED_AFTER_MS = 24 * 60 * 60 * 1000;

/** What is known of the transaction of a payout. */
export interface SentFacts {
  status: PayoutStatus;
  /**
   * `sent`: the network has it, or did; `block`: it is in one; `reverted`: it is in one, and moved nothing;
   * `impossible`: it is certain never to be in one.
   */
  chain: 'sent' | 'block' | 'reverted' | 'impossible';
  confirmations: number;
  finalConfirmations: number;
  /** More than 24 hours since it was sent. */
  aged: boolean;
}

/**
 * The statuses that a payout passes, in order, from what the chain says; none when it stays. It never goes backwards: a
 * reorganisation of what was confirmed is mended by sending the same bytes again, as long as they can get into a block.
 */
export function sentPath(facts: SentFacts): PayoutStatus[] {
  const { status, chain, confirmations, finalConfirmations, aged } = facts;
  switch (chain) {
    case 'impossible':
      return isMove(status, 'failed') ? ['failed'] : [];
    case 'reverted':
      // A reorganisation could let it succeed after all, until it is as deep as a payment has to be.
      if (confirmations >= finalConfirmations) return isMove(status, 'failed') ? ['failed'] : [];
      return pathTo(status, 'pending');
    case 'block':
      return pathTo(status, confirmations >= finalConfirmations ? 'complete' : 'confirmed');
    case 'sent': {
      const path = pathTo(status, 'pending');
      return aged && (path.at(-1) ?? status) === 'pending' ? [...path, 'unconfirmed'] : path;
    }
    default:
      throw new Error(`Unknown fate ${String(chain satisfies never)}`);
  }
}

const LINE: readonly PayoutStatus[] = ['pending', 'confirmed', 'complete'];

function pathTo(status: PayoutStatus, target: PayoutStatus): PayoutStatus[] {
  const at = status === 'unconfirmed' ? 0 : LINE.indexOf(status);
  if (at < 0 && !isMove(status, 'pending')) return [];
  return LINE.slice(at + 1, LINE.indexOf(target) + 1);
}

/** What a status tells, once for each payout. */
export const PAYOUT_EVENT_OF: Readonly<Partial<Record<PayoutStatus, PayoutEvent>>> = {
  pending: 'payout_pending',
  confirmed: 'payout_confirmed',
  complete: 'payout_complete',
  failed: 'payout_failed',
  rejected: 'payout_rejected',
};

export const isMove = (from: PayoutStatus, to: PayoutStatus): boolean => PAYOUT_MOVES[from].includes(to);

/**
 * Goes along a path through the table.
 * @returns the last status, and the events to be told, in order
 * @throws Error when a step is not in the table, which is a mistake of ours
 */
export function followPath(from: PayoutStatus, path: readonly PayoutStatus[]): { status: PayoutStatus; events: PayoutEvent[] } {
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

/** Run at start: every move leads to another status of the table, every status is in it, and the last ones are last. */
export function checkPayoutMoves(): void {
  for (const status of PAYOUT_STATUSES) if (!(status in PAYOUT_MOVES)) throw new Error(`PAYOUT_MOVES: ${status} is missing`);
  for (const [from, targets] of Object.entries(PAYOUT_MOVES)) {
    for (const to of targets) if (!(to in PAYOUT_MOVES) || to === from) throw new Error(`PAYOUT_MOVES: ${from} to ${to} is not a move`);
  }
  for (const last of ['complete', 'rejected', 'failed'] as const) {
    if (PAYOUT_MOVES[last].length > 0) throw new Error(`PAYOUT_MOVES: ${last} is final`);
  }
}
