import { callbackToken } from '../account/callback-token.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp } from '../database/database.ts';
import {
  type Destination,
  Destinations,
  inOrder,
  takeNext,
  type Waiting,
  wantsMore,
} from './destination.ts';
import { Outcomes } from './outcomes.ts';
import { LIMIT_MS, nextAttempt } from './schedule.ts';
import { type DeliveryResult, sendCallback, TIMEOUT_MS } from './send.ts';
import { onCallbacksQueued } from './signal.ts';
import {
  abandonCallbacks,
  bringForward,
  type ClaimedCallback,
  claimCallbacks,
  type DestinationKey,
  extendClaim,
  releaseClaims,
  waitingDestinations,
} from './store.ts';

export interface DelivererOptions {
  /** Callbacks claimed and not finished, at most. Default 2,000. */
  atOnce?: number;
  /** Concurrent requests to one destination, at most. Default 32. */
  perDestination?: number;
  /** Time limit of a request. Default 10 s. */
  timeoutMs?: number;
  random?: () => number;
}

/** A claim expires after this time: the process that held it is gone. */
const CLAIM_MS = 30_000;
/** A callback that waited this long for its turn renews its claim before it is sent. */
const PROLONG_AFTER_MS = 15_000;
/** Destinations that one round claims for. */
const DESTINATIONS = 500;
/** Pause between two rounds, so that callbacks queued one by one are claimed together. */
const ROUND_MS = 10;
const TIDY_EVERY_MS = 60_000;
const ABANDON_LIMIT = 1_000;
/** The last scheduled attempt may be running when the schedule ends. */
const GRACE_MS = 5 * 60_000;

/**
 * Delivers the callback outbox: at once for callbacks that this process queued, otherwise when
 * asked to look. Several processes share it; claims of a killed process are sent again with the
 * same id and bytes. Every destination has a queue and a breaker of its own, so a slow or dead one
 * delays no other. Callbacks of one resource are sent in order, except for retries.
 */
export class Deliverer {
  readonly #context: Context;
  readonly #options: Required<DelivererOptions>;
  readonly #holder = crypto.randomUUID();
  readonly #outcomes: Outcomes;
  readonly #destinations: Destinations;
  readonly #running = new Set<Promise<void>>();
  #stopListening: () => void = () => {};
  /** Rounds of claiming run one after another. */
  #round: Promise<unknown> = Promise.resolve();
  #after: DestinationKey | null = null;
  #held = 0;
  #tidiedAt = -Infinity;
  #woken = false;
  #pumping: Promise<void> | null = null;
  #stopped = false;

