import type { Hmac } from '@crypto-checkout/protocol/signature';
import { notFound } from '../http/refusal.ts';
import { timestamp } from '../http/time.ts';
import { fits, openEnvelope } from '../order/envelope.ts';
import { invoiceIdOf, isCheckoutId } from '../order/identity.ts';
import type { Terms } from '../order/terms.ts';
import type { Service } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import { merge } from './merge.ts';
import { type ServiceInvoice, newRecord } from './record.ts';

export interface ResolverOptions {
  book: Book;
  service: Service;
  /** Gets what a reading is weighed with, such as rates. */
  prepare: () => Promise<unknown>;
  orderSecret: string;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  now: () => number;
}

export interface Found {
  live: Live;
  invoiceId: string;
}

export interface Resolved {
  live: Live;
  /** The invoice by whose id it was found; null when it was the checkout's own. */
  invoiceId: string | null;
}

const UNKNOWN_FOR_MS = 5000;
const MAX_REMEMBERED = 10_000;

/** Finds the checkout that an id means: its own, or one of its invoices in either form. */
export class Resolver {
  readonly #options: ResolverOptions;
  readonly #asking = new Map<string, Promise<Found | null>>();
  readonly #unknown = new Map<string, number>();
  readonly #parents = new Map<string, string>();

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** @throws Refusal 404, the same for every id that nobody may see */
  async resolve(id: string): Promise<Resolved> {
    const invoiceId = invoiceIdOf(id);
    if (invoiceId) {
      const found = await this.invoice(invoiceId);
      if (found) return found;
    }
    const live = isCheckoutId(id) ? await this.#options.book.find(id) : null;
    if (!live) throw notFound();
    return { live, invoiceId: null };
  }

  /** The checkout of an invoice; one that is not known yet is asked for, once for all askers. */
  async invoice(asked: string): Promise<Found | null> {
    const invoiceId = this.#parents.get(asked) ?? asked;
    const live = this.#options.book.peekInvoice(invoiceId) ?? (await this.#options.book.findInvoice(invoiceId));
    if (live) return { live, invoiceId };
    if ((this.#unknown.get(invoiceId) ?? -Infinity) > this.#options.now()) return null;
    let asking = this.#asking.get(invoiceId);
    if (!asking) {
      asking = this.#ask(invoiceId).finally(() => this.#asking.delete(invoiceId));
      this.#asking.set(invoiceId, asking);
    }
    return asking;
  }

  async #ask(invoiceId: string): Promise<Found | null> {
    const { service, now } = this.#options;
    const invoice = await service.invoice(invoiceId);
    if (invoice?.id !== invoiceId) {
      if (this.#unknown.size >= MAX_REMEMBERED) this.#unknown.clear();
      this.#unknown.set(invoiceId, now() + UNKNOWN_FOR_MS);
      return null;
    }
    const parent = invoice.lightning?.lnurl_invoice_id ?? null;
    if (parent === null || parent === invoiceId) return { live: await this.#attach(invoice), invoiceId };
    // An LNURL is paid through invoices of its own; the buyer knows the LNURL's.
    if (this.#parents.size >= MAX_REMEMBERED) this.#parents.clear();
    this.#parents.set(invoiceId, parent);
    return this.invoice(parent);
  }

  /**
   * An invoice that our store does not know: of an order of ours when its envelope says so and fits it, else of no order. Either
   * way its price is the service's, read just now.
   */
  async #attach(invoice: ServiceInvoice): Promise<Live> {
    const { book, service, prepare, envelopeKey, hmac, orderSecret, now } = this.#options;
    await prepare();
    const envelope = await openEnvelope(invoice.passthrough, await envelopeKey, hmac);
    const ours = envelope !== null && (await fits(envelope, invoice, orderSecret, hmac));
    const transactions = invoice.transactions > 0 || invoice.status !== 'new' ? await service.transactions(invoice.id) : null;
    const live = await book.begin(ours ? newRecord(envelope.checkout, envelope.terms, now()) : newRecord(invoice.id, NO_ORDER, now()));
    const reading = { invoice, transactions, attempt: ours ? envelope.attempt : null };
    const serverTime = timestamp(now() + service.offset());
    await book.change(live, (record) => {
      const merged = merge(record, [reading], serverTime);
      return merged.selected === null ? { ...merged, selected: invoice.id } : merged;
    });
    live.readAt = now();
    return live;
  }
}

const NO_ORDER: Terms = {
  order_id: null,
  amount: null,
  currency: null,
  description: null,
  success_url: null,
  shop_url: null,
  kinds: null,
  source: 'none',
  passthrough: null,
};
