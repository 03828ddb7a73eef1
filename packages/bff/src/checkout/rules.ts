import { type Amount, formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { type CheckoutStanding, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { Refusal, unavailable } from '../http/refusal.ts';
import type { OrderTerms } from '../order/terms.ts';
import { ServiceRefusal, ServiceUnknown } from '../service/service.ts';
import type { Slot } from './maker.ts';
import type { CheckoutInvoice, CheckoutRecord } from './record.ts';

/** One order, at most so many coins (design); a longer quote for an exchange counts as one of them. */
const MAX_COINS = 8;
/** Invoices for one coin within an hour, as often as the service renews one (decisions, "Renew"). */
const MAX_AN_HOUR = 6;

/** @throws Refusal 409 when nothing is left to pay, or nobody knows yet what is */
export function requireUnpaid(standing: CheckoutStanding): void {
  const reason = whyNoChoice(standing);
  if (reason !== null) throw new Refusal(409, 'InvalidState', reason);
}

/** Why no coin can be chosen any more, or null where one can. */
export function whyNoChoice({ stage, remaining }: CheckoutStanding): string | null {
  if (isPaidStage(stage)) return 'This order is paid already.';
  if (stage === 'held' || stage === 'wait') return 'A payment for this order is being checked; please wait.';
  return remaining === '0' ? 'The payment for this order is on its way.' : null;
}

/**
 * Whether a lightning request asks for more than is due, because money came elsewhere after it was made. It has its amount inside, so
 * that nobody can pay it but in full: shown on, it would be paid twice.
 */
export function isOutdated(invoice: CheckoutInvoice, record: CheckoutRecord, standing: CheckoutStanding): boolean {
  if (record.terms.source === 'none' || hasPayment(invoice, record)) return false;
  return isLightning(invoice) && (askedAbove(invoice, record, standing) ?? 0n) > 0n;
}

/** Whether an invoice still asks for what is due. A lightning request has its amount inside; an address can be paid any amount. */
export function isReusable(invoice: CheckoutInvoice, record: CheckoutRecord, standing: CheckoutStanding): boolean {
  if (record.terms.source === 'none') return true;
  if (hasPayment(invoice, record)) return invoice.status !== 'complete' && invoice.status !== 'paid';
  const above = askedAbove(invoice, record, standing);
  return above !== null && (isLightning(invoice) ? above === 0n : above >= 0n);
}

/** By how much an invoice asks for more than the order still needs, less than nothing for less; null where they can't be compared. */
function askedAbove({ amount: { requested } }: CheckoutInvoice, { terms }: CheckoutRecord, { remaining }: CheckoutStanding): Amount | null {
  if (requested?.currency !== terms.currency || remaining === null) return null;
  return parseAmount(requested.amount) - parseAmount(remaining);
}

const isLightning = ({ kind }: CheckoutInvoice): boolean => kindOf(kind)?.chain === 'lightning';

const hasPayment = ({ id }: CheckoutInvoice, { transactions }: CheckoutRecord): boolean =>
  transactions.some(({ invoice }) => invoice?.id === id);

/** What a new invoice asks for: all of the order, as the shop wrote it, or what other payments have left. */
export function amountDue(standing: CheckoutStanding, terms: OrderTerms): string {
  const remaining = parseAmount(standing.remaining ?? terms.amount);
  return remaining === parseAmount(terms.amount) ? terms.amount : formatAmount(remaining);
}

/** @throws Refusal 409 */
export function requireRoom(record: CheckoutRecord, slot: Slot, serverTime: number): void {
  const isOther = (invoice: CheckoutInvoice): boolean => invoice.kind !== slot.kind || invoice.quoted_for !== slot.quotedFor;
  const others = new Set(record.invoices.filter(isOther).map(({ kind, quoted_for }) => `${kind} ${quoted_for}`));
  if (others.size >= MAX_COINS) throw new Refusal(409, 'InvalidState', `An order can be tried with at most ${MAX_COINS} coins.`);
  const lately = record.invoices.filter((invoice) => !isOther(invoice) && serverTime - Date.parse(invoice.created_at) < 3_600_000);
  if (lately.length >= MAX_AN_HOUR)
    throw new Refusal(409, 'InvalidState', 'Too many new quotes for this coin; take another one, or wait an hour.');
}

/** What a buyer is told about the service's answer: never its details. */
export function refusalOf(error: unknown): unknown {
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
