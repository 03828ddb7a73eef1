import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { CheckoutStanding } from '@crypto-checkout/protocol/checkout';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { Refusal, unavailable } from '../http/refusal.ts';
import { timestamp } from '../http/time.ts';
import type { Log } from '../options.ts';
import { sealEnvelope } from '../order/envelope.ts';
import { randomId } from '../order/identity.ts';
import type { OrderTerms } from '../order/terms.ts';
import { type Service, type ServiceProfile, ServiceRefusal, ServiceUnknown } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import { allowedKinds } from './coins.ts';
import { adopt, type LostInvoices } from './lost.ts';
import { merge } from './merge.ts';
import type { Reader } from './reader.ts';
import { type Attempt, type CheckoutInvoice, type ServiceInvoice, newestFor } from './record.ts';
import { amountDue, isReusable, refusalOf, requireRoom, requireUnpaid } from './rules.ts';
import { standingOf } from './standing.ts';
import { hasExpired, isRenewable, shownInvoice } from './view.ts';

export interface PaymentsOptions {
  book: Book;
  service: Service;
  reader: Reader;
  lost: LostInvoices;
  profile: () => Promise<ServiceProfile>;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  now: () => number;
  log: Log;
}

/** Gives checkouts their invoices: one for each coin that a buyer chooses, made when it is chosen, never two for one choice. */
export class Payments {
  readonly #options: PaymentsOptions;
  readonly #making = new Map<string, Promise<void>>();

  constructor(options: PaymentsOptions) {
    this.#options = options;
  }

