import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { PaymentSource } from '@crypto-checkout/protocol/checkout';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { InvoiceExpiration } from '@crypto-checkout/protocol/schema/invoice';
import { HttpError } from '../../http/http-error.ts';
import { timestamp } from '../../http/timestamp.ts';
import {
  type Service,
  type ServiceProfile,
  ServiceRejection,
  ServiceOutcomeUnknown,
} from '../../service/service.ts';
import type { CheckoutRepository, LoadedCheckout } from '../repository/checkout-repository.ts';
import { allowedKinds, isUnavailable } from '../coins.ts';
import type { InvoiceRecovery } from './invoice-recovery.ts';
import type { InvoiceCreator } from './invoice-creator.ts';
import { type InvoiceSlot, slotOf } from './invoice-slot.ts';
import { mergeReadings } from '../repository/merge-readings.ts';
import type { InvoiceReader } from './invoice-reader.ts';
import type { ServiceInvoice } from '../../service/schema.ts';
import {
  type CheckoutInvoice,
  type CheckoutRecord,
  newestInvoiceFor,
} from '../repository/record.ts';
import {
  isExtendable,
  isOutdated,
  isRenewable,
  isReusable,
  requireUnpaid,
  toHttpError,
} from './payment-rules.ts';
import { checkoutState } from '../checkout-state.ts';
import { hasExpired, displayedInvoice } from '../displayed-invoice.ts';

export interface CheckoutInvoicesOptions {
  repository: CheckoutRepository;
  service: Service;
  reader: InvoiceReader;
  recovery: InvoiceRecovery;
  creator: InvoiceCreator;
  profile: () => Promise<ServiceProfile>;
  exchangeSeconds: InvoiceExpiration | null;
  now: () => number;
}

export interface PaymentChoice {
  kind: string;
  /** Default: the last choice of the buyer. */
  from?: PaymentSource | undefined;
  /** Bitcoin and lightning in one code, where the order and the service have both. */
  with_lightning?: boolean | undefined;
}

/**
 * Provides the invoices of checkouts: one per chosen coin, created when it is chosen, never two for
 * one choice.
 */
