import {
  type Checkout,
  type CheckoutMerchant,
  type CheckoutPayment,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { multiply, parseAmount } from '@crypto-checkout/protocol/amount';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { withCurrencyDecimals } from '@crypto-checkout/protocol/currency';
import { minimumWithdrawal } from '@crypto-checkout/protocol/minimum-withdrawal';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import { qrText } from '@crypto-checkout/protocol/payment-string';
import { usualSeconds } from '@crypto-checkout/protocol/usual-time';
import { timestamp } from '../../http/timestamp.ts';
import { shopLink, successLink } from '../../orders/success-link.ts';
import { minConfirmations, offeredCoins, rateOf } from '../coins.ts';
import { hasUnverifiedPrice } from '../../orders/terms.ts';
import type { BffOptions } from '../../options.ts';
import { MAX_RECEIPTS } from '../../receipts/mail-limits.ts';
import { onrampOf } from './onramp.ts';
import type { Merchant } from '../../merchant/merchant.ts';
import { factsOf, receivedOf } from './received.ts';
import { refundsOf } from './refunds.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../repository/record.ts';
import { displayedInvoice, hasExpired, settledInvoice } from '../displayed-invoice.ts';
import { type StateContext, networkOf, checkoutState } from '../checkout-state.ts';
import {
  isExtendable,
  isOutdated,
  isRenewable,
  reasonNotPayable,
} from '../invoices/payment-rules.ts';
import { cachedQr, invoicePaymentStrings } from './payment-strings.ts';

export interface ViewOptions extends StateContext {
  merchant: Merchant;
  successOrigins: readonly string[];
  /** Whether the service can extend a quote. */
  canExtend: boolean;
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
  const { isTooSmall, ...refunds } = refundsOf(record, state, options);
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
 * The service signs a receipt only for an invoice that is paid by itself: late money that counts
 * has none, and nor have parts in several coins.
 */
function receiptFacts(
  record: CheckoutRecord,
  invoiceId: string | null,
  options: ViewOptions,
): Pick<Checkout, 'mails_receipt' | 'lacks_receipt'> {
  const isSigned = record.invoices.some(
    ({ id, status }) => isPaidStage(status) && (invoiceId === null || id === invoiceId),
  );
  if (!isSigned) return { lacks_receipt: true };
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

/** When the payment request ends. An outdated one was valid until the other payment came. */
function payableUntil(
  invoice: CheckoutInvoice,
  record: CheckoutRecord,
  outdated: boolean,
): string | null {
  if (!outdated) return invoice.expires_at;
  const times = record.transactions.map(({ created_at }) => Date.parse(created_at));
  const last = Math.max(Date.parse(invoice.created_at), ...times);
  return timestamp(
    invoice.expires_at === null ? last : Math.min(last, Date.parse(invoice.expires_at)),
  );
}

function paymentOf(
  record: CheckoutRecord,
  invoice: CheckoutInvoice,
  state: CheckoutState,
  options: ViewOptions,
): CheckoutPayment | null {
  const kind = kindOf(invoice.kind);
  const own = state.payments[invoice.id];
  const outdated = isOutdated(invoice, record, state);
  // A lightning request has a fixed amount, which for a rest is rounded up to the price's next
  // cent.
  const asksForAll =
    kind?.chain === 'lightning' && own?.paid === '0' && own.remaining !== '0' && !outdated;
  const remaining = (asksForAll ? own?.due : own?.remaining) ?? null;
  const lightning = shownRequest(invoice, record, remaining);
  const strings = invoicePaymentStrings({ ...invoice, lightning }, remaining);
  if (!kind || !own || !strings) return null;
  const qr = qrText(kind, strings, record.from);
  const need = invoice.min_confirmations ?? minConfirmations(invoice.kind, options.profile);
  const transactions = record.transactions.filter((one) => one.invoice?.id === invoice.id);
  return {
    invoice_id: invoice.id,
    kind: invoice.kind,
    name: kind.name,
    network: kind.network,
    symbol: kind.symbol,
    from: record.from,
    address: kind.chain === 'lightning' ? null : strings.address,
    tag: strings.tag,
    x_address: invoice.x_address,
    ...(hasOtherAddress(record, invoice, options.serverTime) && { other_address: true }),
    public_address: invoice.public_address,
    lightning: lightning && {
      payment_request: lightning.payment_request,
      lnurl: lightning.lnurl,
    },
    due: own.due,
    paid: own.paid,
    remaining,
    overpaid: own.overpaid,
    late: own.late,
    minimum_withdrawal:
      record.from === 'exchange' && remaining !== null
        ? minimumWithdrawal(invoice.kind, remaining)
        : null,
    rate: own.rate,
    strings: {
      qr,
      link: strings.link,
      address: strings.address,
      amount: strings.amount,
      tag: strings.tag,
    },
    qr: cachedQr(qr),
    confirmations: {
      have: fewestConfirmations(transactions, kind),
      need,
      final: kind.finalConfirmations,
    },
    usual_seconds: usualSeconds(kind, need),
    transactions: transactions.map((one) => withoutInvoice(factsOf(one, invoice))),
    ...quotedAt(invoice, record),
    expires_at: payableUntil(invoice, record, outdated),
    renewable: isRenewable(invoice, record, state, options.serverTime),
    extendable: options.canExtend && isExtendable(invoice, record, state, options.serverTime),
    ...proofOf({ ...invoice, lightning }),
  };
}

function withoutInvoice(facts: ReturnType<typeof factsOf>) {
  const { invoice_id: _, ...others } = facts;
  return others;
}

/** Start of the current price: money before it came at an earlier one. Absent without money. */
function quotedAt(
  { quotes }: CheckoutInvoice,
  { transactions }: CheckoutRecord,
): Pick<CheckoutPayment, 'quoted_at'> {
  const quote = quotes.at(-1);
  return quote && transactions.length > 0 ? { quoted_at: quote.starts_at } : {};
}

/** Whether an earlier invoice in the same coin can still be paid, at another address. */
const hasOtherAddress = (
  { invoices }: CheckoutRecord,
  { kind, address }: CheckoutInvoice,
  serverTime: number,
): boolean =>
  invoices.some(
    (one) =>
      one.kind === kind &&
      one.address !== null &&
      one.address !== address &&
      !hasExpired(one, serverTime),
  );

/**
 * The lightning request of an invoice. One beside an address is shown where the buyer chose both,
 * and while nothing came: it asks for the whole amount.
 */
function shownRequest(
  invoice: CheckoutInvoice,
  { from, with_lightning, transactions }: CheckoutRecord,
  remaining: string | null,
): CheckoutInvoice['lightning'] {
  const { id, address, lightning, amount } = invoice;
  if (address === null || lightning === null) return lightning;
  const isWhole = remaining !== null && remaining === amount.invoiced?.amount;
  const isPaid = transactions.some((one) => one.invoice?.id === id);
  return with_lightning && from === 'wallet' && isWhole && !isPaid ? lightning : null;
}

/** The proof, and the texts that it signs beside those of the payment. */
function proofOf(invoice: CheckoutInvoice): Pick<CheckoutPayment, ProofMember> {
  const { proof, lightning, lightning_proof, order_id, expires_at, amount } = invoice;
  if (!proof || !amount.requested || !amount.invoiced)
    return { proof: null, lightning_proof: null, signed_terms: null };
  return {
    proof,
    lightning_proof: lightning === null ? null : lightning_proof,
    signed_terms: {
      order_id,
      ...amount.requested,
      invoiced: amount.invoiced.amount,
      expires_at,
    },
  };
}

type ProofMember = 'proof' | 'lightning_proof' | 'signed_terms';

/** The least number of confirmations among the payments that count. */
function fewestConfirmations(
  transactions: CheckoutRecord['transactions'],
  { asset, chain, finalConfirmations }: Kind,
): number {
  const counted = transactions.filter(
    (one) => kindOf(one.kind)?.asset === asset && !isUncounted(one.status),
  );
  // A payment over lightning beside an address is final at once.
  const depths = counted.map((one) =>
    one.status === 'complete' && kindOf(one.kind)?.chain !== chain
      ? finalConfirmations
      : one.confirmations,
  );
  return depths.length > 0 ? Math.min(...depths) : 0;
}

const isUncounted = (status: string): boolean => isVoidStatus(status) || status === 'quarantined';

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
