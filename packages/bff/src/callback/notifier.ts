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
   * @param options.patiently only what is due by the schedule; otherwise everything, now
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
    const { now, book, log } = this.#options;
    for (;;) {
      const event = pendingOf(live.record);
      if (!event) return true;
      if (patiently && event.next_at > now()) return false;
      const { outcome, fault } = await this.#send(event);
      if (fault) log.warn({ checkout_id: live.id, event: event.id, outcome, ...fault }, `the shop did not accept an event: ${this.#place}`);
      await book.change(live, (record) => withOutcome(record, event.id, outcome, now()));
      if (outcome === 'again') return false;
    }
  }

  /** What an operator has to look at. */
  get #place(): string {
    return this.#options.shopWebhook ? 'look at what answers at SHOP_WEBHOOK_URL' : 'onEvent failed';
  }

  async #send(event: StoredEvent): Promise<Sent> {
    const { onEvent, shopWebhook } = this.#options;
    try {
      if (onEvent) await onEvent(JSON.parse(event.body) as ShopEvent);
      return shopWebhook ? await this.#post(event, shopWebhook) : { outcome: 'accepted' };
    } catch (error) {
      return { outcome: 'again', fault: { error, ...(shopWebhook && { url: shopWebhook.url }) } };
    }
  }

  /** Standard Webhooks: id, time and signature over the bytes; a redirect is a failure, because it would carry them elsewhere. */
  async #post(event: StoredEvent, { url, secret }: { url: string; secret: string }): Promise<Sent> {
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
    if (response.status >= 200 && response.status < 300) return { outcome: 'accepted' };
    return { outcome: response.status === 410 ? 'gone' : 'again', fault: { url, status: response.status } };
  }
}

/** `gone`: the shop answered 410, and wants to hear no more of this event. */
type Outcome = 'accepted' | 'again' | 'gone';

interface Sent {
  outcome: Outcome;
  /** What there is to say of it, for the operator. */
  fault?: { url?: string; status?: number; error?: unknown };
}

/** One after the other: a shop must not hear "paid" before "seen". */
function pendingOf(record: CheckoutRecord): StoredEvent | undefined {
  return record.events.find(({ done_at }) => done_at === null);
}

function withOutcome(record: CheckoutRecord, id: string, outcome: Outcome, now: number): CheckoutRecord {
  const events = record.events.map((event) => {
    if (event.id !== id) return event;
    if (outcome !== 'again') return { ...event, done_at: now };
    return { ...event, attempts: event.attempts + 1, next_at: now + (SCHEDULE[event.attempts] ?? 20 * HOUR) };
  });
  return { ...record, events };
}
