import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { type Kind, kindOf } from '@crypto-checkout/protocol/kind';
import { minimumWithdrawal } from '@crypto-checkout/protocol/minimum-withdrawal';
import { qrText } from '@crypto-checkout/protocol/payment-string';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { usualSeconds } from '@crypto-checkout/protocol/usual-time';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import { timestamp } from '../../http/timestamp.ts';
import type { StateContext } from '../checkout-state.ts';
import { minConfirmations } from '../coins.ts';
import { hasExpired } from '../displayed-invoice.ts';
import { isExtendable, isOutdated, isRenewable } from '../invoices/payment-rules.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../repository/record.ts';
import { cachedQr, invoicePaymentStrings } from './payment-strings.ts';
import { factsOf } from './received.ts';

export interface PaymentOptions extends StateContext {
  /** Whether the service can extend a quote. */
  canExtend: boolean;
}

/** The payment of an invoice; null without a state, or of a coin that is not known here. */
export function paymentOf(
  record: CheckoutRecord,
  invoice: CheckoutInvoice,
  state: CheckoutState,
  options: PaymentOptions,
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
