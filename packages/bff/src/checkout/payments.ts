import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { CheckoutStanding, PaymentSource } from '@crypto-checkout/protocol/checkout';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { InvoiceExpiration } from '@crypto-checkout/protocol/schema/invoice';
import { Refusal } from '../http/refusal.ts';
import { timestamp } from '../http/time.ts';
import { type Service, type ServiceProfile, ServiceRefusal, ServiceUnknown } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import { allowedKinds } from './coins.ts';
import type { LostInvoices } from './lost.ts';
import { type Maker, type Slot, slotOf } from './maker.ts';
import { merge } from './merge.ts';
import type { Reader } from './reader.ts';
import { type CheckoutInvoice, type CheckoutRecord, type ServiceInvoice, newestFor } from './record.ts';
import { isOutdated, isReusable, refusalOf, requireUnpaid } from './rules.ts';
import { standingOf } from './standing.ts';
import { hasExpired, shownInvoice } from './shown.ts';
import { isExtendable, isRenewable } from './view.ts';

export interface PaymentsOptions {
  book: Book;
  service: Service;
  reader: Reader;
  lost: LostInvoices;
  maker: Maker;
  profile: () => Promise<ServiceProfile>;
  exchangeSeconds: InvoiceExpiration | null;
  now: () => number;
}

export interface Choice {
  kind: string;
  /** Default what the buyer said the last time. */
  from?: PaymentSource | undefined;
}

/** Gives checkouts their invoices: one for each coin that a buyer chooses, made when it is chosen, never two for one choice. */
export class Payments {
  readonly #options: PaymentsOptions;
  readonly #making = new Map<string, Promise<void>>();

  constructor(options: PaymentsOptions) {
    this.#options = options;
  }