export class CheckoutInvoices {
  readonly #options: CheckoutInvoicesOptions;
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: CheckoutInvoicesOptions) {
    this.#options = options;
  }

  /**
   * Chooses or changes the coin, or the payment source. A repeated choice returns the same invoice,
   * or renews an expired one.
   * @throws HttpError
   */
  async choose(
    checkout: LoadedCheckout,
    { kind, from = checkout.record.from, with_lightning = false }: PaymentChoice,
    invoiceId: string | null,
  ): Promise<void> {
    const profile = await this.#profile();
    const { terms } = checkout.record;
    const given =
      invoiceId === null ? undefined : checkout.record.invoices.find(({ id }) => id === invoiceId);
    const isAllowed =
      invoiceId === null
        ? terms.source !== 'none' && allowedKinds(terms, profile).includes(kind)
        : kind === given?.kind;
    if (!isAllowed)
      throw new HttpError(
        400,
        'CurrencyNotEnabled',
        `This order doesn't support selected payment currency ${kind.slice(0, 40)}.`,
      );
    // A page opened by an invoice id shows that invoice for every payment source.
    const withLightning =
      with_lightning &&
      from === 'wallet' &&
      kindOf(kind)?.chain === 'bitcoin' &&
      terms.source !== 'none' &&
      allowedKinds(terms, profile).includes('BTC_LIGHTNING') &&
      !isUnavailable(profile, 'BTC_LIGHTNING');
    const slot = given ? slotOf(given) : { kind, quotedFor: this.#quotedFor(kind, from, profile) };
    const own = { from, with_lightning: withLightning };
    await this.#once(keyOf(checkout, slot), async () => {
      const state = this.#state(checkout, profile);
      requireUnpaid(state);
      const invoice = this.#reusable(checkout.record, slot);
      const canReuse = invoice && isReusable(invoice, checkout.record, state);
      // A late payment is for the shop to decide: a buyer who continues gets a new price.
      if (canReuse && state.stage !== 'late') await this.#select(checkout, invoice, state, own);
      else
        await this.#options.creator.create(checkout, slot, profile, state, {
          from,
          isNew: true,
          withLightning,
        });
    });
    // A request that joined a choice in progress may have another payment source.
    await this.#options.repository.update(checkout, (record) =>
      isSameChoice(record, own) ? record : { ...record, ...own },
    );
  }

  /**
   * A separate invoice only for a longer quote; while it runs, an invoice for an exchange also
   * serves a wallet.
   */
  #quotedFor(kind: string, from: PaymentSource, profile: ServiceProfile): PaymentSource {
    const { exchangeSeconds } = this.#options;
    // An LNURL never expires: it gets its price when it is paid.
    if (kindOf(kind)?.paymentString === 'lnurl') return 'wallet';
    return from === 'exchange' &&
      exchangeSeconds !== null &&
      exchangeSeconds > profile.invoiceExpiration
      ? 'exchange'
      : 'wallet';
  }

  #reusable(record: CheckoutRecord, { kind, quotedFor }: InvoiceSlot): CheckoutInvoice | undefined {
    const own = newestInvoiceFor(record, kind, quotedFor);
    const longer =
      own || quotedFor === 'exchange' ? undefined : newestInvoiceFor(record, kind, 'exchange');
    return own ?? (longer && !hasExpired(longer, this.#serverTime()) ? longer : undefined);
  }

  /**
   * Requests a new quote after expiry, or with `extend` one more period at the same rate while the
   * quote is valid.
   * @throws HttpError
   */
  async renew(
    checkout: LoadedCheckout,
    invoiceId: string | null,
    { extend }: { extend: boolean },
  ): Promise<void> {
    const profile = await this.#profile();
    const invoice = displayedInvoice(checkout.record, invoiceId, this.#serverTime());
    if (!invoice)
      throw new HttpError(409, 'InvalidState', 'There is no quote to renew: choose a coin first.');
    await this.#once(`${checkout.id} ${extend ? 'extend' : 'renew'} ${invoice.id}`, async () => {
      const state = this.#state(checkout, profile);
      requireUnpaid(state);
      if (extend) {
        if (hasExpired(invoice, this.#serverTime()))
          throw new HttpError(409, 'InvalidState', 'The quote has expired; request a new one.');
        if (!isExtendable(invoice, checkout.record, state, this.#serverTime()))
          throw new HttpError(
            409,
            'InvalidState',
            'A quote can be extended once, and only before the first payment.',
          );
        await this.#requote(checkout, invoice, { extend: true });
      } else {
        if (!isRenewable(invoice, checkout.record, state, this.#serverTime()))
          throw new HttpError(
            409,
            'InvalidState',
            'The quote is still valid, or the merchant must decide first.',
          );
        await this.#renewNow(checkout, invoice, profile, state);
      }
    });
  }

  /** Recovers invoices after a lost answer; see `InvoiceRecovery`. */
  async recover(checkout: LoadedCheckout): Promise<void> {
    const open = checkout.record.attempts.filter(
      (attempt) => !this.#running.has(keyOf(checkout, slotOf(attempt))),
    );
    if (open.length > 0) await this.#options.recovery.recover(checkout, open);
  }

  /** Shows the coin again, with a new quote if the old one expired. */
  async #select(
    checkout: LoadedCheckout,
    { id }: CheckoutInvoice,
    state: CheckoutState,
    choice: Pick<CheckoutRecord, 'from' | 'with_lightning'>,
  ): Promise<void> {
    await this.#options.repository.update(checkout, (record) =>
      record.selected === id && isSameChoice(record, choice)
        ? record
        : { ...record, selected: id, ...choice },
    );
    const invoice = checkout.record.invoices.find((one) => one.id === id);
    if (invoice && isRenewable(invoice, checkout.record, state, this.#serverTime()))
      await this.#renewNow(checkout, invoice, await this.#profile(), state);
  }

  async #renewNow(
    checkout: LoadedCheckout,
    invoice: CheckoutInvoice,
    profile: ServiceProfile,
    state: CheckoutState,
  ): Promise<void> {
    const own = state.payments[invoice.id];
    const hasPayment = own !== undefined && (parseAmount(own.paid) > 0n || own.late !== null);
    // A quote with a payment cannot change, nor can a lightning request's amount: the rest gets a
    // new invoice.
    const canRenew = !hasPayment && !isOutdated(invoice, checkout.record, state);
    if (canRenew && (await this.#requote(checkout, invoice, { extend: false }))) return;
    if (checkout.record.terms.source !== 'none')
      await this.#options.creator.create(checkout, slotOf(invoice), profile, state);
    else if (hasPayment)
      throw new HttpError(409, 'InvalidState', 'This quote has a payment; it cannot be renewed.');
    else await this.#options.creator.recreate(checkout, invoice);
  }

  /** Returns false when the service cannot renew. */
  async #requote(
    checkout: LoadedCheckout,
    invoice: CheckoutInvoice,
    options: { extend: boolean },
  ): Promise<boolean> {
    const { service, repository, reader } = this.#options;
    let renewed: ServiceInvoice | null;
    try {
      renewed = await service.renewInvoice(invoice.id, options);
    } catch (error) {
      if (options.extend && error instanceof ServiceRejection && error.status === 409)
        await repository.update(checkout, markExtended(invoice.id));
      // The outcome is open: read the invoice.
      await reader.readFresh(checkout, invoice.id).catch(() => undefined);
      if (
        error instanceof ServiceOutcomeUnknown &&
        this.#isOpen(checkout, invoice.id) &&
        !options.extend
      )
        return true;
      if (error instanceof ServiceRejection && error.status === 429)
        throw new HttpError(
          429,
          'RateLimited',
          'Too many new quotes for this payment; try again later.',
          { retryAfter: 60, cause: error },
        );
      throw toHttpError(error);
    }
    if (!renewed && options.extend)
      throw new HttpError(409, 'InvalidState', 'The quote cannot be extended.');
    if (!renewed) return false;
    const reading = { invoice: renewed, transactions: null };
    await repository.update(checkout, (record) =>
      mergeReadings(record, [reading], timestamp(this.#serverTime())),
    );
    return true;
  }

  #isOpen(checkout: LoadedCheckout, invoiceId: string): boolean {
    const invoice = checkout.record.invoices.find(({ id }) => id === invoiceId);
    return invoice !== undefined && !hasExpired(invoice, this.#serverTime());
  }

  #state(checkout: LoadedCheckout, profile: ServiceProfile): CheckoutState {
    return checkoutState(checkout.record, { profile, serverTime: this.#serverTime() });
  }

  #serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }

  async #profile(): Promise<ServiceProfile> {
    return this.#options.profile().catch((error: unknown) => Promise.reject(toHttpError(error)));
  }

  /** Concurrent calls with one key share one run. */
  #once(key: string, work: () => Promise<void>): Promise<void> {
    const current = this.#running.get(key);
    if (current) return current;
    const run = work().finally(() => this.#running.delete(key));
    this.#running.set(key, run);
    return run;
  }
}

const isSameChoice = (
  record: CheckoutRecord,
  { from, with_lightning }: Pick<CheckoutRecord, 'from' | 'with_lightning'>,
): boolean => record.from === from && record.with_lightning === with_lightning;

const keyOf = (checkout: LoadedCheckout, { kind, quotedFor }: InvoiceSlot): string =>
  `${checkout.id} ${kind} ${quotedFor}`;

/** Another client extended this quote before: do not offer it again. */
const markExtended =
  (invoiceId: string) =>
  (record: CheckoutRecord): CheckoutRecord => ({
    ...record,
    invoices: record.invoices.map((invoice) =>
      invoice.id === invoiceId
        ? {
            ...invoice,
            quotes: invoice.quotes.map((quote, index, { length }) =>
              index === length - 1 ? { ...quote, extended: true } : quote,
            ),
          }
        : invoice,
    ),
  });
