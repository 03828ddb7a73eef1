import type { PaymentSource } from '@crypto-checkout/protocol/checkout';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import type { InvoiceExpiration } from '@crypto-checkout/protocol/schema/invoice';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { HttpError, unavailable } from '../../http/http-error.ts';
import { timestamp } from '../../http/timestamp.ts';
import type { Log } from '../../options.ts';
import { sealEnvelope } from '../../orders/envelope.ts';
import { randomId } from '../../orders/ids.ts';
import type { OrderTerms } from '../../orders/terms.ts';
import {
  type Service,
  type ServiceProfile,
  ServiceRejection,
  ServiceUnreachable,
} from '../../service/service.ts';
import type { CheckoutRepository, LoadedCheckout } from '../repository/checkout-repository.ts';
import { leaveOut, requireAboveDust, requireAvailable } from '../coins.ts';
import { adoptInvoices, type FoundInvoice, type InvoiceRecovery } from './invoice-recovery.ts';
import { type InvoiceSlot, isFor, slotOf } from './invoice-slot.ts';
import { type Attempt, type CheckoutInvoice, newestInvoiceFor } from '../repository/record.ts';
import { amountDue, toHttpError, requireInvoiceQuota } from './payment-rules.ts';

export interface InvoiceCreatorOptions {
  repository: CheckoutRepository;
  service: Service;
  recovery: InvoiceRecovery;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  /** Duration of a quote for an exchange; null when the service does not support one. */
  exchangeSeconds: InvoiceExpiration | null;
  rates: () => ReadonlyMap<string, string> | null;
  now: () => number;
  log: Log;
}

export interface CreateOptions {
  from?: PaymentSource;
  isNew?: boolean;
  /** Default: as the newest invoice of the slot. */
  withLightning?: boolean;
}

const hasRequestBeside = ({ record }: LoadedCheckout, { kind, quotedFor }: InvoiceSlot): boolean =>
  record.with_lightning && newestInvoiceFor(record, kind, quotedFor)?.lightning_proof != null;

/**
 * Creates the invoices of checkouts, never two for one choice: the attempt is stored first, then
 * sent, then stored with its result.
 */
export class InvoiceCreator {
  readonly #options: InvoiceCreatorOptions;

  constructor(options: InvoiceCreatorOptions) {
    this.#options = options;
  }