  /**
   * Chooses or changes the coin, or where it is paid from. The same choice again is the same invoice, or a new quote of it once it
   * ran out.
   * @throws Refusal
   */
  async choose(live: Live, { kind, from = live.record.from }: Choice, invoiceId: string | null): Promise<void> {
    const profile = await this.#profile();
    const { terms } = live.record;
    const only = invoiceId === null ? undefined : live.record.invoices.find(({ id }) => id === invoiceId);
    const known = invoiceId === null ? terms.source !== 'none' && allowedKinds(terms, profile).includes(kind) : kind === only?.kind;
    if (!known) throw new Refusal(400, 'CurrencyNotEnabled', `This order doesn't support selected payment currency ${kind.slice(0, 40)}.`);
    // Whoever came by an invoice's address is shown that invoice, wherever it is paid from.
    const slot = only ? slotOf(only) : { kind, quotedFor: this.#quotedFor(kind, from, profile) };
    await this.#once(keyOf(live, slot), async () => {
      const standing = this.#standing(live, profile);
      requireUnpaid(standing);
      const invoice = this.#known(live.record, slot);
      const again = invoice && isReusable(invoice, live.record, standing);
      // The shop decides about what came late: whoever goes on all the same asks for a price anew.
      if (again && standing.stage !== 'late') await this.#select(live, invoice, standing, from);
      else await this.#options.maker.make(live, slot, profile, standing, { from, isNew: true });
    });
    // Whoever joined another's choice of the same coin may have said something else here.
    await this.#options.book.change(live, (record) => (record.from === from ? record : { ...record, from }));
  }

  /** An invoice of its own only where that has a longer quote; one for an exchange also serves a wallet while it runs. */
  #quotedFor(kind: string, from: PaymentSource, profile: ServiceProfile): PaymentSource {
    const { exchangeSeconds } = this.#options;
    // An LNURL never expires: it is priced when it is paid (decisions, "LNURL").
    if (kindOf(kind)?.paymentString === 'lnurl') return 'wallet';
    return from === 'exchange' && exchangeSeconds !== null && exchangeSeconds > profile.invoiceExpiration ? 'exchange' : 'wallet';
  }

  #known(record: CheckoutRecord, { kind, quotedFor }: Slot): CheckoutInvoice | undefined {
    const own = newestFor(record, kind, quotedFor);
    const longer = own || quotedFor === 'exchange' ? undefined : newestFor(record, kind, 'exchange');
    return own ?? (longer && !hasExpired(longer, this.#serverTime()) ? longer : undefined);
  }

  /**
   * A new quote after expiry; with `extend`, one more period at the same rate while the quote runs.
   * @throws Refusal
   */
  async renew(live: Live, invoiceId: string | null, { extend }: { extend: boolean }): Promise<void> {
    const profile = await this.#profile();
    const invoice = shownInvoice(live.record, invoiceId, this.#serverTime());
    if (!invoice) throw new Refusal(409, 'InvalidState', 'There is no quote to renew: choose a coin first.');
    await this.#once(`${live.id} ${extend ? 'extend' : 'renew'} ${invoice.id}`, async () => {
      const standing = this.#standing(live, profile);
      requireUnpaid(standing);
      if (extend) {
        if (hasExpired(invoice, this.#serverTime())) throw new Refusal(409, 'InvalidState', 'The quote has run out; ask for a new one.');
        if (!isExtendable(invoice, live.record, standing, this.#serverTime()))
          throw new Refusal(409, 'InvalidState', 'A quote is held longer once, and only while no payment was seen.');
        await this.#requote(live, invoice, { extend: true });
      } else {
        if (!isRenewable(invoice, live.record, standing, this.#serverTime()))
          throw new Refusal(409, 'InvalidState', 'There is nothing to renew: the price still holds, or the shop decides first.');
        await this.#renewNow(live, invoice, profile, standing);
      }
    });
  }

  /**
   * Looks for invoices whose answer was lost: they are in the service's list, and carry our envelope. What is not there after a
   * while was never made.
   */
  async recover(live: Live): Promise<void> {
    const open = live.record.attempts.filter((attempt) => !this.#making.has(keyOf(live, slotOf(attempt))));
    if (open.length > 0) await this.#options.lost.settle(live, open);
  }

  /** The same coin again: shown again, with a new quote when the old one ran out. */
  async #select(live: Live, { id }: CheckoutInvoice, standing: CheckoutStanding, from: PaymentSource): Promise<void> {
    const same = ({ selected, from: before }: CheckoutRecord): boolean => selected === id && before === from;
    await this.#options.book.change(live, (record) => (same(record) ? record : { ...record, selected: id, from }));
    const invoice = live.record.invoices.find((one) => one.id === id);
    if (invoice && isRenewable(invoice, live.record, standing, this.#serverTime()))
      await this.#renewNow(live, invoice, await this.#profile(), standing);
  }

  async #renewNow(live: Live, invoice: CheckoutInvoice, profile: ServiceProfile, standing: CheckoutStanding): Promise<void> {
    const own = standing.payments[invoice.id];
    const partly = own !== undefined && (parseAmount(own.paid) > 0n || own.late !== null);
    // A quote at which money came can't change, nor can a request's amount: what is due gets an invoice of its own.
    const changes = !partly && !isOutdated(invoice, live.record, standing);
    if (changes && (await this.#requote(live, invoice, { extend: false }))) return;
    if (live.record.terms.source !== 'none') await this.#options.maker.make(live, slotOf(invoice), profile, standing);
    else if (partly) throw new Refusal(409, 'InvalidState', 'Money came at this quote; it cannot be renewed.');
    else await this.#options.maker.copy(live, invoice);
  }

  /** Answers false when the service can't renew. */
  async #requote(live: Live, invoice: CheckoutInvoice, options: { extend: boolean }): Promise<boolean> {
    const { service, book, reader } = this.#options;
    let renewed: ServiceInvoice | null;
    try {
      renewed = await service.renewInvoice(invoice.id, options);
    } catch (error) {
      if (options.extend && error instanceof ServiceRefusal && error.status === 409) await book.change(live, extended(invoice.id));
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

  #standing(live: Live, profile: ServiceProfile): CheckoutStanding {
    return standingOf(live.record, { profile, serverTime: this.#serverTime() });
  }

  #serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }

  async #profile(): Promise<ServiceProfile> {
    return this.#options.profile().catch((error: unknown) => Promise.reject(refusalOf(error)));
  }

  /** The same choice, or renewal, made at the same time is one. */
  #once(key: string, work: () => Promise<void>): Promise<void> {
    const under = this.#making.get(key);
    if (under) return under;
    const mine = work().finally(() => this.#making.delete(key));
    this.#making.set(key, mine);
    return mine;
  }
}

const keyOf = (live: Live, { kind, quotedFor }: Slot): string => `${live.id} ${kind} ${quotedFor}`;

/** Somebody else prolonged this quote before: it is not offered again. */
const extended =
  (invoiceId: string) =>
  (record: CheckoutRecord): CheckoutRecord => ({
    ...record,
    invoices: record.invoices.map((invoice) =>
      invoice.id === invoiceId
        ? {
            ...invoice,
            quotes: invoice.quotes.map((quote, index, { length }) => (index === length - 1 ? { ...quote, extended: true } : quote)),
          }
        : invoice,
    ),
  });
