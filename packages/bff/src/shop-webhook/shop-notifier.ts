import { signWebhook } from '@crypto-checkout/protocol/callback';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import type {
  CheckoutRepository,
  LoadedCheckout,
} from '../checkouts/repository/checkout-repository.ts';
import type { CheckoutRecord, StoredEvent } from '../checkouts/repository/record.ts';
import type { Log } from '../options.ts';
import { dueAt, MIN_GAP_MS, nextPending, retryDelay } from './retry-schedule.ts';
import type { ShopEvent } from '@crypto-checkout/protocol/shop-event';

export interface ShopNotifierOptions {
  repository: CheckoutRepository;
  shopWebhook: { url: string; secret: string } | null;
  onEvent: ((event: ShopEvent) => Promise<void>) | null;
  fetch: typeof fetch;
  hmac: Hmac;
  now: () => number;
  steady: () => number;
  log: Log;
}

/**
 * Limit of one request to the shop. It is sent while a callback of the payment service is open, and
 * the service waits 10 seconds for that callback.
 */
const TIMEOUT_MS = 4000;
/** Checkouts whose refused events are sent at the same time once the shop answers again. */
const CATCH_UP_AT_ONCE = 8;
/** Catching up ends after this many refusals in a row. */
const MAX_REFUSALS = 3;

/** Delivers events to the shop in order. An event stays in the store until the shop accepts it. */
export class ShopNotifier {
  readonly #options: ShopNotifierOptions;
  readonly #delivering = new Map<LoadedCheckout, Promise<boolean>>();
  readonly #attempts = new WeakMap<LoadedCheckout, AttemptLog>();
  /** Checkouts with an event that the shop did not accept. */
  readonly #refused = new Set<string>();
  #isCatchingUp = false;

  constructor(options: ShopNotifierOptions) {
    this.#options = options;
  }

