import { signWebhook } from '@crypto-checkout/protocol/callback';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import type { Book, Live } from '../checkout/book.ts';
import type { CheckoutRecord, StoredEvent } from '../checkout/record.ts';
import type { Log } from '../options.ts';
import type { ShopEvent } from './shop-event.ts';

export interface NotifierOptions {
  book: Book;
  shopWebhook: { url: string; secret: string } | null;
  onEvent: ((event: ShopEvent) => Promise<void>) | null;
  fetch: typeof fetch;
  hmac: Hmac;
  now: () => number;
  log: Log;
}

/** The service's own call waits for us ten seconds, reading included. */
const TIMEOUT_MS = 4000;
/** One payment brings several callbacks at once, and each asks for a delivery: an attempt so short ago counts for all of them. */
const RECENT_MS = 2000;
const SECOND = 1000;
const HOUR = 3600 * SECOND;
/** As the service retries its callbacks; after the last one an event rests, and a callback or a new event wakes it. */
const SCHEDULE = [5 * SECOND, 30 * SECOND, 300 * SECOND, 1800 * SECOND, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR];

/** Tells the shop what happened, in order, until it has accepted. What is not accepted stays in the store. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #delivering = new Map<Live, Promise<boolean>>();

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Whether there is anybody to tell. */
  get listens(): boolean {
    return this.#options.shopWebhook !== null || this.#options.onEvent !== null;
  }

  /**
   * Sends what the shop has not accepted yet. Answers whether nothing is left.
   * @param options.patiently only what is due by the schedule; otherwise everything that was not tried just before
   */
  async deliver(live: Live, { patiently }: { patiently: boolean }): Promise<boolean> {
    // Whoever comes while another delivers looks again afterwards: there may be more, or it may have failed.
    await this.#delivering.get(live)?.catch(() => false);
    const under = this.#delivering.get(live);
    if (under) return under;
    if (!pendingOf(live.record)) return true;
    const mine = this.#deliver(live, patiently).finally(() => this.#delivering.delete(live));
    this.#delivering.set(live, mine);
    return mine;
  }

  async #deliver(live: Live, patiently: boolean): Promise<boolean> {
    const { now, book } = this.#options;
    for (;;) {
      const event = pendingOf(live.record);
      if (!event) return true;
      if (patiently ? event.next_at > now() : now() - lastAttempt(event) < RECENT_MS) return false;
      const { outcome, fault } = await this.#send(event);
      await book.change(live, (record) => withOutcome(record, event.id, outcome, now()));
      if (fault) this.#tell(live, event, fault);
      if (outcome === 'again') return false;
    }
  }

  /** One line for the operator: which order, what went wrong, what follows. */
  #tell({ id, record }: Live, { id: told, event }: StoredEvent, { by, answer, error }: Fault): void {
    const { attempts, done_at, next_at } = record.events.find((one) => one.id === told) ?? {};
    const { order_id } = record.terms;
    const next_attempt = done_at === null && next_at !== undefined ? new Date(next_at).toISOString() : null;
    this.#options.log.warn(
      { checkout_id: id, order_id, event, attempts, next_attempt, ...(error !== undefined && { error }) },
      `${by} did not accept ${event} of ${order_id === null ? 'no order' : `order ${order_id}`}: ${answer}`,
    );
  }

  async #send(event: StoredEvent): Promise<Sent> {
    const { onEvent, shopWebhook } = this.#options;
    try {
      if (onEvent) await onEvent(JSON.parse(event.body) as ShopEvent);
    } catch (error) {
      return { outcome: 'again', fault: { by: 'onEvent', answer: reasonOf(error), error } };
    }
    if (!shopWebhook) return { outcome: 'accepted' };
    const by = `SHOP_WEBHOOK_URL (${shopWebhook.url})`;
    try {
      const status = await this.#post(event, shopWebhook);
      if (status >= 200 && status < 300) return { outcome: 'accepted' };
      return { outcome: status === 410 ? 'gone' : 'again', fault: { by, answer: `it answered ${status}` } };
    } catch (error) {
      return { outcome: 'again', fault: { by, answer: reasonOf(error) } };
    }
  }

  /** Standard Webhooks: id, time and signature over the bytes; a redirect is a failure, because it would carry them elsewhere. */
  async #post(event: StoredEvent, { url, secret }: { url: string; secret: string }): Promise<number> {
    const { hmac, now } = this.#options;
    const headers = await signWebhook({ id: event.id, timestamp: Math.floor(now() / 1000), body: event.body, secret }, hmac);
    const response = await this.#options.fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: event.body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  }
}

/** `gone`: the shop answered 410, and wants to hear no more of this event. */
type Outcome = 'accepted' | 'again' | 'gone';

interface Sent {
  outcome: Outcome;
  fault?: Fault;
}

/** What there is to say of it, for the operator. */
interface Fault {
  by: string;
  answer: string;
  /** With its stack, where it is the shop's own code in this process. */
  error?: unknown;
}

/** Why nothing answered: `fetch` hides it in the cause, and one of several addresses in a list of errors. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / SECOND} s`;
  const { message: inner, code } = (cause ?? {}) as { message?: string; code?: string };
  return inner || code || message || String(error);
}

/** When it was tried last; long ago for one that never was. */
function lastAttempt({ attempts, next_at }: StoredEvent): number {
  return attempts === 0 ? -Infinity : next_at - waitAfter(attempts - 1);
}

const waitAfter = (attempts: number): number => SCHEDULE[attempts] ?? 20 * HOUR;

/** One after the other: a shop must not hear "paid" before "seen". */
function pendingOf(record: CheckoutRecord): StoredEvent | undefined {
  return record.events.find(({ done_at }) => done_at === null);
}

function withOutcome(record: CheckoutRecord, id: string, outcome: Outcome, now: number): CheckoutRecord {
  const events = record.events.map((event) => {
    if (event.id !== id) return event;
    if (outcome !== 'again') return { ...event, done_at: now };
    return { ...event, attempts: event.attempts + 1, next_at: now + waitAfter(event.attempts) };
  });
  return { ...record, events };
}
