import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { type Page, pageOf } from '@crypto-checkout/protocol/schema/fields/pagination';
import {
  type CreateRefund,
  refund,
  type Refund,
  refundable,
  type Refundable,
  refundEstimate,
  type RefundEstimate,
} from '@crypto-checkout/protocol/schema/refund';
import { transaction, type Transaction } from '@crypto-checkout/protocol/schema/transaction';
import { allPages, type Requester, type CallOptions, pathOf } from './requester.ts';

/** Filters of a list of refunds. */
export interface RefundFilters {
  p?: number;
  /** `waiting`: all that can be approved or rejected. */
  status?:
    | 'requested'
    | 'draft'
    | 'approved'
    | 'paid'
    | 'rejected'
    | 'failed'
    | 'waiting'
    | (string & {});
  transaction_id?: string;
  invoice_id?: string;
  reference_id?: string;
}

type NewRefund = Omit<CreateRefund, 'estimate_only'>;

export interface Refunds {
  /** Money that goes back to buyers. Not every service supports it. */
  refunds: {
    /**
     * Asks for a refund; with the permission `payouts:write` it is paid at once. The same call
     * again returns the same refund.
     */
    create(payload: NewRefund, options?: CallOptions): Promise<Refund>;
    /** Runs all checks and returns the amounts; stores nothing. */
    estimate(payload: NewRefund, options?: CallOptions): Promise<RefundEstimate>;
    get(id: string, options?: CallOptions): Promise<Refund>;
    list(filters?: RefundFilters, options?: CallOptions): Promise<Page<Refund>>;
    listAll(filters?: RefundFilters, options?: CallOptions): AsyncIterable<Refund>;
    /** Sends a refund that was asked for. The key needs the Approve permission. */
    approve(id: string, options?: CallOptions): Promise<Refund>;
    /** Rejects a refund: its transaction counts again. The key needs the Approve permission. */
    reject(id: string, options?: CallOptions): Promise<Refund>;
    /**
     * The money of an invoice that can be returned. With `replaces` it is in that unproven refund
     * already: count it once.
     */
    refundable(invoiceId: string, options?: CallOptions): Promise<Refundable[]>;
    /** Lets the buyer ask for at most an amount of a transaction; `0` ends the offer. */
    offer(transactionId: string, amount: string, options?: CallOptions): Promise<Transaction>;
    /** Records that a late payment counts, so that it is not refunded as late. */
    acceptLate(transactionId: string, options?: CallOptions): Promise<Transaction>;
  };
}

const one = resultOf(refund);
const page = pageOf(refund);
const preview = resultOf(refundEstimate);
const money = listOf(refundable);
const payment = resultOf(transaction);

/** The methods for refunds. */
export function refunds(asker: Requester): Refunds {
  const list: Refunds['refunds']['list'] = (filters, call) =>
    asker.read(page, '/v1/refunds/', filters, call);
  const decide = async (id: string, is_approved: boolean, call?: CallOptions): Promise<Refund> =>
    (await asker.update(one, pathOf('refunds', id), { is_approved }, call)).result;
  const ofTransaction = async (id: string, verb: string, payload: object, call?: CallOptions) =>
    (await asker.create(payment, `${pathOf('transactions', id)}${verb}/`, payload, call)).result;
  return {
    refunds: {
      create: async (payload, call) =>
        (await asker.create(one, '/v1/refunds/', payload, call)).result,
      estimate: async (payload, call) =>
        (await asker.create(preview, '/v1/refunds/', { ...payload, estimate_only: true }, call))
          .result,
      get: async (id, call) =>
        (await asker.read(one, pathOf('refunds', id), undefined, call)).result,
      list,
      listAll: (filters, call) => allPages((p) => list({ ...filters, p }, call)),
      approve: (id, call) => decide(id, true, call),
      reject: (id, call) => decide(id, false, call),
      refundable: async (id, call) =>
        (await asker.read(money, `${pathOf('invoices', id)}refundable/`, undefined, call)).result,
      offer: (id, amount, call) => ofTransaction(id, 'offer-refund', { amount }, call),
      acceptLate: (id, call) => ofTransaction(id, 'accept-late', {}, call),
    },
  };
}
