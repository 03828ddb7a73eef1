import { EVENTS } from '@crypto-checkout/protocol/event';
import { milliseconds } from '../database/database.ts';
import { Breaker } from './breaker.ts';
import type { ClaimedCallback, DestinationKey } from './store.ts';

/** Claimed for each request that may be under way, so that none waits for the database. */
const DEPTH = 8;

/** A claimed callback and when it was claimed, in milliseconds of real time. */
export type Waiting = ClaimedCallback & { claimedAt: number };

/** One receiver of one account: what waits for it here, and how it has answered. */
export interface Destination extends DestinationKey {
  breaker: Breaker;
  waiting: Waiting[];
  running: number;
  /** Resources that it is being told about. */
  telling: Set<string>;
  /** The last claim took as many as there was room for. */
  more: boolean;
}

/** The receivers that this process knows of. */
export class Destinations {
  readonly #known = new Map<string, Destination>();
  readonly #width: number;

  /** @param width requests to one destination at a time, at most */
  constructor(width: number) {
    this.#width = width;
  }

  of({ account_id, hash }: DestinationKey): Destination {
    const key = `${account_id} ${hash}`;
    const known = this.#known.get(key);
    if (known) return known;
    const made = { account_id, hash, breaker: new Breaker(this.#width), waiting: [], running: 0, telling: new Set<string>(), more: false };
    this.#known.set(key, made);
    return made;
  }

  /** How many of each may be claimed; together not more than `left`. */
  share(due: readonly DestinationKey[], now: number, left: number): (DestinationKey & { room: number })[] {
    const from: (DestinationKey & { room: number })[] = [];
    for (const { account_id, hash } of due) {
      const { breaker, running, waiting } = this.of({ account_id, hash });
      const depth = breaker.isOpen ? breaker.width(now) : breaker.width(now) * DEPTH;
      const held = running + waiting.length;
      // A few at a time would cost a claim for each few: `more` says when it is worth one.
      if (held > depth / 2) continue;
      const room = Math.min(depth - held, left);
      if (room <= 0) continue;
      from.push({ account_id, hash, room });
      left -= room;
    }
    return from;
  }

  /** Takes all that was claimed and not begun. */
  takeWaiting(): Waiting[] {
    return [...this.#known.values()].flatMap(({ waiting }) => waiting.splice(0));
  }

  /** Those that are left alone for a while. */
  failing(): Destination[] {
    return [...this.#known.values()].filter(({ breaker }) => breaker.isOpen);
  }

  /** Forgets those that nothing has to be remembered of. */
  tidy(): void {
    for (const [key, { running, waiting, breaker }] of this.#known)
      if (running === 0 && waiting.length === 0 && breaker.isUnremarkable) this.#known.delete(key);
  }
}

/** What was claimed together, as it happened; several events of one moment, as where the first block is final, in the order of a payment's life. */
export function inOrder(claimed: readonly ClaimedCallback[]): ClaimedCallback[] {
  return claimed.toSorted(
    (a, b) => milliseconds(a.created_at_real) - milliseconds(b.created_at_real) || EVENTS.indexOf(a.event) - EVENTS.indexOf(b.event),
  );
}

/** The oldest about a resource of which nothing is under way. */
export function takeNext({ waiting, telling }: Destination): Waiting | undefined {
  const at = waiting.findIndex(({ resource_id }) => !telling.has(resource_id));
  return at < 0 ? undefined : waiting.splice(at, 1)[0];
}

/** Whether more of it waits in the database, and half of what may be held here is gone. */
export function wantsMore({ running, waiting, breaker, more }: Destination, now: number): boolean {
  return more && running + waiting.length <= (breaker.width(now) * DEPTH) / 2;
}
