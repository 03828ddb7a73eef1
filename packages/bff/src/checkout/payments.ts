import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { type CheckoutStanding, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { Refusal, unavailable } from '../http/refusal.ts';
import { timestamp } from '../http/time.ts';
import type { Log } from '../options.ts';
import { fits, openEnvelope, sealEnvelope } from '../order/envelope.ts';
import { randomId } from '../order/identity.ts';
import type { OrderTerms } from '../order/terms.ts';
import { type Service, type ServiceProfile, ServiceRefusal, ServiceUnknown } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import { allowedKinds } from './coins.ts';
import { merge } from './merge.ts';
import type { Reader } from './reader.ts';
import { type Attempt, type CheckoutInvoice, type CheckoutRecord, type ServiceInvoice, newestFor } from './record.ts';
import { standingOf } from './standing.ts';
import { hasExpired, isRenewable, shownInvoice } from './view.ts';

export interface PaymentsOptions {
  book: Book;
  service: Service;
  reader: Reader;
  profile: () => Promise<ServiceProfile>;
  orderSecret: string;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  now: () => number;
  log: Log;
}

/** One order, at most so many coins (design). */
const MAX_COINS = 8;
/** Invoices for one coin within an hour, as often as the service renews one (decisions, "Renew"). */
const MAX_AN_HOUR = 6;
/** A request whose answer was lost is given so long to show up in the service's list before another one is sent. */
const LOST_MS = 10_000;
/** The same, where the list is too long to be looked through. */
const UNSEEN_MS = 15 * 60_000;
const MAX_PAGES = 40;
/** How far the clocks of list and attempt may be apart. */
const MARGIN_MS = 60_000;

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
    if (open.length > 0) await this.#findLost(live, open);
  }

  async #findLost(live: Live, attempts: readonly Attempt[]): Promise<void> {
    const { book, now } = this.#options;
    const { found, whole } = await this.#search(live, attempts);
    const longAgo = now() - (whole ? LOST_MS : UNSEEN_MS);
    await book.change(live, (record) => {
      const adopted = found.length > 0 ? adopt(record, found, timestamp(this.#serverTime())) : record;
      const lost = adopted.attempts.filter(
        (one) => attempts.some(({ attempt }) => attempt === one.attempt) && (one.ended_at ?? one.begun_at) < longAgo,
      );
      return lost.length > 0 ? { ...adopted, attempts: adopted.attempts.filter((one) => !lost.includes(one)) } : adopted;
    });
  }

  /** Looks through the list as far back as the attempts; `whole` when it came that far. */
  async #search(live: Live, attempts: readonly Attempt[]): Promise<{ found: Found[]; whole: boolean }> {
    const { service, envelopeKey, hmac, orderSecret } = this.#options;
    const since = Math.min(...attempts.map(({ begun_at }) => begun_at)) + service.offset() - MARGIN_MS;
    const found: Found[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const invoices = (await service.invoices(page)) ?? [];
      for (const invoice of invoices) {
        const envelope = await openEnvelope(invoice.passthrough, await envelopeKey, hmac);
        if (envelope?.checkout !== live.id || !attempts.some(({ attempt }) => attempt === envelope.attempt)) continue;
        if (await fits(envelope, invoice, orderSecret, hmac)) found.push({ invoice, attempt: envelope.attempt });
      }
      const last = invoices.at(-1);
      if (!last || found.length >= attempts.length || Date.parse(last.created_at) < since) return { found, whole: true };
    }
    return { found, whole: false };
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
      await this.#findLost(live, known).catch((error: unknown) => Promise.reject(refusalOf(error)));
      const recovered = newestFor(live.record, kind);
      if (recovered && known.some(({ attempt }) => attempt === recovered.attempt)) return;
      if (live.record.attempts.some((one) => one.kind === kind)) throw unavailable(undefined, 3);
    }
    requireRoom(live.record, kind, this.#serverTime());
    const requested = amountDue(standing, terms);
    const attempt: Attempt = { kind, attempt: randomId(), requested, begun_at: now(), ended_at: null };
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
    await book.change(live, (record) => adopt(record, [{ invoice: found, attempt: attempt.attempt }], timestamp(this.#serverTime())));
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
    const [lost] = await this.#search(live, [attempt]).then(
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
      await book.change(live, (record) => adopt(record, [{ invoice: copy, attempt: null }], timestamp(this.#serverTime())));
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

interface Found {
  invoice: ServiceInvoice;
  attempt: string | null;
}

/** Takes invoices that we made into the record, and shows the last one. */
function adopt(record: CheckoutRecord, found: readonly Found[], serverTime: string): CheckoutRecord {
  const readings = found.map(({ invoice, attempt }) => ({ invoice, attempt, transactions: null }));
  const merged = merge(record, readings, serverTime);
  const attempts = merged.attempts.filter((one) => !found.some(({ attempt }) => attempt === one.attempt));
  return { ...merged, attempts, selected: found.at(-1)?.invoice.id ?? merged.selected };
}

function requireUnpaid(standing: CheckoutStanding): void {
  if (isPaidStage(standing.stage)) throw new Refusal(409, 'InvalidState', 'This order is paid already.');
  if (standing.remaining === '0') throw new Refusal(409, 'InvalidState', 'The payment for this order is on its way.');
  if (standing.stage === 'held' || standing.stage === 'wait')
    throw new Refusal(409, 'InvalidState', 'A payment for this order is being checked; please wait.');
}

/** Whether an invoice still asks for what is due. A lightning request has its amount inside; an address can be paid any amount. */
function isReusable(invoice: CheckoutInvoice, { terms, transactions }: CheckoutRecord, standing: CheckoutStanding): boolean {
  const requested = invoice.amount.requested;
  if (terms.source === 'none') return true;
  if (transactions.some((one) => one.invoice?.id === invoice.id)) return invoice.status !== 'complete' && invoice.status !== 'paid';
  if (!requested || requested.currency !== terms.currency || standing.remaining === null) return false;
  const [asked, due] = [parseAmount(requested.amount), parseAmount(standing.remaining)];
  return kindOf(invoice.kind)?.chain === 'lightning' ? asked === due : asked >= due;
}

/** What a new invoice asks for: all of the order, as the shop wrote it, or what other payments have left. */
function amountDue(standing: CheckoutStanding, terms: OrderTerms): string {
  const remaining = parseAmount(standing.remaining ?? terms.amount);
  return remaining === parseAmount(terms.amount) ? terms.amount : formatAmount(remaining);
}

function requireRoom(record: CheckoutRecord, kind: string, serverTime: number): void {
  const kinds = new Set([...record.invoices.map((invoice) => invoice.kind), kind]);
  if (kinds.size > MAX_COINS) throw new Refusal(409, 'InvalidState', `An order can be tried with at most ${MAX_COINS} coins.`);
  const lately = record.invoices.filter((invoice) => invoice.kind === kind && serverTime - Date.parse(invoice.created_at) < 3_600_000);
  if (lately.length >= MAX_AN_HOUR)
    throw new Refusal(409, 'InvalidState', 'Too many new quotes for this coin; take another one, or wait an hour.');
}

/** What a buyer is told about the service's answer: never its details. */
function refusalOf(error: unknown): unknown {
  if (error instanceof Refusal) return error;
  if (error instanceof ServiceUnknown) return unavailable(error);
  if (!(error instanceof ServiceRefusal)) return error;
  const options = { cause: error };
  if (error.status === 429) return new Refusal(503, null, 'The payment service is busy; try again shortly.', { ...options, retryAfter: 2 });
  if (error.status === 409)
    return new Refusal(409, 'InvalidState', 'The payment service allows no new quote for this payment now.', options);
  if (error.reason === 'CurrencyNotEnabled')
    return new Refusal(400, 'CurrencyNotEnabled', "This order doesn't support selected payment currency.", options);
  if (error.status === 400)
    return new Refusal(409, 'InvalidState', 'The payment service makes no invoice for this order in this coin.', options);
  return unavailable(error);
}
