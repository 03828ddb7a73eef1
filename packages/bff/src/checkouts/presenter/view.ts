import {
  type Checkout,
  type CheckoutMerchant,
  type CheckoutPayment,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { multiply, parseAmount } from '@crypto-checkout/protocol/amount';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { withCurrencyDecimals } from '@crypto-checkout/protocol/currency';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { timestamp } from '../../http/timestamp.ts';
import { shopLink, successLink } from '../../orders/success-link.ts';
import { offeredCoins, rateOf } from '../coins.ts';
import { hasUnverifiedPrice } from '../../orders/terms.ts';
import type { BffOptions } from '../../options.ts';
import { MAX_RECEIPTS } from '../../receipts/mail-limits.ts';
import { signedInvoice } from '../../receipts/signed-invoice.ts';
import { onrampOf } from './onramp.ts';
import type { Merchant } from '../../merchant/merchant.ts';
import { receivedOf } from './received.ts';
import { refundsOf } from './refunds.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../repository/record.ts';
import { displayedInvoice, settledInvoice } from '../displayed-invoice.ts';
import { networkOf, checkoutState } from '../checkout-state.ts';
import { reasonNotPayable } from '../invoices/payment-rules.ts';
import { type PaymentOptions, paymentOf } from './payment.ts';

export interface ViewOptions extends PaymentOptions {
  merchant: Merchant;
  successOrigins: readonly string[];
  /** Sends receipts. */
  mailer: BffOptions['mailer'] | undefined;
  /** URL of a page that sells coins, with placeholders. */
  onrampUrl: string | null;
  rates: ReadonlyMap<string, string> | null;
  /** Usual network fees in US dollars, by kind. */
  networkFees: ReadonlyMap<string, string> | null;
  /** The page was opened by this invoice id: only this invoice is shown. */
  invoiceId: string | null;
  version: number;
}

/** The view for the buyer. It lists every member, so that no other part of a record can leak. */
export function viewOf(record: CheckoutRecord, options: ViewOptions): Checkout {
  const { terms } = record;
  const { profile, serverTime, invoiceId } = options;
  const state = checkoutState(record, options);
  const invoice =
    (invoiceId === null ? settledInvoice(record, state, profile) : undefined) ??
    displayedInvoice(record, invoiceId, serverTime);
  const payment = invoice ? paymentOf(record, invoice, state, options) : null;
  const stage = displayedStage(state, payment, record, invoiceId);
  const price = priceOf(record, invoice);
  const due =
    state.remaining !== null && state.remaining !== '0' && price
      ? { ...price, amount: state.remaining }
      : price;
  const { isTooSmall, ...refunds } = refundsOf(record, state, {
    ...options,
    canProve: invoiceId === null && terms.source !== 'none',
  });
  return {
    id: invoiceId ?? record.id,
    stage,
    notes: [
      ...state.notes,
      ...(isReversed(record, stage) ? (['reversed'] as const) : []),
      ...(isTooSmall ? (['small_refund'] as const) : []),
    ],
    version: options.version,
    network: networkOf(record, profile),
    server_time: timestamp(serverTime),
    expires_at: payment?.expires_at ?? null,
    merchant: merchantFor(price, options),
    order: {
      order_id: terms.order_id,
      description: terms.description ?? (terms.source === 'none' ? (invoice?.notes ?? null) : null),
      amount: price && { ...price, amount: withCurrencyDecimals(price.amount, price.currency) },
    },
    coins:
      profile && invoiceId === null && terms.source !== 'none' && reasonNotPayable(state) === null
        ? offeredCoins(terms, profile, due, options)
        : [],
    payment,
    received: receivedOf(record, state, price?.currency),
    ...refunds,
    ...(isPaidStage(stage) && receiptFacts(record, invoiceId, options)),
    shop_url: shopLink(terms.shop_url, terms.source) ?? frontPage(successUrlOf(record, options)),
    success_url: isPaidStage(stage) ? successUrlOf(record, options) : null,
    onramp: payment && reasonNotPayable(state) === null ? onrampOf(payment, price, options) : null,
  };
}

/**
 * The service counts late money at its quote, also where it counts here as it arrived: then the
 * payments of a paid order may be too little for a receipt.
 */
function receiptFacts(
  record: CheckoutRecord,
  invoiceId: string | null,
  options: ViewOptions,
): Pick<Checkout, 'mails_receipt' | 'lacks_receipt'> {
  if (!signedInvoice(record, options, invoiceId)) return { lacks_receipt: true };
  return invoiceId === null && mailsReceipts(record, options) ? { mails_receipt: true } : {};
}

/** Whether the buyer can have the receipt sent: never for a price that a page set. */
export const mailsReceipts = (
  { terms, receipts_mailed }: Pick<CheckoutRecord, 'terms' | 'receipts_mailed'>,
  { mailer }: { mailer?: BffOptions['mailer'] | undefined },
): boolean => mailer !== undefined && !hasUnverifiedPrice(terms) && receipts_mailed < MAX_RECEIPTS;

/**
 * Whether a paid order was reversed and its payment is pending again. A payment that is gone is not
 * pending.
 */
function isReversed({ events, transactions }: CheckoutRecord, stage: string): boolean {
  const last = events.findLast(
    ({ event }) => event === 'checkout.paid' || event === 'checkout.reversed',
  );
  return (
    stage === 'seen' &&
    last?.event === 'checkout.reversed' &&
    !transactions.some(({ status }) => isVoidStatus(status))
  );
}

/**
 * The stage of the shown invoice: other coins may still be payable when this one has expired or
 * none is selected. A new price comes after the payment that failed before it.
 */
function displayedStage(
  { stage }: CheckoutState,
  payment: CheckoutPayment | null,
  { transactions }: CheckoutRecord,
  invoiceId: string | null,
): CheckoutState['stage'] {
  const quotedAt = Date.parse(payment?.quoted_at ?? '');
  if (
    stage === 'failed' &&
    transactions.every(({ created_at }) => Date.parse(created_at) < quotedAt)
  )
    return 'pay';
  if (stage === 'pay' && payment?.renewable) return 'expired';
  if (payment === null && invoiceId === null && (stage === 'pay' || stage === 'expired'))
    return 'choose';
  return stage;
}

/**
 * The order's amount, or that of a single invoice; null for a reusable address, for which the API
 * returns an amount of zero.
 */
function priceOf(
  { terms }: CheckoutRecord,
  invoice: CheckoutInvoice | undefined,
): { amount: string; currency: string } | null {
  if (terms.source !== 'none')
    return terms.amount !== null && terms.currency !== null
      ? { amount: terms.amount, currency: terms.currency }
      : null;
  const requested = invoice?.amount.requested;
  return requested && !/^[0.]*$/.test(requested.amount)
    ? { amount: requested.amount, currency: requested.currency }
    : null;
}

/**
 * The way back without a `shop_url`: the front page of the success URL, with nothing in it that
 * looks like success.
 */
const frontPage = (successUrl: string | null): string | null =>
  successUrl && `${new URL(successUrl).origin}/`;

function successUrlOf(
  record: CheckoutRecord,
  { successOrigins, invoiceId }: ViewOptions,
): string | null {
  const options = { successOrigins, checkoutId: invoiceId ?? record.id };
  return (
    successLink(record.terms.success_url, record.terms.source, options) ??
    successLink(record.requested_success_url, 'query', options)
  );
}

/** The company with the answer whether an exchange asks for it. */
function merchantFor(
  price: { amount: string; currency: string } | null,
  { merchant: { company, ...merchant }, rates }: ViewOptions,
): CheckoutMerchant {
  const asked = price !== null && isLarge(price, rates);
  return { ...merchant, legal: company && { ...company, asked } };
}

/**
 * More than 1,000 EUR, above which exchanges in the EU ask for the recipient (Regulation (EU)
 * 2023/1113). False without a rate.
 */
function isLarge(
  { amount, currency }: { amount: string; currency: string },
  rates: ViewOptions['rates'],
): boolean {
  const [own, euro] = rates ? [rateOf(currency, rates), rateOf('EUR', rates)] : [null, null];
  return (
    own !== null &&
    euro !== null &&
    multiply(parseAmount(amount), own, 'up') > multiply(LARGE, euro, 'up')
  );
}

const LARGE = parseAmount('1000');
