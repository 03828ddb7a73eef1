import type { Hmac } from '@crypto-checkout/protocol/signature';
import { checkoutState } from '../checkouts/checkout-state.ts';
import { isAcceptedLate, isReturnable } from '../checkouts/presenter/refunds.ts';
import type { CheckoutRecord } from '../checkouts/repository/record.ts';
import { HttpError, invalid } from '../http/http-error.ts';
import { orderFromToken } from '../orders/order-token.ts';
import type { ServiceRefund, ServiceTransaction } from '../service/schema.ts';
import { type Service, type ServiceProfile, ServiceRejection } from '../service/service.ts';
import { isClaim } from './claim.ts';

/** A buyer's request for money back. */
export interface BuyerRefund {
  /** Txid, as the view shows it, or the id of the service. */
  transaction: string;
  address: string;
  tag: string | null;
  /** A fresh order token, which proves the buyer; null without one. */
  order: string | null;
  /** The claim secret of the browser that opened the checkout, which proves the buyer, too. */
  claim: string | null;
  /** The amount that the buyer was shown; null if the request names none. */
  expectedAmount: string | null;
  /** Only checks the request, and says what would arrive. */
  isEstimate: boolean;
}

export interface RefundOptions {
  service: Service;
  profile: ServiceProfile | null;
  /** The service's time, milliseconds since the epoch. */
  serverTime: number;
  orderSecret: string;
  hmac: Hmac;
  /** Own clock, milliseconds since the epoch. */
  now: number;
}

/** The refund as the buyer sees it. */
export interface ShownRefund {
  /** Txid of the payment that came in. */
  transaction: string;
  kind: string;
  amount: string;
  /** After the network fee; an estimate until it is sent. */
  received: string;
  address: string;
  /** Null without one. */
  tag: string | null;
  status: string;
  /** Txid of the refund; null until it is sent. */
  txid: string | null;
}

/**
 * Passes a buyer's request to the service, which counts the amount and checks the address. A part
 * of an order that was paid in several coins is refused here: the service sees one invoice only.
 * Every link of an order takes requests for all of its payments: none of them proves the buyer.
 * @throws HttpError with the service's reason
 */
export async function requestRefund(
  record: CheckoutRecord,
  request: BuyerRefund,
  options: RefundOptions,
): Promise<ShownRefund> {
  const payment = paymentOf(record, request.transaction);
  await requireReturnable(record, payment, options);
  const isProven =
    (request.order !== null && (await proves(record, request.order, options))) ||
    (await isClaim(request.claim, record.id, options));
  const { address, tag, isEstimate } = request;
  try {
    const refund = await options.service.refund({
      transactionId: payment.id,
      address,
      tag,
      isProven,
      isEstimate,
    });
    return shownRefund(refund, payment);
  } catch (error) {
    throw error instanceof ServiceRejection ? refusal(error) : error;
  }
}

function paymentOf({ transactions }: CheckoutRecord, name: string): ServiceTransaction {
  const found = transactions.filter(({ id, txid }) => id === name || txid === name);
  const [payment, ...others] = found;
  if (payment === undefined)
    throw new HttpError(404, 'NotFound', 'This order has no such transaction.');
  if (others.length > 0)
    throw invalid('transaction', 'The transaction holds several payments; state the id of one.');
  return payment;
}

async function requireReturnable(
  record: CheckoutRecord,
  { id, invoice }: ServiceTransaction,
  { service, profile, serverTime }: RefundOptions,
): Promise<void> {
  const isAccepted = isAcceptedLate(id, record);
  const state = checkoutState(record, { serverTime, profile });
  if ((state.remaining !== '0' && !isAccepted) || !invoice) return;
  const money = await service.refundable(invoice.id);
  const found = money.find(({ transaction_id }) => transaction_id === id);
  if (isAccepted && found?.cause !== 'offered')
    throw wrongState('The shop has accepted this payment.');
  if (found && !isReturnable(found, record, state))
    throw wrongState('The order is paid, and this payment is a part of it.');
}

/** Whether the token is fresh and for this order. A page that is shared holds none. */
async function proves(
  { terms }: CheckoutRecord,
  token: string,
  { orderSecret, hmac, now }: RefundOptions,
): Promise<boolean> {
  const { order, expired } = await orderFromToken(token, {
    orderSecret,
    hmac,
    now,
    onIgnoredMembers: () => {},
  });
  if (order.order_id !== terms.order_id || terms.source === 'none')
    throw invalid('order', 'The order token is for another order.');
  return expired === null;
}

const shownRefund = (refund: ServiceRefund, { txid }: ServiceTransaction): ShownRefund => ({
  transaction: txid,
  kind: refund.kind,
  amount: refund.amount.amount,
  received: refund.received.amount,
  address: refund.address,
  tag: refund.destination_tag,
  status: refund.status,
  txid: refund.txid,
});

const wrongState = (message: string): HttpError => new HttpError(409, 'InvalidState', message);

/** Only what the buyer can change is passed on; all other refusals are ours. */
function refusal(error: ServiceRejection): HttpError {
  const { status, reason, message } = error;
  const isForBuyer =
    reason === 'InvalidAddress' ||
    reason === 'ShopAddress' ||
    reason === 'ValidationError' ||
    reason === 'PayoutNetworkFeeTooHigh' ||
    reason === 'InvalidState' ||
    reason === 'LnurlError';
  if (isForBuyer)
    return new HttpError(status, reason, message, { cause: error, ...fieldsOf(error) });
  if (reason === 'AlreadyExists')
    return new HttpError(409, reason, 'A refund of this payment was requested already.', {
      cause: error,
    });
  return new HttpError(409, 'InvalidState', 'This payment can’t be refunded now.', {
    cause: error,
  });
}

/** The buyer's own members that are wrong; the service's tag has another name. */
function fieldsOf({ errors }: ServiceRejection): { errors?: { field: string; message: string }[] } {
  if (errors.length === 0) return {};
  return {
    errors: errors.map(({ field, message }) => ({
      field: field === 'destination_tag' ? 'tag' : field,
      message,
    })),
  };
}