  /**
   * Delivers the pending events.
   * @param options.onSchedule true for the poller: events that were tried before wait for their
   * schedule. False: they are sent earlier, after the minimum gap
   * @param options.atOnce sends without the minimum gap, because the shop answers again
   * @returns true if no event is pending any more
   */
  async deliver(
    checkout: LoadedCheckout,
    { onSchedule, atOnce = false }: { onSchedule: boolean; atOnce?: boolean },
  ): Promise<boolean> {
    // A delivery in progress may miss new events or fail: check again after it.
    await this.#delivering.get(checkout)?.catch(() => false);
    const current = this.#delivering.get(checkout);
    if (current) return current;
    if (!nextPending(checkout.record)) return true;
    const delivery = this.#deliver(checkout, { onSchedule, atOnce }).finally(() =>
      this.#delivering.delete(checkout),
    );
    this.#delivering.set(checkout, delivery);
    return delivery;
  }

  async #deliver(
    checkout: LoadedCheckout,
    { onSchedule, atOnce }: { onSchedule: boolean; atOnce: boolean },
  ): Promise<boolean> {
    const { now, repository } = this.#options;
    for (;;) {
      const event = nextPending(checkout.record);
      if (!event) return true;
      const isEarly = !isDue(checkout.record, event, now());
      if (isEarly && !atOnce && !(await this.#mayAttemptEarly(checkout, event, onSchedule)))
        return false;
      const { outcome, failure } = await this.#send(event);
      this.#count(checkout, event, isEarly);
      await repository.update(checkout, (record) =>
        withOutcome(record, event.id, { outcome, isEarly, now: now() }),
      );
      if (failure) this.#logFailure(checkout, event, failure);
      if (outcome === 'retry') {
        // A shop can refuse an event for ever: it gets one extra attempt for each scheduled one.
        if (atOnce) this.#refused.delete(checkout.id);
        else this.#refused.add(checkout.id);
        return false;
      }
      this.#refused.delete(checkout.id);
      if (outcome === 'accepted') this.#catchUp();
    }
  }

  /**
   * Sends refused events at once, because the shop has just accepted another one. Ends when the
   * shop refuses several in a row; the rest wait for their schedule.
   */
  #catchUp(): void {
    if (this.#isCatchingUp || this.#refused.size === 0) return;
    this.#isCatchingUp = true;
    const ids = [...this.#refused].values();
    let refusals = 0;
    const next = async (): Promise<void> => {
      for (const id of ids) {
        const checkout = await this.#options.repository.find(id);
        if (checkout === null) this.#refused.delete(id);
        else if (await this.deliver(checkout, { onSchedule: false, atOnce: true })) refusals = 0;
        else if ((refusals += 1) >= MAX_REFUSALS) return;
      }
    };
    const workers = Array.from({ length: CATCH_UP_AT_ONCE }, next);
    Promise.all(workers)
      .catch((error: unknown) =>
        this.#options.log.warn(
          { event: 'webhook_catch_up_failed', error },
          'events that the shop refused wait for their schedule',
        ),
      )
      .finally(() => (this.#isCatchingUp = false));
  }

  /**
   * Whether an event may be sent before its schedule. The minimum gap since its last attempt must
   * have passed, and there must be a newer event or a caller other than the poller.
   */
  async #mayAttemptEarly(
    checkout: LoadedCheckout,
    event: StoredEvent,
    onSchedule: boolean,
  ): Promise<boolean> {
    const { now, steady, repository } = this.#options;
    const isNew = hasNewEvents(checkout.record, event, now());
    const rest = this.#attemptsOf(checkout, event).at + MIN_GAP_MS - steady();
    if (rest <= 0) return isNew || !onSchedule;
    // New events wait until the gap ends: the poller then has no reason to come earlier.
    const earliest = now() + rest;
    if (isNew)
      await repository.update(checkout, (record) => postponeOthers(record, event.id, earliest));
    return false;
  }

  /** The last attempt. After a restart its time is calculated from the stored schedule. */
  #attemptsOf(checkout: LoadedCheckout, { id, attempts, next_at }: StoredEvent): AttemptLog {
    const log = this.#attempts.get(checkout);
    if (log?.id === id) return log;
    if (attempts === 0) return { id, early: 0, at: -Infinity };
    const { now, steady } = this.#options;
    const sinceLast = now() - (next_at - retryDelay(attempts - 1));
    return { id, early: 0, at: steady() - Math.max(0, sinceLast) };
  }

  #count(checkout: LoadedCheckout, event: StoredEvent, isEarly: boolean): void {
    const { id, early } = this.#attemptsOf(checkout, event);
    this.#attempts.set(checkout, {
      id,
      early: early + (isEarly ? 1 : 0),
      at: this.#options.steady(),
    });
  }

  /** One line for the operator: the order, the failure and the next attempt. */
  #logFailure(
    checkout: LoadedCheckout,
    { id: eventId, event }: StoredEvent,
    { by, answer, error }: DeliveryFailure,
  ): void {
    const { id, record } = checkout;
    const stored = record.events.find((one) => one.id === eventId);
    if (!stored) return;
    const { order_id } = record.terms;
    const attempts = stored.attempts + this.#attemptsOf(checkout, stored).early;
    const next_attempt_by = stored.done_at === null ? new Date(stored.next_at).toISOString() : null;
    this.#options.log.warn(
      {
        event: 'webhook_failed',
        shop_event: event,
        checkout_id: id,
        order_id,
        attempts,
        next_attempt_by,
        ...(error !== undefined && { error }),
      },
      `${by} did not accept ${event} of ${order_id === null ? 'no order' : `order ${order_id}`}: ${answer}`,
    );
  }

  async #send(event: StoredEvent): Promise<DeliveryResult> {
    const { onEvent, shopWebhook } = this.#options;
    try {
      if (onEvent) await onEvent(JSON.parse(event.body) as ShopEvent);
    } catch (error) {
      return { outcome: 'retry', failure: { by: 'onEvent', answer: reasonOf(error), error } };
    }
    if (!shopWebhook) return { outcome: 'accepted' };
    const by = `SHOP_WEBHOOK_URL (${shopWebhook.url})`;
    try {
      const { status, text } = await this.#post(event, shopWebhook);
      if (status >= 200 && status < 300) return { outcome: 'accepted' };
      return {
        outcome: status === 410 ? 'gone' : 'retry',
        failure: { by, answer: `it answered ${status}${adviceFor(status)}${quoted(text)}` },
      };
    } catch (error) {
      return { outcome: 'retry', failure: { by, answer: reasonOf(error) } };
    }
  }

  /**
   * Sends a Standard Webhooks message: id, time and a signature over the bytes. A redirect counts
   * as a failure: following it would send the event to another address.
   */
  async #post(
    event: StoredEvent,
    { url, secret }: { url: string; secret: string },
  ): Promise<{ status: number; text: string }> {
    const { hmac, now } = this.#options;
    const headers = await signWebhook(
      { id: event.id, timestamp: Math.floor(now() / 1000), body: event.body, secret },
      hmac,
    );
    const response = await this.#options.fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: event.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = response.ok ? '' : await beginningOf(response);
    await response.body?.cancel();
    return { status: response.status, text };
  }
}

