import { EVENTS } from '@crypto-checkout/protocol/event';
import { milliseconds } from '../database/database.ts';
import { Breaker } from './breaker.ts';
import type { ClaimedCallback, DestinationKey } from './store.ts';

/** Callbacks claimed for each allowed request, so that none waits for the database. */
const DEPTH = 8;

/** A claimed callback and the time of its claim, in milliseconds of real time. */
export type Waiting = ClaimedCallback & { claimedAt: number };

/** One receiver of one account: its local queue and its breaker. */
export interface Destination extends DestinationKey {
  breaker: Breaker;
  waiting: Waiting[];
  running: number;
  /** Resources with a request running. */
  inFlight: Set<string>;
  /** Whether the last claim was full. */
  more: boolean;
}

/** The receivers that this process has state for. */
export class Destinations {
  readonly #known = new Map<string, Destination>();
  readonly #width: number;

  /** @param width concurrent requests to one destination, at most */
  constructor(width: number) {
    this.#width = width;
  }

  of({ account_id, hash }: DestinationKey): Destination {
    const key = `${account_id} ${hash}`;
    const known = this.#known.get(key);
    if (known) return known;
    const made = {
      account_id,
      hash,
      breaker: new Breaker(this.#width),
      waiting: [],
      running: 0,
      inFlight: new Set<string>(),
      more: false,
    };
    this.#known.set(key, made);
    return made;
  }

  /** Room for further claims by destination; together at most `left`. */
  share(
    due: readonly DestinationKey[],
    now: number,
    left: number,
  ): (DestinationKey & { room: number })[] {
    const from: (DestinationKey & { room: number })[] = [];
    for (const { account_id, hash } of due) {
      const { breaker, running, waiting } = this.of({ account_id, hash });
      const depth = breaker.isOpen ? breaker.width(now) : breaker.width(now) * DEPTH;
      const held = running + waiting.length;
      // Claims of a few would cost a statement each: `more` returns when one is worth it.
      if (held > depth / 2) continue;
      const room = Math.min(depth - held, left);
      if (room <= 0) continue;
      from.push({ account_id, hash, room });
      left -= room;
    }
    return from;
  }

  /** Removes and returns every claimed callback that was not started. */
  takeWaiting(): Waiting[] {
    return [...this.#known.values()].flatMap(({ waiting }) => waiting.splice(0));
  }

  /** Destinations whose breaker is open. */
  failing(): Destination[] {
    return [...this.#known.values()].filter(({ breaker }) => breaker.isOpen);
  }

  /** Drops destinations without state worth keeping. */
  tidy(): void {
    for (const [key, { running, waiting, breaker }] of this.#known)
      if (running === 0 && waiting.length === 0 && breaker.isUnremarkable) this.#known.delete(key);
  }
}

/**
 * Callbacks of one claim in order; events of one instant, as when the first block is final, in the
 * order of a payment's life.
 */
export function inOrder(claimed: readonly ClaimedCallback[]): ClaimedCallback[] {
  return claimed.toSorted(
    (a, b) =>
      milliseconds(a.created_at_real) - milliseconds(b.created_at_real) ||
      EVENTS.indexOf(a.event) - EVENTS.indexOf(b.event),
  );
}

/** The oldest callback of a resource without a running request. */
export function takeNext({ waiting, inFlight }: Destination): Waiting | undefined {
  const at = waiting.findIndex(({ resource_id }) => !inFlight.has(resource_id));
  return at < 0 ? undefined : waiting.splice(at, 1)[0];
}

/** Whether the database holds more, and less than half of the local limit is used. */
export function wantsMore({ running, waiting, breaker, more }: Destination, now: number): boolean {
  return more && running + waiting.length <= (breaker.width(now) * DEPTH) / 2;
}
