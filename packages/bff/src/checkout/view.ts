import { type Checkout, type CheckoutPayment, type CheckoutStanding, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { inFull } from '@crypto-checkout/protocol/currency';
import { minimumWithdrawal } from '@crypto-checkout/protocol/exchange';
import { isGone } from '@crypto-checkout/protocol/gone';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { usualSeconds } from '@crypto-checkout/protocol/usual';
import { timestamp } from '../http/time.ts';
import { shopLink, successLink } from '../order/success-link.ts';
import { minConfirmations, offeredCoins } from './coins.ts';
import { onrampOf } from './onramp.ts';
import { factsOf, receivedOf } from './received.ts';
import type { CheckoutInvoice, CheckoutRecord } from './record.ts';
import { hasExpired, settledInvoice, shownInvoice } from './shown.ts';
import { type Circumstances, networkOf, standingOf } from './standing.ts';
import { isOutdated, whyNoChoice } from './rules.ts';
import { qrOf, qrText, stringsOf } from './strings.ts';

export interface ViewOptions extends Circumstances {
  merchantName: string;
  /** The shop's help, a link. */
  contact: string | null;
  successOrigins: readonly string[];
  /** Whether the service can prolong a quote. */
  extends: boolean;
  /** Address of a page that sells coins, to be filled in. */
  onrampUrl: string | null;
  rates: ReadonlyMap<string, string> | null;
  /** The buyer came by this invoice's address: only it is shown. */
  invoiceId: string | null;
  version: number;
}

/** The buyer's view. Everything in it is listed here: nothing else of a record ever leaves. */
export function viewOf(record: CheckoutRecord, options: ViewOptions): Checkout {
  const { terms } = record;
  const { profile, serverTime, invoiceId } = options;
  const standing = standingOf(record, options);
  const invoice =
    (invoiceId === null ? settledInvoice(record, standing, profile) : undefined) ?? shownInvoice(record, invoiceId, serverTime);
  const payment = invoice ? paymentOf(record, invoice, standing, options) : null;
  const stage = shownStage(standing, payment, invoiceId);
  const price = priceOf(record, invoice);
  const due = standing.remaining !== null && standing.remaining !== '0' && price ? { ...price, amount: standing.remaining } : price;
  return {
    id: invoiceId ?? record.id,
    stage,
    notes: isReversed(record, stage) ? [...standing.notes, 'reversed'] : standing.notes,
    version: options.version,
    network: networkOf(record, profile),
    server_time: timestamp(serverTime),
    expires_at: payment?.expires_at ?? null,
    merchant: { name: options.merchantName, contact: options.contact },
    order: {
      order_id: terms.order_id,
      description: terms.description ?? (terms.source === 'none' ? (invoice?.notes ?? null) : null),
      amount: price && { ...price, amount: inFull(price.amount, price.currency) },
    },
    coins:
      profile && invoiceId === null && terms.source !== 'none' && whyNoChoice(standing) === null
        ? offeredCoins(terms, profile, due, options.rates)
        : [],
    payment,
    received: receivedOf(record, standing, price?.currency),
    shop_url: shopLink(terms.shop_url, terms.source) ?? frontPage(successUrlOf(record, options)),
    success_url: isPaidStage(stage) ? successUrlOf(record, options) : null,
    onramp: payment && whyNoChoice(standing) === null ? onrampOf(payment, price, options) : null,
  };
}

/** Whether the shop was told that it is paid, and then that it no longer is, of a payment that is waited for again: none came to nothing. */
function isReversed({ events, transactions }: CheckoutRecord, stage: string): boolean {
  const last = events.findLast(({ event }) => event === 'checkout.paid' || event === 'checkout.reversed');
  return stage === 'seen' && last?.event === 'checkout.reversed' && !transactions.some(({ status }) => isGone(status));
}

/** The stage for what is shown: other coins of the order may still stand where the shown one has run out, or none is shown. */
function shownStage({ stage }: CheckoutStanding, payment: CheckoutPayment | null, invoiceId: string | null): CheckoutStanding['stage'] {
  if (stage === 'pay' && payment?.renewable) return 'expired';
  if (payment === null && invoiceId === null && (stage === 'pay' || stage === 'expired')) return 'choose';
  return stage;
}

/** Whether a new quote can be had: after expiry, while something is due and nothing waits for confirmations. */
export function isRenewable(invoice: CheckoutInvoice, record: CheckoutRecord, standing: CheckoutStanding, serverTime: number): boolean {
  const ended = hasExpired(invoice, serverTime) || isOutdated(invoice, record, standing);
  return standing.remaining !== null && RENEWABLE.has(standing.stage) && ended;
}

/** Until when it can be paid as it is; what is outdated could be until other money came. */
function endOf(invoice: CheckoutInvoice, record: CheckoutRecord, outdated: boolean): string | null {
  if (!outdated) return invoice.expires_at;
  const came = record.transactions.map(({ created_at }) => Date.parse(created_at));
  const last = Math.max(Date.parse(invoice.created_at), ...came);
  return timestamp(invoice.expires_at === null ? last : Math.min(last, Date.parse(invoice.expires_at)));
}

/** Whether the price can be held for one more period: while it runs, once, and not when a payment may be counted at it. */
export function isExtendable(invoice: CheckoutInvoice, record: CheckoutRecord, standing: CheckoutStanding, serverTime: number): boolean {
  return (
    whyNoChoice(standing) === null &&
    invoice.status === 'new' &&
    invoice.expires_at !== null &&
    !hasExpired(invoice, serverTime) &&
    invoice.quotes.at(-1)?.extended === false &&
    !record.transactions.some((one) => one.invoice?.id === invoice.id && !isGone(one.status))
  );
}

const RENEWABLE = new Set<string>(['pay', 'expired', 'underpaid']);

function paymentOf(
  record: CheckoutRecord,
  invoice: CheckoutInvoice,
  standing: CheckoutStanding,
  options: ViewOptions,
): CheckoutPayment | null {
  const kind = kindOf(invoice.kind);
  const own = standing.payments[invoice.id];
  const outdated = isOutdated(invoice, record, standing);
  // A lightning request says its amount itself, which for a rest is the price's next cent.
  const asksForAll = kind?.chain === 'lightning' && own?.paid === '0' && own.remaining !== '0' && !outdated;
  const remaining = (asksForAll ? own?.due : own?.remaining) ?? null;
  const strings = stringsOf(invoice, remaining);
  if (!kind || !own || !strings) return null;
  const qr = qrText(kind, strings, record.from);
  const need = invoice.min_confirmations ?? minConfirmations(invoice.kind, options.profile);
  const transactions = record.transactions.filter((one) => one.invoice?.id === invoice.id);
  const counted = transactions.filter((one) => kindOf(one.kind)?.asset === kind.asset && !isUncounted(one.status));
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
    public_address: invoice.public_address,
    lightning: invoice.lightning && { payment_request: invoice.lightning.payment_request, lnurl: invoice.lightning.lnurl },
    due: own.due,
    paid: own.paid,
    remaining,
    overpaid: own.overpaid,
    late: own.late,
    minimum_withdrawal: record.from === 'exchange' && remaining !== null ? minimumWithdrawal(invoice.kind, remaining) : null,
    rate: own.rate,
    strings: { qr, link: strings.link, address: strings.address, amount: strings.amount, tag: strings.tag },
    qr: qrOf(qr),
    confirmations: {
      have: counted.length > 0 ? Math.min(...counted.map(({ confirmations }) => confirmations)) : 0,
      need,
      final: kind.finalConfirmations,
    },
    usual_seconds: usualSeconds(kind, need),
    transactions: transactions.map((one) => {
      const { invoice_id: _, ...facts } = factsOf(one, invoice);
      return facts;
    }),
    expires_at: endOf(invoice, record, outdated),
    renewable: isRenewable(invoice, record, standing, options.serverTime),
    extendable: options.extends && isExtendable(invoice, record, standing, options.serverTime),
    proof: null,
  };
}

const isUncounted = (status: string): boolean => isGone(status) || status === 'quarantined';

/** The order's amount, or a single invoice's own; null for a reusable address, which the API gives an amount of zero. */
function priceOf({ terms }: CheckoutRecord, invoice: CheckoutInvoice | undefined): { amount: string; currency: string } | null {
  if (terms.source !== 'none')
    return terms.amount !== null && terms.currency !== null ? { amount: terms.amount, currency: terms.currency } : null;
  const requested = invoice?.amount.requested;
  return requested && !/^[0.]*$/.test(requested.amount) ? { amount: requested.amount, currency: requested.currency } : null;
}

/** A way back where the shop names none: the front page of where the way on leads. Nothing of it looks like success. */
const frontPage = (successUrl: string | null): string | null => successUrl && `${new URL(successUrl).origin}/`;

function successUrlOf(record: CheckoutRecord, { successOrigins, invoiceId }: ViewOptions): string | null {
  const options = { successOrigins, checkoutId: invoiceId ?? record.id };
  return successLink(record.terms.success_url, record.terms.source, options) ?? successLink(record.wish, 'query', options);
}
