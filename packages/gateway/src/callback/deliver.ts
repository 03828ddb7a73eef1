import { callbackToken } from '../account/callback-token.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp } from '../database/database.ts';
import { nextAttempt } from './schedule.ts';
import { type DeliveryResult, sendCallback, TIMEOUT_MS } from './send.ts';
import { type ClaimedCallback, claimCallbacks, prolongClaim, recordAttempt, releaseClaims } from './store.ts';

export interface DelivererOptions {
  /** Claimed at once. Default 50. */
  batch?: number;
  /** Requests to one destination at a time, so that a slow one can't hold the others up. Default 8. */
  perDestination?: number;
  /** Default 10 s. */
  timeoutMs?: number;
  random?: () => number;
}

/** After this long a claimed callback belongs to whoever claims it next: the process that had it is gone. */
const CLAIM_MS = 30_000;
/** Claimed and not finished, at most. */
const MAX_WAITING = 400;

/** Delivers the outbox. Several processes share it; what a killed one had claimed is delivered again, with the same id and bytes. */
export class Deliverer {
  readonly #context: Context;
  readonly #options: Required<DelivererOptions>;
  readonly #holder: string;
  readonly #destinations = new Map<string, { waiting: ClaimedCallback[]; running: number }>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(context: Context, options: DelivererOptions = {}) {
    this.#context = context;
    this.#options = { batch: 50, perDestination: 8, timeoutMs: TIMEOUT_MS, random: Math.random, ...options };
    this.#holder = crypto.randomUUID();
  }

  /**
   * Claims what is due and begins to send it, without waiting for the answers.
   * @returns how many were claimed
   */
  async begin(): Promise<number> {
    const waiting = [...this.#destinations.values()].reduce((sum, { waiting: queue, running }) => sum + queue.length + running, 0);
    const limit = Math.min(this.#options.batch, MAX_WAITING - waiting);
    if (this.#stopped || limit <= 0) return 0;
    const claimed = await claimCallbacks(this.#context.db, { holder: this.#holder, ...this.#times(), limit, busy: this.#busy() });
    for (const callback of claimed) {
      const destination = this.#destinations.get(callback.url) ?? { waiting: [], running: 0 };
      destination.waiting.push(callback);
      this.#destinations.set(callback.url, destination);
      this.#fill(callback.url);
    }
    return claimed.length;
  }

  /** Delivers all that is due now and waits for the answers. */
  async deliverDue(): Promise<number> {
    let delivered = 0;
    for (;;) {
      const begun = await this.begin();
      await this.idle();
      if (begun === 0) return delivered;
      delivered += begun;
    }
  }

  /** Waits until nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Begins nothing more, waits for what is on its way, gives back the rest. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const left = [...this.#destinations.values()].flatMap(({ waiting }) => waiting.splice(0));
    await this.idle();
    if (left.length > 0) await releaseClaims(this.#context.db, left, this.#holder, this.#times().now);
  }

  #times(): { now: string; until: string } {
    const now = this.#context.clock.real();
    return { now: timestamp(now), until: timestamp(now + CLAIM_MS) };
  }

  #busy(): string[] {
    return [...this.#destinations].filter(([, { running }]) => running >= this.#options.perDestination).map(([url]) => url);
  }

  #fill(url: string): void {
    const destination = this.#destinations.get(url);
    if (!destination) return;
    while (destination.running < this.#options.perDestination) {
      const callback = destination.waiting.shift();
      if (!callback) break;
      destination.running += 1;
      const work = this.#deliver(callback)
        .catch((error: unknown) => this.#context.log.error({ err: error, callback_id: callback.id }, 'a callback attempt was not recorded'))
        .finally(() => {
          destination.running -= 1;
          this.#running.delete(work);
          this.#fill(url);
        });
      this.#running.add(work);
    }
    if (destination.running === 0) this.#destinations.delete(url);
  }

  async #deliver(callback: ClaimedCallback): Promise<void> {
    const { db, clock, outbound } = this.#context;
    // It may have waited behind a slow destination for so long that another process took it.
    if (!(await prolongClaim(db, callback, this.#holder, this.#times().until))) return;
    const token = await callbackToken(this.#context, db, callback.account_id);
    const at = clock.real();
    const result = await sendCallback({ ...callback, token }, { outbound, now: at, timeoutMs: this.#options.timeoutMs });
    await recordAttempt(db, callback, this.#holder, { ...this.#consequence(callback, result), at: timestamp(at) });
  }

  #consequence({ attempts, created_at_real }: ClaimedCallback, result: DeliveryResult) {
    const { durationMs, status, error, answer, outcome, retryAfterMs } = result;
    const now = this.#context.clock.real();
    const queuedAt = milliseconds(created_at_real);
    const next = outcome === 'refused' ? nextAttempt({ attempts, queuedAt, now, retryAfterMs, random: this.#options.random() }) : null;
    const state = outcome === 'delivered' ? ('delivered' as const) : next === null ? ('failed' as const) : ('pending' as const);
    const finishedAt = state === 'pending' ? null : timestamp(now);
    return { durationMs, status, error, answer, state, nextAt: next === null ? null : timestamp(Math.round(next)), finishedAt };
  }
}