  constructor(context: Context, options: DelivererOptions = {}) {
    this.#context = context;
    this.#options = {
      atOnce: 2_000,
      perDestination: 32,
      timeoutMs: TIMEOUT_MS,
      random: Math.random,
      ...options,
    };
    this.#destinations = new Destinations(this.#options.perDestination);
    this.#outcomes = new Outcomes({ db: context.db, holder: this.#holder, log: context.log });
  }

  /**
   * From now on, callbacks that this process queues are sent right after their commit; others are
   * found by `begin`.
   */
  listen(): this {
    this.#stopListening = onCallbacksQueued(this.#context.db, () => this.#wake());
    return this;
  }

  /**
   * Claims due callbacks and starts to send them, without waiting for the answers.
   * @returns the number claimed
   */
  begin(): Promise<number> {
    const round = this.#round.then(() => this.#claim());
    this.#round = round.catch(() => {});
    return round;
  }

  /** Delivers everything that is due now and waits for the answers. */
  async deliverDue(): Promise<number> {
    let delivered = 0;
    for (;;) {
      const begun = await this.begin();
      await this.idle();
      if (begun === 0 && this.#after === null) return delivered;
      delivered += begun;
    }
  }

  /** Waits until no request is running and every outcome is stored. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#pumping;
      await this.#round;
      await Promise.all(this.#running);
      await this.#outcomes.idle();
      if (this.#running.size === 0 && this.#pumping === null) return;
    }
  }

  /** Starts nothing new, waits for running requests, and releases the other claims. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopListening();
    await this.#round;
    const left = this.#destinations.takeWaiting();
    await this.idle();
    if (left.length > 0)
      await releaseClaims(
        this.#context.db,
        left,
        this.#holder,
        timestamp(this.#context.clock.real()),
      );
  }

  /** Schedules one further round, however often it is called. */
  #wake(): void {
    this.#woken = true;
    if (this.#stopped || this.#pumping !== null) return;
    this.#pumping = this.#pump().finally(() => (this.#pumping = null));
  }

  async #pump(): Promise<void> {
    while (this.#woken && !this.#stopped) {
      this.#woken = false;
      // A lost database is logged by the worker's loop, which polls anyway.
      await this.begin().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    }
  }

  async #claim(): Promise<number> {
    if (this.#stopped) return 0;
    const { db } = this.#context;
    const real = this.#context.clock.real();
    const now = timestamp(real);
    await this.#tidy(real);
    const found = await waitingDestinations(db, { now, after: this.#after, limit: DESTINATIONS });
    // With very many destinations, the next round continues after these.
    const last = found.at(-1);
    this.#after =
      found.length === DESTINATIONS && last
        ? { account_id: last.account_id, hash: last.hash }
        : null;
    const from = this.#destinations.share(
      found.filter(({ due }) => due),
      real,
      this.#options.atOnce - this.#held,
    );
    const claimed = await claimCallbacks(db, {
      holder: this.#holder,
      now,
      until: timestamp(real + CLAIM_MS),
      from,
    });
    this.#held += claimed.length;
    for (const callback of inOrder(claimed))
      this.#destinations.of(callback).waiting.push({ ...callback, claimedAt: real });
    for (const { room, ...key } of from) {
      const destination = this.#destinations.of(key);
      destination.more = destination.waiting.length >= room;
      this.#fill(destination);
    }
    return claimed.length;
  }

  #fill(destination: Destination): void {
    const now = this.#context.clock.real();
    while (!this.#stopped && destination.running < destination.breaker.width(now)) {
      const callback = takeNext(destination);
      if (!callback) break;
      destination.running += 1;
      destination.inFlight.add(callback.resource_id);
      const work = this.#deliver(destination, callback)
        .catch((error: unknown) =>
          this.#context.log.error(
            { event: 'callback_send_failed', err: error, callback_id: callback.id },
            'a callback could not be sent',
          ),
        )
        .finally(() => {
          destination.running -= 1;
          destination.inFlight.delete(callback.resource_id);
          this.#held -= 1;
          this.#running.delete(work);
          this.#fill(destination);
        });
      this.#running.add(work);
    }
    const { waiting, breaker } = destination;
    if (breaker.isOpen && waiting.length > 0) this.#giveBack(waiting.splice(0));
    if (wantsMore(destination, now)) this.#wake();
  }

  /** Claims for a receiver that proved dead go back to the database; no attempt is counted. */
  #giveBack(callbacks: readonly ClaimedCallback[]): void {
    this.#held -= callbacks.length;
    const { db, clock, log } = this.#context;
    const work = releaseClaims(db, callbacks, this.#holder, timestamp(clock.real()))
      .catch((error: unknown) =>
        log.error(
          { event: 'callbacks_not_released', err: error },
          'claimed callbacks could not be released',
        ),
      )
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #deliver(destination: Destination, callback: Waiting): Promise<void> {
    const { db, clock, outbound } = this.#context;
    const until = timestamp(clock.real() + CLAIM_MS);
    // It may have waited so long behind a slow destination that another process claimed it.
    if (
      clock.real() - callback.claimedAt > PROLONG_AFTER_MS &&
      !(await extendClaim(db, callback, this.#holder, until))
    )
      return;
    const token = await callbackToken(this.#context, db, callback.account_id);
    const at = clock.real();
    const result = await sendCallback(
      { ...callback, token },
      { outbound, now: at, timeoutMs: this.#options.timeoutMs },
    );
    this.#learn(destination, callback.url, result);
    this.#outcomes.add(this.#attempt(callback, result, at));
  }

  /** A receiver that answers is alive: only time-outs and overload answers open the breaker. */
  #learn(
    { breaker, account_id }: Destination,
    url: string,
    { status, error }: DeliveryResult,
  ): void {
    const { log, clock } = this.#context;
    const origin = URL.canParse(url) ? new URL(url).origin : null;
    if (status === null || status === 429) {
      if (breaker.failed(clock.real()))
        log.warn(
          {
            event: 'callback_receiver_fails',
            account_id,
            origin,
            reason: error ?? `It answers with HTTP ${status}`,
          },
          'a callback receiver fails and is left alone for a while',
        );
    } else if (status >= 500 ? breaker.struggled() : breaker.succeeded())
      log.info(
        { event: 'callback_receiver_works', account_id, origin },
        'a callback receiver works again',
      );
  }

  #attempt(
    { account_id, id, url, attempts, created_at_real }: ClaimedCallback,
    result: DeliveryResult,
    at: number,
  ) {
    const { outcome, retryAfterMs } = result;
    const now = this.#context.clock.real();
    const queuedAt = milliseconds(created_at_real);
    const next =
      outcome === 'refused'
        ? nextAttempt({ attempts, queuedAt, now, retryAfterMs, random: this.#options.random() })
        : null;
    const state =
      outcome === 'delivered'
        ? ('delivered' as const)
        : next === null
          ? ('failed' as const)
          : ('pending' as const);
    return {
      account_id,
      id,
      attempt: attempts,
      url,
      request_headers: result.requestHeaders,
      at: timestamp(at),
      duration_ms: result.durationMs,
      status_code: result.status,
      answer_headers: result.answerHeaders,
      answer: result.answer,
      error: result.error,
      state,
      next_at: next === null ? null : timestamp(Math.round(next)),
      finished_at: state === 'pending' ? null : timestamp(now),
    };
  }

  async #tidy(now: number): Promise<void> {
    // Absolute: a clock that ran ahead may have been corrected.
    if (Math.abs(now - this.#tidiedAt) < TIDY_EVERY_MS) return;
    this.#tidiedAt = now;
    this.#destinations.tidy();
    await bringForward(this.#context.db, timestamp(now), timestamp(now + TIDY_EVERY_MS));
    const queuedBefore = timestamp(now - LIMIT_MS - GRACE_MS);
    const from = this.#destinations.failing();
    await abandonCallbacks(this.#context.db, {
      from,
      queuedBefore,
      now: timestamp(now),
      limit: ABANDON_LIMIT,
    });
  }
}
