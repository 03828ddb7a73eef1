import type { CheckoutStanding, PaymentSource } from '@crypto-checkout/protocol/checkout';
import type { InvoiceExpiration } from '@crypto-checkout/protocol/schema/invoice';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { Refusal, unavailable } from '../http/refusal.ts';
import { timestamp } from '../http/time.ts';
import type { Log } from '../options.ts';
import { sealEnvelope } from '../order/envelope.ts';
import { randomId } from '../order/identity.ts';
import type { OrderTerms } from '../order/terms.ts';
import { type Service, type ServiceProfile, ServiceRefusal } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import { requireRelayed } from './coins.ts';
import { adopt, type Found, type LostInvoices } from './lost.ts';
import { type Attempt, type CheckoutInvoice, newestFor } from './record.ts';
import { amountDue, refusalOf, requireRoom } from './rules.ts';

export interface MakerOptions {
  book: Book;
  service: Service;
  lost: LostInvoices;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  /** How long a quote for an exchange holds; null where the service can't be asked for one. */
  exchangeSeconds: InvoiceExpiration | null;
  rates: () => ReadonlyMap<string, string> | null;
  now: () => number;
  log: Log;
}

/** A coin, and whom its quote is for. */
export interface Slot {
  kind: string;
  quotedFor: PaymentSource;
}

/** Makes the invoices of checkouts, never two for one choice: noted first, then asked for, then noted again. */
export class Maker {
  readonly #options: MakerOptions;

  constructor(options: MakerOptions) {
    this.#options = options;
  }

  /**
   * @param isNew the coin is chosen anew, and not one whose price ran out: nobody begins to pay with one that the network would not pass on
   * @throws Refusal
   */
  async make(
    live: Live,
    slot: Slot,
    profile: ServiceProfile,
    standing: CheckoutStanding,
    { from = live.record.from, isNew = false }: { from?: PaymentSource; isNew?: boolean } = {},
  ): Promise<void> {
    if (await this.#recovered(live, slot, from)) return;
    const { book, service, rates } = this.#options;
    const terms = live.record.terms as OrderTerms;
    const due = amountDue(standing, terms);
    if (isNew) requireRelayed(slot.kind, { amount: due, currency: terms.currency }, profile, rates());
    requireRoom(live.record, slot, this.#serverTime());
    const attempt = await this.#begin(live, slot, due);
    const passthrough = await this.#seal(live, attempt, profile, terms);
    const order = { kind: slot.kind, amount: attempt.requested, currency: terms.currency, passthrough, notes: terms.description };
    const expirationSeconds = slot.quotedFor === 'exchange' ? this.#options.exchangeSeconds : null;
    const found = await service
      .createInvoice({ ...order, expirationSeconds })
      .then((invoice) => ({ invoice, attempt }))
      .catch((error: unknown) => this.#afterFailure(live, attempt, error));
    await book.change(live, (record) => ({ ...adopt(record, [found], timestamp(this.#serverTime()), true), from }));
  }

  /** An invoice that somebody made through the API, on a service that can't renew: the same once more, shown in its place. */
  async copy(live: Live, invoice: CheckoutInvoice): Promise<void> {
    const { book, service } = this.#options;
    const requested = invoice.amount.requested;
    if (!requested) throw new Refusal(409, 'InvalidState', 'An address for any amount has no quote to renew.');
    requireRoom(live.record, slotOf(invoice), this.#serverTime());
    try {
      const original = await service.invoice(invoice.id);
      const { kind, notes } = invoice;
      const order = { kind, notes, ...requested, passthrough: original?.passthrough ?? null, expirationSeconds: null };
      const copy = await service.createInvoice(order);
      await book.change(live, (record) => adopt(record, [{ invoice: copy, attempt: null }], timestamp(this.#serverTime()), true));
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** An earlier attempt whose answer was lost may have made the invoice already. */
  async #recovered(live: Live, slot: Slot, from: PaymentSource): Promise<boolean> {
    const known = live.record.attempts.filter((one) => isFor(one, slot));
    if (known.length === 0) return false;
    await this.#options.lost.settle(live, known).catch((error: unknown) => Promise.reject(refusalOf(error)));
    const recovered = newestFor(live.record, slot.kind, slot.quotedFor);
    if (recovered && known.some(({ attempt }) => attempt === recovered.attempt)) {
      await this.#options.book.change(live, (record) => ({ ...record, from, selected: recovered.id }));
      return true;
    }
    if (live.record.attempts.some((one) => isFor(one, slot))) throw unavailable(undefined, 3);
    return false;
  }

  async #begin(live: Live, slot: Slot, requested: string): Promise<Attempt> {
    const { book, now } = this.#options;
    const times = { begun_at: now(), since: this.#serverTime(), ended_at: null };
    const attempt: Attempt = { kind: slot.kind, quoted_for: slot.quotedFor, attempt: randomId(), requested, ...times };
    await book.change(live, (record) =>
      record.attempts.some((one) => isFor(one, slot)) ? record : { ...record, attempts: [...record.attempts, attempt] },
    );
    // Another process was faster, and is at it now.
    if (!live.record.attempts.some((one) => one.attempt === attempt.attempt)) throw unavailable(undefined, 1);
    return attempt;
  }

  /** A refusal is the end of the attempt. After anything else the invoice may be there: found at once, or looked for later. */
  async #afterFailure(live: Live, attempt: Attempt, error: unknown): Promise<Found> {
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
    if (lost) return lost;
    throw unavailable(error, 3);
  }

  async #seal(live: Live, { attempt, kind, requested }: Attempt, profile: ServiceProfile, terms: OrderTerms): Promise<string> {
    const { envelopeKey, hmac } = this.#options;
    const network = profile.currencies.find((currency) => currency.kind === kind)?.network ?? '';
    return sealEnvelope({ checkout: live.id, attempt, profile: profile.id, network, kind, requested, terms }, await envelopeKey, hmac);
  }

  #serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }
}

export const slotOf = ({ kind, quoted_for }: Pick<CheckoutInvoice, 'kind' | 'quoted_for'>): Slot => ({ kind, quotedFor: quoted_for });

const isFor = (attempt: Attempt, slot: Slot): boolean => attempt.kind === slot.kind && attempt.quoted_for === slot.quotedFor;
