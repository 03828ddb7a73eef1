import type { Hmac } from '@crypto-checkout/protocol/signature';
import { timestamp } from '../http/time.ts';
import { fits, openEnvelope } from '../order/envelope.ts';
import type { Service } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import { merge } from './merge.ts';
import type { Attempt, CheckoutRecord, ServiceInvoice } from './record.ts';

export interface LostInvoicesOptions {
  book: Book;
  service: Service;
  orderSecret: string;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  now: () => number;
}

/** A request whose answer was lost is given so long to show up in the service's list before another one is sent. */
const LOST_MS = 10_000;
/** The same, where the list is too long to be looked through. */
const UNSEEN_MS = 15 * 60_000;
const MAX_PAGES = 40;
/** How far the clocks of list and attempt may be apart. */
const MARGIN_MS = 60_000;

/**
 * Finds invoices whose answer was lost: they are in the service's list, and carry our envelope. What is not there after a while was
 * never made.
 */
export class LostInvoices {
  readonly #options: LostInvoicesOptions;

  constructor(options: LostInvoicesOptions) {
    this.#options = options;
  }

  /**
   * Takes what is found into the record, and drops what was never made.
   * @param attempts of this checkout, none of them under way
   */
  async settle(live: Live, attempts: readonly Attempt[]): Promise<void> {
    const { book, service, now } = this.#options;
    const { found, whole } = await this.search(live, attempts);
    const longAgo = now() - (whole ? LOST_MS : UNSEEN_MS);
    await book.change(live, (record) => {
      const adopted = found.length > 0 ? adopt(record, found, timestamp(now() + service.offset()), record.selected === null) : record;
      const lost = adopted.attempts.filter(
        (one) => attempts.some(({ attempt }) => attempt === one.attempt) && (one.ended_at ?? one.begun_at) < longAgo,
      );
      return lost.length > 0 ? { ...adopted, attempts: adopted.attempts.filter((one) => !lost.includes(one)) } : adopted;
    });
  }

  /** Looks through the list as far back as the attempts; `whole` when it came that far. */
  async search(live: Live, attempts: readonly Attempt[]): Promise<{ found: Found[]; whole: boolean }> {
    const { service, envelopeKey, hmac, orderSecret } = this.#options;
    const since = Math.min(...attempts.map((attempt) => attempt.since)) - MARGIN_MS;
    const found: Found[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const invoices = (await service.invoices(page)) ?? [];
      for (const invoice of invoices) {
        const envelope = await openEnvelope(invoice.passthrough, await envelopeKey, hmac);
        const attempt = attempts.find((one) => one.attempt === envelope?.attempt);
        if (!envelope || !attempt || envelope.checkout !== live.id) continue;
        if (await fits(envelope, invoice, orderSecret, hmac)) found.push({ invoice, attempt });
      }
      const last = invoices.at(-1);
      if (!last || found.length >= attempts.length || Date.parse(last.created_at) < since) return { found, whole: true };
    }
    return { found, whole: false };
  }
}

export interface Found {
  invoice: ServiceInvoice;
  /** Null for a copy of an invoice that belongs to no order. */
  attempt: Pick<Attempt, 'attempt' | 'quoted_for'> | null;
}

/** Takes invoices that we made into the record, and shows the last one if it is `wanted`. */
export function adopt(record: CheckoutRecord, found: readonly Found[], serverTime: string, wanted: boolean): CheckoutRecord {
  const readings = found.map(({ invoice, attempt }) => ({
    invoice,
    attempt: attempt?.attempt ?? null,
    quotedFor: attempt?.quoted_for ?? ('wallet' as const),
    transactions: null,
  }));
  const merged = merge(record, readings, serverTime);
  const attempts = merged.attempts.filter((one) => !found.some(({ attempt }) => attempt?.attempt === one.attempt));
  return { ...merged, attempts, selected: (wanted ? found.at(-1)?.invoice.id : null) ?? merged.selected };
}