  /**
   * Chooses or changes the coin. The same coin again is the same invoice, or a new quote of it once it ran out.
   * @throws Refusal
   */
  async choose(live: Live, kind: string, invoiceId: string | null): Promise<void> {
    const profile = await this.#profile();
    const { terms } = live.record;
    const only = invoiceId === null ? null : live.record.invoices.find(({ id }) => id === invoiceId)?.kind;
    const known = only === null ? terms.source !== 'none' && allowedKinds(terms, profile).includes(kind) : kind === only;
    if (!known) throw new Refusal(400, 'CurrencyNotEnabled', `This order doesn't support selected payment currency ${kind.slice(0, 40)}.`);
    await this.#once(`${live.id} ${kind}`, async () => {
      const standing = this.#standing(live, profile);
      requireUnpaid(standing);
      const newest = newestFor(live.record, kind);
      if (newest && isReusable(newest, live.record, standing)) await this.#select(live, newest, standing);
      else await this.#make(live, kind, profile, standing);
    });
  }

  /**
   * A new quote after expiry; with `extend`, one more period at the same rate while the quote runs.
   * @throws Refusal
   */
  async renew(live: Live, invoiceId: string | null, { extend }: { extend: boolean }): Promise<void> {
    const profile = await this.#profile();
    await this.#once(`${live.id} renew`, async () => {
      const invoice = shownInvoice(live.record, invoiceId, this.#serverTime());
      if (!invoice) throw new Refusal(409, 'InvalidState', 'There is no quote to renew: choose a coin first.');
      const standing = this.#standing(live, profile);
      requireUnpaid(standing);
      if (extend) {
        if (hasExpired(invoice, this.#serverTime())) throw new Refusal(409, 'InvalidState', 'The quote has run out; ask for a new one.');
        await this.#requote(live, invoice, { extend: true });
      } else {
        if (!isRenewable(invoice, standing, this.#serverTime()))
          throw new Refusal(409, 'InvalidState', 'The quote still stands; there is nothing to renew.');
        await this.#renewNow(live, invoice, profile, standing);
      }
    });
  }

  /**
   * Looks for invoices whose answer was lost: they are in the service's list, and carry our envelope. What is not there after a
   * while was never made.
   */
  async recover(live: Live): Promise<void> {
    const open = live.record.attempts.filter(({ kind }) => !this.#making.has(`${live.id} ${kind}`));
    if (open.length > 0) await this.#options.lost.settle(live, open);
  }

  /** The same coin again: shown again, with a new quote when the old one ran out. */
  async #select(live: Live, invoice: CheckoutInvoice, standing: CheckoutStanding): Promise<void> {
    await this.#options.book.change(live, (record) => (record.selected === invoice.id ? record : { ...record, selected: invoice.id }));
    if (isRenewable(invoice, standing, this.#serverTime())) await this.#renewNow(live, invoice, await this.#profile(), standing);
  }

  async #renewNow(live: Live, invoice: CheckoutInvoice, profile: ServiceProfile, standing: CheckoutStanding): Promise<void> {
    const partly = parseAmount(standing.payments[invoice.id]?.paid ?? '0') > 0n;
    // A quote that a payment counts at can't change: the rest gets an invoice of its own.
    if (!partly && (await this.#requote(live, invoice, { extend: false }))) return;
    if (live.record.terms.source === 'none') await this.#copy(live, invoice, partly);
    else await this.#make(live, invoice.kind, profile, standing);
  }

  /** Answers false when the service can't renew. */
  async #requote(live: Live, invoice: CheckoutInvoice, options: { extend: boolean }): Promise<boolean> {
    const { service, book, reader } = this.#options;
    let renewed: ServiceInvoice | null;
    try {
      renewed = await service.renewInvoice(invoice.id, options);
    } catch (error) {
      // Whether it was renewed or not, the invoice itself says what counts now.
      await reader.readAnew(live, invoice.id).catch(() => undefined);
      if (error instanceof ServiceUnknown && this.#isOpen(live, invoice.id) && !options.extend) return true;
      if (error instanceof ServiceRefusal && error.status === 429)
        throw new Refusal(429, 'RateLimited', 'Too many new quotes for this payment; try again later.', { retryAfter: 60, cause: error });
      throw refusalOf(error);
    }
    if (!renewed && options.extend) throw new Refusal(409, 'InvalidState', 'The quote cannot be prolonged.');
    if (!renewed) return false;
    const reading = { invoice: renewed, transactions: null };
    await book.change(live, (record) => merge(record, [reading], timestamp(this.#serverTime())));
    return true;
  }

  #isOpen(live: Live, invoiceId: string): boolean {
    const invoice = live.record.invoices.find(({ id }) => id === invoiceId);
    return invoice !== undefined && !hasExpired(invoice, this.#serverTime());
  }

  /** Makes an invoice for what is still due: noted first, then asked for, then noted again. */
  async #make(live: Live, kind: string, profile: ServiceProfile, standing: CheckoutStanding): Promise<void> {
    const { book, service, now } = this.#options;
    const terms = live.record.terms as OrderTerms;
    const known = live.record.attempts.filter((one) => one.kind === kind);
    if (known.length > 0) {
      await this.#options.lost.settle(live, known).catch((error: unknown) => Promise.reject(refusalOf(error)));
      const recovered = newestFor(live.record, kind);
      if (recovered && known.some(({ attempt }) => attempt === recovered.attempt)) {
        await book.change(live, (record) => ({ ...record, selected: recovered.id }));
        return;
      }
      if (live.record.attempts.some((one) => one.kind === kind)) throw unavailable(undefined, 3);
    }
    requireRoom(live.record, kind, this.#serverTime());
    const requested = amountDue(standing, terms);
    const attempt: Attempt = { kind, attempt: randomId(), requested, begun_at: now(), since: this.#serverTime(), ended_at: null };
    const passthrough = await this.#seal(live, attempt, profile, terms);
    await book.change(live, (record) =>
      record.attempts.some((one) => one.kind === kind) ? record : { ...record, attempts: [...record.attempts, attempt] },
    );
    // Another process was faster, and is at it now.
    if (!live.record.attempts.some((one) => one.attempt === attempt.attempt)) throw unavailable(undefined, 1);

    const notes = terms.description;
    const found = await service
      .createInvoice({ kind, amount: requested, currency: terms.currency, passthrough, notes })
      .catch((error: unknown) => this.#afterFailure(live, attempt, error));
    await book.change(live, (record) => adopt(record, [{ invoice: found, attempt: attempt.attempt }], timestamp(this.#serverTime()), true));
  }

  /** A refusal is the end of the attempt. After anything else the invoice may be there: found at once, or looked for later. */
  async #afterFailure(live: Live, attempt: Attempt, error: unknown): Promise<ServiceInvoice> {
    const { book, now, log } = this.#options;
    if (error instanceof ServiceRefusal) {
      await book.change(live, (record) => ({ ...record, attempts: record.attempts.filter((one) => one.attempt !== attempt.attempt) }));
      throw refusalOf(error);
    }
    log.warn({ error, checkout_id: live.id, kind: attempt.kind }, 'an invoice was asked for, and the answer is not certain');
    const ended = now();
    await book.change(live, (record) => ({
      ...record,
      attempts: record.attempts.map((one) => (one.attempt === attempt.attempt ? { ...one, ended_at: ended } : one)),
    }));
    const [lost] = await this.#options.lost.search(live, [attempt]).then(
      ({ found }) => found,
      () => [],
    );
    if (lost) return lost.invoice;
    throw unavailable(error, 3);
  }

  async #seal(live: Live, { attempt, kind, requested }: Attempt, profile: ServiceProfile, terms: OrderTerms): Promise<string> {
    const { envelopeKey, hmac } = this.#options;
    const network = profile.currencies.find((currency) => currency.kind === kind)?.network ?? '';
    return sealEnvelope({ checkout: live.id, attempt, profile: profile.id, network, kind, requested, terms }, await envelopeKey, hmac);
  }

  /** An invoice that somebody made through the API, on a service that can't renew: the same once more, shown in its place. */
  async #copy(live: Live, invoice: CheckoutInvoice, partly: boolean): Promise<void> {
    const { book, service } = this.#options;
    const requested = invoice.amount.requested;
    if (partly || !requested) throw new Refusal(409, 'InvalidState', 'A payment counts at this quote; it cannot be renewed.');
    requireRoom(live.record, invoice.kind, this.#serverTime());
    try {
      const original = await service.invoice(invoice.id);
      const { kind, notes } = invoice;
      const copy = await service.createInvoice({ kind, notes, ...requested, passthrough: original?.passthrough ?? null });
      await book.change(live, (record) => adopt(record, [{ invoice: copy, attempt: null }], timestamp(this.#serverTime()), true));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  #standing(live: Live, profile: ServiceProfile): CheckoutStanding {
    return standingOf(live.record, { profile, serverTime: this.#serverTime() });
  }

  #serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }

  async #profile(): Promise<ServiceProfile> {
    return this.#options.profile().catch((error: unknown) => Promise.reject(refusalOf(error)));
  }

  /** Choices that come at the same time are one choice. */
  #once(key: string, work: () => Promise<void>): Promise<void> {
    const under = this.#making.get(key);
    if (under) return under;
    const mine = work().finally(() => this.#making.delete(key));
    this.#making.set(key, mine);
    return mine;
  }
}
