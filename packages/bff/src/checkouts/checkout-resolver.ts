import type { Hmac } from '@crypto-checkout/protocol/signature';
import { HttpError, notFound } from '../http/http-error.ts';
import type { RateLimiter } from '@crypto-checkout/protocol/rate-limiter';
import { timestamp } from '../http/timestamp.ts';
import { envelopeMatches, openEnvelope } from '../orders/envelope.ts';
import { invoiceIdOf, isCheckoutId } from '../orders/ids.ts';
import { NO_ORDER } from '../orders/terms.ts';
import type { Service } from '../service/service.ts';
import type { CheckoutRepository, LoadedCheckout } from './repository/checkout-repository.ts';
import { mergeReadings } from './repository/merge-readings.ts';
import type { ServiceInvoice } from '../service/schema.ts';
import type { CheckoutRebuilder } from './rebuild/checkout-rebuilder.ts';
import { newRecord } from './repository/record.ts';

export interface CheckoutResolverOptions {
  repository: CheckoutRepository;
  service: Service;
  rebuilder: CheckoutRebuilder;
  /** Limits look-ups of unknown ids at the service, of all callers together. */
  lookups: RateLimiter;
  /** Loads the rates that price late payments. */
  loadRates: () => Promise<unknown>;
  orderSecret: string;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  now: () => number;
  steady: () => number;
}

export interface ResolvedInvoice {
  checkout: LoadedCheckout;
  invoiceId: string;
}

export interface ResolvedCheckout {
  checkout: LoadedCheckout;
  /** The invoice that the id belongs to; null for the checkout's own id. */
  invoiceId: string | null;
}

const NOT_FOUND_CACHE_MS = 5000;
const MAX_REMEMBERED = 10_000;
/** All callers share one key of the limiter. */
const SHARED_KEY = '';

/** Finds the checkout of an id: its own, or that of one of its invoices in either form. */
export class CheckoutResolver {
  readonly #options: CheckoutResolverOptions;
  readonly #lookingUp = new Map<string, Promise<ResolvedInvoice | null>>();
  readonly #unknown = new Map<string, number>();
  readonly #parents = new Map<string, string>();

  constructor(options: CheckoutResolverOptions) {
    this.#options = options;
  }

  /** @throws HttpError 404, the same for every id without access */
  async resolve(id: string): Promise<ResolvedCheckout> {
    const invoiceId = invoiceIdOf(id);
    if (invoiceId) {
      const found = await this.resolveInvoice(invoiceId);
      if (found) return found;
    }
    const checkout = isCheckoutId(id) ? await this.#find(id) : null;
    if (!checkout) throw notFound();
    return { checkout, invoiceId: null };
  }

  async #find(id: string): Promise<LoadedCheckout | null> {
    const { repository, rebuilder } = this.#options;
    const checkout = await repository.find(id);
    if (checkout) return checkout;
    await rebuilder.ensureRebuilt(id);
    return repository.find(id);
  }

  /**
   * The checkout of an invoice. An unknown invoice is read from the service, once for concurrent
   * requests.
   * @param isSigned the service itself named the invoice, so its look-up is not limited
   * @throws HttpError 429 after too many look-ups of unknown ids
   */
  async resolveInvoice(
    id: string,
    { isSigned = false }: { isSigned?: boolean } = {},
  ): Promise<ResolvedInvoice | null> {
    const invoiceId = this.#parents.get(id) ?? id;
    const checkout =
      this.#options.repository.peekByInvoice(invoiceId) ??
      (await this.#options.repository.findByInvoice(invoiceId));
    if (checkout) return { checkout, invoiceId };
    if ((this.#unknown.get(invoiceId) ?? -Infinity) > this.#options.steady()) return null;
    let lookUp = this.#lookingUp.get(invoiceId);
    if (!lookUp) {
      if (!isSigned) this.#spendLookup();
      lookUp = this.#lookUp(invoiceId, isSigned).finally(() => this.#lookingUp.delete(invoiceId));
      this.#lookingUp.set(invoiceId, lookUp);
    }
    return lookUp;
  }

  #spendLookup(): void {
    const { lookups, steady } = this.#options;
    const wait = lookups.take(SHARED_KEY, steady());
    if (wait > 0)
      throw new HttpError(
        429,
        'RateLimited',
        'Too many requests with unknown ids at the moment; try again shortly.',
        { retryAfter: wait / 1000 },
      );
  }

  async #lookUp(invoiceId: string, isSigned: boolean): Promise<ResolvedInvoice | null> {
    const { service, steady } = this.#options;
    const invoice = await service.invoice(invoiceId);
    if (invoice?.id !== invoiceId) {
      if (this.#unknown.size >= MAX_REMEMBERED) this.#unknown.clear();
      this.#unknown.set(invoiceId, steady() + NOT_FOUND_CACHE_MS);
      return null;
    }
    // The id of an invoice cannot be guessed: this one came from the shop.
    if (!isSigned) this.#options.lookups.giveBack(SHARED_KEY);
    const parent = invoice.lightning?.lnurl_invoice_id ?? null;
    if (parent === null || parent === invoiceId)
      return { checkout: await this.#attach(invoice), invoiceId };
    // An LNURL is paid through invoices of its own; the buyer has the id of the LNURL.
    if (this.#parents.size >= MAX_REMEMBERED) this.#parents.clear();
    this.#parents.set(invoiceId, parent);
    return this.resolveInvoice(parent, { isSigned });
  }

  /**
   * Creates a checkout for an invoice without a stored one: with its order if the envelope is valid
   * and matches, else without an order. Its price is the one that the service has just returned.
   */
  async #attach(invoice: ServiceInvoice): Promise<LoadedCheckout> {
    const { repository, service, loadRates, envelopeKey, hmac, orderSecret, now, steady } =
      this.#options;
    await loadRates();
    const envelope = await openEnvelope(invoice.passthrough, await envelopeKey, hmac);
    const isOurs =
      envelope !== null && (await envelopeMatches(envelope, invoice, orderSecret, hmac));
    const transactions =
      invoice.transactions > 0 || invoice.status !== 'new'
        ? await service.transactions(invoice.id)
        : null;
    const checkout = await repository.findOrCreate(
      isOurs
        ? newRecord(envelope.checkout, envelope.terms, now())
        : newRecord(invoice.id, NO_ORDER, now()),
    );
    const reading = { invoice, transactions, attempt: isOurs ? envelope.attempt : null };
    const serverTime = timestamp(now() + service.offset());
    await repository.update(checkout, (record) => {
      const merged = mergeReadings(record, [reading], serverTime);
      return merged.selected === null ? { ...merged, selected: invoice.id } : merged;
    });
    checkout.readAt = steady();
    return checkout;
  }
}
