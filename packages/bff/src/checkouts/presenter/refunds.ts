import { divide, formatAmount, parseAmount, roundUp } from '@crypto-checkout/protocol/amount';
import type {
  Checkout,
  CheckoutRefund,
  CheckoutRefundable,
} from '@crypto-checkout/protocol/checkout';
import { CHAINS, invoiceDecimals, kindOf } from '@crypto-checkout/protocol/kind';
import type { CheckoutState } from '@crypto-checkout/protocol/stage';
import { rateOf } from '../coins.ts';
import type { CheckoutRecord, RefundableMoney } from '../repository/record.ts';
import { explorerUrl } from './explorer.ts';

export interface RefundsOptions {
  rates: ReadonlyMap<string, string> | null;
  networkFees: ReadonlyMap<string, string> | null;
  /** Whether a request can be proven here: not at an invoice's own link, nor without an order. */
  canProve: boolean;
}

/**
 * Refunds, and money that can be asked back, of every payment of the order: each of its links shows
 * all payments, too. Each list is absent without any. Money under an unproven request is listed
 * apart: only the proven buyer can ask for it.
 * @returns `isTooSmall` where the network fee would leave nothing of some money: it is not listed,
 * because the service would refuse its refund
 */
export function refundsOf(
  record: CheckoutRecord,
  state: CheckoutState,
  options: RefundsOptions,
): Pick<Checkout, 'refunds' | 'refundable' | 'replaceable'> & { isTooSmall: boolean } {
  const refunds = record.refunds.map((refund) => shownRefund(refund, record));
  const { isTooSmall, refundable, replaceable } = moneyOf(record, state, options);
  return {
    ...(refunds.length > 0 && { refunds }),
    ...(refundable.length > 0 && { refundable }),
    ...(replaceable.length > 0 && { replaceable }),
    isTooSmall,
  };
}

function moneyOf(record: CheckoutRecord, state: CheckoutState, options: RefundsOptions) {
  const returnable = record.refundable.filter((one) => isReturnable(one, record, state));
  const show = (one: RefundableMoney): CheckoutRefundable => shownMoney(one, record, options);
  const free = returnable.filter(({ replaces }) => !replaces).map(show);
  const refundable = free.filter((one) => !isUsedUp(one));
  const requested = options.canProve ? returnable.filter(({ replaces }) => replaces) : [];
  return {
    refundable,
    replaceable: requested.map(show).filter((one) => !isUsedUp(one)),
    isTooSmall: refundable.length < free.length,
  };
}

const isUsedUp = ({ fee, received }: CheckoutRefundable): boolean =>
  fee !== null && received === null;

/**
 * The service sees one invoice at a time: a part of an order that another coin completed, and a
 * late payment that the shop accepted, go back only when the shop offers them.
 */
export function isReturnable(
  {
    transaction_id,
    cause,
    replaces,
  }: Pick<RefundableMoney, 'transaction_id' | 'cause' | 'replaces'>,
  record: Pick<CheckoutRecord, 'late_rates' | 'transactions'>,
  { remaining }: Pick<CheckoutState, 'remaining'>,
): boolean {
  // Since the request, the order was paid without this money.
  if (cause === 'offered' || replaces) return true;
  return !isAcceptedLate(transaction_id, record) && !(cause === 'expired' && remaining === '0');
}

/** Whether a late payment counts: by the setting, or because the shop accepted it. */
export const isAcceptedLate = (
  id: string,
  { late_rates, transactions }: Pick<CheckoutRecord, 'late_rates' | 'transactions'>,
): boolean =>
  Object.hasOwn(late_rates, id) ||
  transactions.some((one) => one.id === id && one.late_accepted === true);

/** Rejected ones stay: the buyer must see what became of a request. */
function shownRefund(
  {
    transaction_id,
    amount,
    received,
    kind,
    address,
    destination_tag: tag,
    status,
    txid,
    network,
  }: CheckoutRecord['refunds'][number],
  record: CheckoutRecord,
): CheckoutRefund {
  return {
    transaction: nameOf(transaction_id, record),
    amount: amount.amount,
    received: received.amount,
    kind,
    address,
    tag,
    status,
    txid,
    explorer_url: txid === null ? null : explorerUrl(kind, txid, network),
  };
}

function shownMoney(
  { transaction_id, cause, kind: name, amount, network_fee, is_ready }: RefundableMoney,
  record: CheckoutRecord,
  options: RefundsOptions,
): CheckoutRefundable {
  const kind = kindOf(name);
  const fee = network_fee ? rounded(network_fee.amount, name) : feeOf(name, options);
  return {
    transaction: nameOf(transaction_id, record),
    cause,
    kind: name,
    name: kind?.name ?? name,
    network: kind?.network ?? '',
    symbol: kind?.symbol ?? amount.currency,
    amount: amount.amount,
    fee,
    received: fee === null ? null : difference(amount.amount, fee),
    ready: is_ready,
    tagged: kind !== undefined && TAGGED.includes(CHAINS[kind.chain].family),
  };
}

/** Families of chains whose addresses may need a destination tag. */
const TAGGED: readonly string[] = ['xrp', 'ton'];

/** The txid; the service's id where a transaction holds several payments. */
function nameOf(id: string, { transactions }: CheckoutRecord): string {
  const txid = transactions.find((one) => one.id === id)?.txid;
  const isOnly = transactions.filter((one) => one.txid === txid).length === 1;
  return txid !== undefined && isOnly ? txid : id;
}

/** The usual network fee in the coin. Over lightning the shop pays for routing. */
function feeOf(name: string, { rates, networkFees }: RefundsOptions): string | null {
  const kind = kindOf(name);
  if (kind?.chain === 'lightning') return '0';
  const usd = networkFees?.get(name);
  const rate = kind && rates && (rateOf(kind.symbol, rates) ?? rateOf(kind.asset, rates));
  if (usd === undefined || !rate) return null;
  return rounded(formatAmount(divide(parseAmount(usd), rate, 'up')), name);
}

function rounded(amount: string, name: string): string {
  const kind = kindOf(name);
  return kind ? formatAmount(roundUp(parseAmount(amount), invoiceDecimals(kind))) : amount;
}

function difference(amount: string, fee: string): string | null {
  const left = parseAmount(amount) - parseAmount(fee);
  return left > 0n ? formatAmount(left) : null;
}
