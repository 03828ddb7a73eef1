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
const SECOND = 1000;
const HOUR = 3600 * SECOND;
/** As the service retries its callbacks. The last wait repeats for as long as the shop is away: money is not forgotten. */
const SCHEDULE = [5 * SECOND, 30 * SECOND, 300 * SECOND, 1800 * SECOND, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR];
/**
 * A callback, and something new to tell, ask before the time: whoever has mended the shop has one sent again. They come in swarms, several
 * for one payment and each of them again and again, so that the shop has a rest after each attempt.
 */
const REST_MS = 30 * SECOND;

/** Tells the shop what happened, in order, until it has accepted. What is not accepted stays in the store. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #delivering = new Map<Live, Promise<boolean>>();
  readonly #tries = new WeakMap<Live, Tries>();

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Whether there is anybody to tell. */
  get listens(): boolean {
    return this.#options.shopWebhook !== null || this.#options.onEvent !== null;
  }

  /**
   * Sends what the shop has not accepted yet. Answers whether nothing is left.
   * @param options.patiently by the schedule, or because there is something new to tell; otherwise whatever had its rest
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
      const isEarly = !isDue(event, now());
      if (isEarly && !(await this.#mayAskEarly(live, event, patiently))) return false;
      const { outcome, fault } = await this.#send(event);
      this.#count(live, event, isEarly);
      await book.change(live, (record) => withOutcome(record, event.id, { outcome, isEarly, now: now() }));
      if (fault) this.#tell(live, event, fault);
      if (outcome === 'again') return false;
    }
  }

  /** Before its time: somebody asks for it, or there is something new to tell, and the shop had its rest. */
  async #mayAskEarly(live: Live, event: StoredEvent, patiently: boolean): Promise<boolean> {
    const { now, book } = this.#options;
    const news = hasNews(live.record, event, now());
    const rested = this.#triesOf(live, event).at + REST_MS;
    if (now() >= rested) return news || !patiently;
    // What is new has its turn then, and until then nobody looks in vain.
    if (news) await book.change(live, (record) => withTurn(record, event.id, rested));
    return false;
  }

  /** Where this process has not tried yet, the schedule tells when another one did. */
  #triesOf(live: Live, { id, attempts, next_at }: StoredEvent): Tries {
    const known = this.#tries.get(live);
    return known?.id === id ? known : { id, early: 0, at: attempts === 0 ? -Infinity : next_at - waitAfter(attempts - 1) };
  }

  #count(live: Live, event: StoredEvent, isEarly: boolean): void {
    const { id, early } = this.#triesOf(live, event);
    this.#tries.set(live, { id, early: early + (isEarly ? 1 : 0), at: this.#options.now() });
  }

  /** One line for the operator: which order, what went wrong, what follows. */
  #tell(live: Live, { id: told, event }: StoredEvent, { by, answer, error }: Fault): void {
    const { id, record } = live;
    const stored = record.events.find((one) => one.id === told);
    if (!stored) return;
    const { order_id } = record.terms;
    const attempts = stored.attempts + this.#triesOf(live, stored).early;
    const next_attempt_by = stored.done_at === null ? new Date(stored.next_at).toISOString() : null;
    this.#options.log.warn(
      { checkout_id: id, order_id, event, attempts, next_attempt_by, ...(error !== undefined && { error }) },
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

/** What this process knows of the attempts with one event. */
interface Tries {
  id: string;
  /** Those before their time: the schedule does not count them. */
  early: number;
  /** The last one. */
  at: number;
}

const waitAfter = (attempts: number): number => SCHEDULE[attempts] ?? SCHEDULE.at(-1)!;

/** One after the other: a shop must not hear "paid" before "seen". */
function pendingOf(record: CheckoutRecord): StoredEvent | undefined {
  return record.events.find(({ done_at }) => done_at === null);
}

const isDue = ({ attempts, next_at }: StoredEvent, now: number): boolean => attempts === 0 || next_at <= now;

/** Whether something waits behind the event that came after the last attempt. */
function hasNews({ events }: CheckoutRecord, { id }: StoredEvent, now: number): boolean {
  return events.some((event) => event.id !== id && event.done_at === null && event.next_at <= now);
}

/** What waits behind an event has its turn no sooner than `at`. */
function withTurn(record: CheckoutRecord, id: string, at: number): CheckoutRecord {
  const waits = (event: StoredEvent): boolean => event.id !== id && event.done_at === null && event.next_at < at;
  if (!record.events.some(waits)) return record;
  return { ...record, events: record.events.map((event) => (waits(event) ? { ...event, next_at: at } : event)) };
}

interface Tried {
  outcome: Outcome;
  isEarly: boolean;
  now: number;
}

/** An attempt before its time uses up nothing of the schedule: callbacks would be through with it in minutes. */
function withOutcome(record: CheckoutRecord, id: string, { outcome, isEarly, now }: Tried): CheckoutRecord {
  const change = (next: (event: StoredEvent) => Partial<StoredEvent>): CheckoutRecord => ({
    ...record,
    events: record.events.map((event) => (event.id === id ? { ...event, ...next(event) } : event)),
  });
  if (outcome !== 'again') return change(() => ({ done_at: now }));
  const failed = isEarly ? record : change(({ attempts }) => ({ attempts: attempts + 1, next_at: now + waitAfter(attempts) }));
  return withTurn(failed, id, failed.events.find((event) => event.id === id)?.next_at ?? now);
}