  /**
   * @param isNew the buyer chooses the coin now, so it must be available, and its amount above the
   * dust limit; an expired quote is renewed without these checks
   * @throws HttpError
   */
  async create(
    checkout: LoadedCheckout,
    slot: InvoiceSlot,
    profile: ServiceProfile,
    state: CheckoutState,
    {
      from = checkout.record.from,
      isNew = false,
      withLightning = hasRequestBeside(checkout, slot),
    }: CreateOptions = {},
  ): Promise<void> {
    if (await this.#recovered(checkout, slot, from)) return;
    const { repository, service, rates } = this.#options;
    const terms = checkout.record.terms as OrderTerms;
    const due = amountDue(state, terms);
    if (isNew) {
      requireAvailable(slot.kind, profile);
      requireAboveDust(slot.kind, { amount: due, currency: terms.currency }, profile, rates());
    }
    requireInvoiceQuota(checkout.record, slot, this.#serverTime());
    const attempt = await this.#begin(checkout, slot, due);
    const passthrough = await this.#seal(checkout, attempt, profile, terms);
    const order = {
      kind: slot.kind,
      amount: attempt.requested,
      currency: terms.currency,
      passthrough,
      notes: terms.description,
      orderId: terms.order_id,
      withLightning,
    };
    const expirationSeconds = slot.quotedFor === 'exchange' ? this.#options.exchangeSeconds : null;
    const found = await service
      .createInvoice({ ...order, expirationSeconds })
      .then((invoice) => ({ invoice, attempt }))
      .catch((error: unknown) => {
        if (error instanceof ServiceRejection && error.reason === 'CurrencyNotEnabled')
          leaveOut(profile, slot.kind);
        return this.#afterFailure(checkout, attempt, error);
      });
    await repository.update(checkout, (record) => ({
      ...adoptInvoices(record, [found], timestamp(this.#serverTime()), true),
      from,
      // In one change with the invoice: buyers see one code, not the address alone before it.
      with_lightning: isNew ? withLightning : record.with_lightning,
    }));
  }

  /**
   * Creates a copy of an invoice without an order and shows it in its place, for a service without
   * renewal.
   */
  async recreate(checkout: LoadedCheckout, invoice: CheckoutInvoice): Promise<void> {
    const { repository, service } = this.#options;
    const requested = invoice.amount.requested;
    if (!requested)
      throw new HttpError(409, 'InvalidState', 'An address for any amount has no quote to renew.');
    requireInvoiceQuota(checkout.record, slotOf(invoice), this.#serverTime());
    try {
      const original = await service.invoice(invoice.id);
      const { kind, notes } = invoice;
      const order = {
        kind,
        notes,
        ...requested,
        passthrough: original?.passthrough ?? null,
        orderId: original?.order_id ?? null,
        expirationSeconds: null,
        withLightning: invoice.lightning_proof !== null,
      };
      const copy = await service.createInvoice(order);
      await repository.update(checkout, (record) =>
        adoptInvoices(
          record,
          [{ invoice: copy, attempt: null }],
          timestamp(this.#serverTime()),
          true,
        ),
      );
    } catch (error) {
      throw toHttpError(error);
    }
  }

  /** An earlier attempt with a lost answer may have created the invoice. */
  async #recovered(
    checkout: LoadedCheckout,
    slot: InvoiceSlot,
    from: PaymentSource,
  ): Promise<boolean> {
    const earlier = checkout.record.attempts.filter((one) => isFor(one, slot));
    if (earlier.length === 0) return false;
    await this.#options.recovery
      .recover(checkout, earlier)
      .catch((error: unknown) => Promise.reject(toHttpError(error)));
    const recovered = newestInvoiceFor(checkout.record, slot.kind, slot.quotedFor);
    if (recovered && earlier.some(({ attempt }) => attempt === recovered.attempt)) {
      await this.#options.repository.update(checkout, (record) => ({
        ...record,
        from,
        selected: recovered.id,
      }));
      return true;
    }
    if (checkout.record.attempts.some((one) => isFor(one, slot))) throw unavailable(undefined, 3);
    return false;
  }

  async #begin(checkout: LoadedCheckout, slot: InvoiceSlot, requested: string): Promise<Attempt> {
    const { repository, now } = this.#options;
    const times = { begun_at: now(), since: this.#serverTime(), ended_at: null };
    const attempt: Attempt = {
      kind: slot.kind,
      quoted_for: slot.quotedFor,
      attempt: randomId(),
      requested,
      ...times,
    };
    const newestIn = (record: LoadedCheckout['record']): string | undefined =>
      newestInvoiceFor(record, slot.kind, slot.quotedFor)?.id;
    const known = newestIn(checkout.record);
    await repository.update(checkout, (record) =>
      record.attempts.some((one) => isFor(one, slot)) || newestIn(record) !== known
        ? record
        : { ...record, attempts: [...record.attempts, attempt] },
    );
    // Another process stored its attempt first, or has already created the invoice.
    if (!checkout.record.attempts.some((one) => one.attempt === attempt.attempt))
      throw unavailable(undefined, 1);
    return attempt;
  }

  /**
   * A rejection ends the attempt, and so does a connection that was never made. After any other
   * failure the invoice may exist: search for it now, or leave it to the recovery.
   */
  async #afterFailure(
    checkout: LoadedCheckout,
    attempt: Attempt,
    error: unknown,
  ): Promise<FoundInvoice> {
    const { repository, now, log } = this.#options;
    if (error instanceof ServiceRejection || error instanceof ServiceUnreachable) {
      await repository.update(checkout, (record) => ({
        ...record,
        attempts: record.attempts.filter((one) => one.attempt !== attempt.attempt),
      }));
      throw toHttpError(error);
    }
    log.warn(
      { event: 'invoice_outcome_unknown', error, checkout_id: checkout.id, kind: attempt.kind },
      'outcome of an invoice request is unknown',
    );
    const endedAt = now();
    await repository.update(checkout, (record) => ({
      ...record,
      attempts: record.attempts.map((one) =>
        one.attempt === attempt.attempt ? { ...one, ended_at: endedAt } : one,
      ),
    }));
    const [recovered] = await this.#options.recovery.search(checkout, [attempt]).then(
      ({ found }) => found,
      () => [],
    );
    if (recovered) return recovered;
    throw unavailable(error, 3);
  }

  async #seal(
    checkout: LoadedCheckout,
    { attempt, kind, requested }: Attempt,
    profile: ServiceProfile,
    terms: OrderTerms,
  ): Promise<string> {
    const { envelopeKey, hmac } = this.#options;
    const network = profile.currencies.find((currency) => currency.kind === kind)?.network ?? '';
    return sealEnvelope(
      { checkout: checkout.id, attempt, profile: profile.id, network, kind, requested, terms },
      await envelopeKey,
      hmac,
    );
  }

  #serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }
}
