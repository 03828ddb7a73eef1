import { type Amount, formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { HttpError, unavailable } from '../../http/http-error.ts';
import type { OrderTerms } from '../../orders/terms.ts';
import { ServiceRejection, ServiceOutcomeUnknown } from '../../service/service.ts';
import { unreachableNetwork } from '../coins.ts';
import { hasExpired } from '../displayed-invoice.ts';
import type { InvoiceSlot } from './invoice-slot.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../repository/record.ts';

/** Limit of coins per order; a longer quote for an exchange counts as one of them. */
const MAX_COINS = 8;
/** Limit of invoices for one coin per hour, equal to the limit of renewals in the service. */
const MAX_INVOICES_PER_HOUR = 6;

/** @throws HttpError 409 when nothing is due, or the amount due is not certain */
export function requireUnpaid(state: CheckoutState): void {
  const reason = reasonNotPayable(state);
  if (reason !== null) throw new HttpError(409, 'InvalidState', reason);
}

/** The reason why no coin can be chosen any more; null if one can. */
export function reasonNotPayable({ stage, remaining }: CheckoutState): string | null {
  if (isPaidStage(stage)) return 'This order is paid already.';
  if (stage === 'held' || stage === 'wait')
    return 'A payment for this order is being checked; please wait.';
  return remaining === '0' ? 'The payment for this order is on its way.' : null;
}

/**
 * Whether a lightning request asks for more than is due, because another payment came after it was
 * created. It can only be paid in full, so showing it would lead to an overpayment.
 */
export function isOutdated(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  state: CheckoutState,
): boolean {
  return isLightning(invoice) && asksTooMuch(invoice, record, state);
}

/** Whether an invoice without a payment asks for more than is due. */
export function asksTooMuch(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  state: CheckoutState,
): boolean {
  if (record.terms.source === 'none' || hasPayment(invoice, record)) return false;
  return (excessRequested(invoice, record, state) ?? 0n) > 0n;
}

/**
 * Whether an invoice can serve the amount due. A lightning request has a fixed amount; an address
 * accepts any amount.
 */
export function isReusable(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  state: CheckoutState,
): boolean {
  if (record.terms.source === 'none') return true;
  if (hasPayment(invoice, record))
    return invoice.status !== 'complete' && invoice.status !== 'paid';
  const excess = excessRequested(invoice, record, state);
  return excess !== null && (isLightning(invoice) ? excess === 0n : excess >= 0n);
}

/** The requested amount minus the amount that is still due; null where they are not comparable. */
function excessRequested(
  { amount: { requested } }: CheckoutInvoice,
  { terms }: CheckoutRecord,
  { remaining }: CheckoutState,
): Amount | null {
  if (requested?.currency !== terms.currency || remaining === null) return null;
  return parseAmount(requested.amount) - parseAmount(remaining);
}

const isLightning = ({ kind }: CheckoutInvoice): boolean => kindOf(kind)?.chain === 'lightning';

const hasPayment = ({ id }: CheckoutInvoice, { transactions }: CheckoutRecord): boolean =>
  transactions.some(({ invoice }) => invoice?.id === id);

/**
 * Whether a new quote is possible: after expiry, while something is due and no payment waits for
 * confirmations.
 */
export function isRenewable(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  state: CheckoutState,
  serverTime: number,
): boolean {
  const ended = hasExpired(invoice, serverTime) || isOutdated(invoice, record, state);
  return state.remaining !== null && RENEWABLE.has(state.stage) && ended;
}

const RENEWABLE = new Set<string>(['pay', 'expired', 'underpaid']);

/** Whether the quote can be extended: once, while it is valid, and with no payment at it. */
export function isExtendable(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  state: CheckoutState,
  serverTime: number,
): boolean {
  return (
    reasonNotPayable(state) === null &&
    invoice.status === 'new' &&
    invoice.expires_at !== null &&
    !hasExpired(invoice, serverTime) &&
    invoice.quotes.at(-1)?.extended === false &&
    !record.transactions.some((one) => one.invoice?.id === invoice.id && !isVoidStatus(one.status))
  );
}

/**
 * The amount of a new invoice: the whole order as the shop wrote it, or the rest after other
 * payments.
 */
export function amountDue(state: CheckoutState, terms: OrderTerms): string {
  const remaining = parseAmount(state.remaining ?? terms.amount);
  return remaining === parseAmount(terms.amount) ? terms.amount : formatAmount(remaining);
}

/** @throws HttpError 409 */
export function requireInvoiceQuota(
  record: CheckoutRecord,
  slot: InvoiceSlot,
  serverTime: number,
): void {
  const isOther = (invoice: CheckoutInvoice): boolean =>
    invoice.kind !== slot.kind || invoice.quoted_for !== slot.quotedFor;
  const others = new Set(
    record.invoices.filter(isOther).map(({ kind, quoted_for }) => `${kind} ${quoted_for}`),
  );
  if (others.size >= MAX_COINS)
    throw new HttpError(
      409,
      'InvalidState',
      `An order can be tried with at most ${MAX_COINS} coins.`,
    );
  const recent = record.invoices.filter(
    (invoice) => !isOther(invoice) && serverTime - Date.parse(invoice.created_at) < 3_600_000,
  );
  if (recent.length >= MAX_INVOICES_PER_HOUR)
    throw new HttpError(
      409,
      'InvalidState',
      'Too many new quotes for this coin; choose another one, or wait an hour.',
    );
}

/** Maps errors of the service to answers for the buyer, without the service's details. */
export function toHttpError(error: unknown): unknown {
  if (error instanceof HttpError) return error;
  if (error instanceof ServiceOutcomeUnknown) return unavailable(error);
  if (!(error instanceof ServiceRejection)) return error;
  const options = { cause: error };
  if (error.status === 429)
    return new HttpError(503, null, 'The payment service is busy; try again shortly.', {
      ...options,
      retryAfter: 2,
    });
  if (error.status === 409)
    return new HttpError(
      409,
      'InvalidState',
      'The payment service does not allow a new quote for this payment now.',
      options,
    );
  if (error.reason === 'CurrencyNotEnabled') return unreachableNetwork(options);
  if (error.status === 400)
    return new HttpError(
      409,
      'InvalidState',
      'The payment service cannot create an invoice for this order in this coin.',
      options,
    );
  return unavailable(error);
}