/** The usual remedy for an answer. */
function adviceFor(status: number): string {
  if (status === 401 || status === 403) return ' (compare its secret with SHOP_WEBHOOK_SECRET)';
  return status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
}

/** Printable ASCII only: control characters could manipulate a terminal. */
const quoted = (text: string): string => {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim();
  return line === '' ? '' : `: ${JSON.stringify(line.slice(0, MAX_QUOTED))}`;
};

const MAX_QUOTED = 200;

/** The first piece of the body; empty when it cannot be read. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  try {
    const piece = (await reader?.read())?.value;
    return new TextDecoder().decode(piece?.slice(0, MAX_QUOTED * 4));
  } catch {
    return '';
  } finally {
    reader?.releaseLock();
  }
}

/** `gone`: the shop answered 410 and does not want this event again. */
type Outcome = 'accepted' | 'retry' | 'gone';

interface DeliveryResult {
  outcome: Outcome;
  failure?: DeliveryFailure;
}

/** A failed delivery, for the log. */
interface DeliveryFailure {
  by: string;
  answer: string;
  /** The error of the shop's own code in this process, with its stack. */
  error?: unknown;
}

/**
 * The reason of a network error: `fetch` puts it into the cause, or into a list of errors with one
 * per address.
 */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  const { message: inner, code } = (cause ?? {}) as { message?: string; code?: string };
  return inner || code || message || String(error);
}

/** The attempts of this process with one event. */
interface AttemptLog {
  id: string;
  /** Number of early attempts; the schedule counts only the others. */
  early: number;
  /** Time of the last attempt, by a clock that is never set. */
  at: number;
}

const isDue = (record: CheckoutRecord, event: StoredEvent, now: number): boolean =>
  event.attempts === 0 || dueAt(record, event, now) <= now;

/** Whether another pending event is due, such as one that came after the last attempt. */
function hasNewEvents(record: CheckoutRecord, { id }: StoredEvent, now: number): boolean {
  return record.events.some(
    (event) => event.id !== id && event.done_at === null && dueAt(record, event, now) <= now,
  );
}

/** Postpones the other pending events until `at`, unless they are scheduled later. */
function postponeOthers(record: CheckoutRecord, id: string, at: number): CheckoutRecord {
  const waits = (event: StoredEvent): boolean =>
    event.id !== id && event.done_at === null && event.next_at < at;
  if (!record.events.some(waits)) return record;
  return {
    ...record,
    events: record.events.map((event) => (waits(event) ? { ...event, next_at: at } : event)),
  };
}

interface AttemptResult {
  outcome: Outcome;
  isEarly: boolean;
  now: number;
}

/**
 * Stores the outcome of an attempt. An early attempt does not advance the schedule: each callback
 * starts one, so the whole schedule would be used up within minutes.
 */
function withOutcome(
  record: CheckoutRecord,
  id: string,
  { outcome, isEarly, now }: AttemptResult,
): CheckoutRecord {
  const change = (next: (event: StoredEvent) => Partial<StoredEvent>): CheckoutRecord => ({
    ...record,
    events: record.events.map((event) => (event.id === id ? { ...event, ...next(event) } : event)),
  });
  if (outcome !== 'retry') return change(() => ({ done_at: now }));
  const failed = isEarly
    ? record
    : change(({ attempts }) => ({ attempts: attempts + 1, next_at: now + retryDelay(attempts) }));
  return postponeOthers(failed, id, failed.events.find((event) => event.id === id)?.next_at ?? now);
}
