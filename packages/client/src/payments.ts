import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { callbackResent, type CallbackResent } from '@crypto-checkout/protocol/schema/callback';
import {
  confirmations,
  type Confirmations,
} from '@crypto-checkout/protocol/schema/fields/confirmations';
import {
  type CreateInvoice,
  invoice,
  type Invoice,
} from '@crypto-checkout/protocol/schema/invoice';
import { signedReceipt } from '@crypto-checkout/protocol/schema/receipt';
import { type Page, pageOf } from '@crypto-checkout/protocol/schema/fields/pagination';
import {
  type CreatePayout,
  payout,
  type Payout,
  payoutEstimate,
  type PayoutEstimate,
  payoutResent,
  type PayoutResent,
} from '@crypto-checkout/protocol/schema/payout';
import {
  transaction,
  transactionRisk,
  type Transaction,
  type TransactionRisk,
} from '@crypto-checkout/protocol/schema/transaction';
import { allPages, type Requester, type CallOptions, pathOf } from './requester.ts';

/** Filters of a list of invoices; see docs/interface.md, "Filters". */
export interface InvoiceFilters {
  /** Page, from 1. */
  p?: number;
  txid?: string;
  address?: string;
  status?: 'new' | 'pending' | 'paid' | 'complete' | 'expired' | (string & {});
  profile_id?: string;
  /** Id of the order in the shop; an extension. */
  order_id?: string;
}

/** Filters of a list of transactions. */
export interface TransactionFilters {
  p?: number;
  txid?: string;
  address?: string;
  invoice_id?: string;
  profile_id?: string;
  /** UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`, inclusive. */
  date_from?: string;
  date_to?: string;
  risk_level?: 'no_risk' | 'low' | 'medium' | 'high' | 'critical' | 'null';
}

/** Filters of a list of payouts. */
export interface PayoutFilters {
  p?: number;
  txid?: string;
  /** Address of a recipient. */
  address?: string;
  reference_id?: string;
  profile_id?: string;
  /** UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`, inclusive. */
  date_from?: string;
  date_to?: string;
}

export interface Payments {
  invoices: {
    /** A write: after a failure with `outcome: 'unknown'` the invoice may exist. */
    create(payload: CreateInvoice, options?: CallOptions): Promise<Invoice>;
    get(id: string, options?: CallOptions): Promise<Invoice>;
    list(filters?: InvoiceFilters, options?: CallOptions): Promise<Page<Invoice>>;
    /**
     * All invoices, page by page, newest first. One that moves between pages meanwhile is returned
     * once.
     */
    listAll(filters?: InvoiceFilters, options?: CallOptions): AsyncIterable<Invoice>;
    /**
     * A new quote after expiry, or with `extend` one more period at the same rate. Not every
     * service supports it.
     */
    renew(id: string, payload?: { extend?: boolean }, options?: CallOptions): Promise<Invoice>;
    /**
     * Cancels the lightning request of an order that is paid in another way. Not every service
     * supports it.
     */
    cancelRequest(id: string, options?: CallOptions): Promise<Invoice>;
    /** A signed receipt of a paid invoice, for `verifyReceipt`. Not every service supports it. */
    receipt(id: string, options?: CallOptions): Promise<string>;
    /** Sends the last callback about the invoice itself again. Not every service supports it. */
    resendCallback(id: string, options?: CallOptions): Promise<CallbackResent>;
  };
  transactions: {
    get(id: string, options?: CallOptions): Promise<Transaction>;
    list(filters?: TransactionFilters, options?: CallOptions): Promise<Page<Transaction>>;
    listAll(filters?: TransactionFilters, options?: CallOptions): AsyncIterable<Transaction>;
    /** The result of the risk analysis. */
    risk(id: string, options?: CallOptions): Promise<TransactionRisk>;
    /** The confirmations of transactions, in the order of the ids. */
    confirmations(ids: readonly string[], options?: CallOptions): Promise<Confirmations[]>;
    /** Sends the last callback again. */
    resendCallback(id: string, options?: CallOptions): Promise<CallbackResent>;
    /** Quarantines one: its money is frozen and does not count. Not every service supports it. */
    quarantine(id: string, options?: CallOptions): Promise<Transaction>;
    /** Releases one from quarantine. Not every service supports it. */
    release(id: string, options?: CallOptions): Promise<Transaction>;
  };
  payouts: {
    /**
     * A write that moves money: after a failure with `outcome: 'unknown'` the payout may exist and
     * be sent. With a `reference_id`, a repeated call returns the same payout.
     */
    create(payload: Omit<CreatePayout, 'estimate_only'>, options?: CallOptions): Promise<Payout>;
    /** Runs all checks and returns the network fee; sends nothing. */
    estimate(
      payload: Omit<CreatePayout, 'estimate_only'>,
      options?: CallOptions,
    ): Promise<PayoutEstimate>;
    get(id: string, options?: CallOptions): Promise<Payout>;
    list(filters?: PayoutFilters, options?: CallOptions): Promise<Page<Payout>>;
    listAll(filters?: PayoutFilters, options?: CallOptions): AsyncIterable<Payout>;
    /** Approves a draft, which is then sent. The key needs the Approve permission. */
    approve(id: string, options?: CallOptions): Promise<Payout>;
    /** Rejects a draft, or a payout that waits for its time, for funds or for a policy. */
    reject(id: string, options?: CallOptions): Promise<Payout>;
    /**
     * Sends a payout that waits for its block again for a higher fee. Needs the Approve permission.
     */
    bump(id: string, options?: CallOptions): Promise<Payout>;
    /**
     * Cancels a payout that waits for its block: it is `failed` once the cancelling transaction is
     * final, and can be paid until then. Needs the Approve permission.
     */
    cancel(id: string, options?: CallOptions): Promise<Payout>;
    /** The confirmations of payouts, in the order of the ids. */
    confirmations(ids: readonly string[], options?: CallOptions): Promise<Confirmations[]>;
    /** Sends the last callback again. */
    resendCallback(id: string, options?: CallOptions): Promise<PayoutResent>;
  };
}

/** The methods for invoices, transactions and payouts. */
export function payments(asker: Requester): Payments {
  return { invoices: invoices(asker), transactions: transactions(asker), payouts: payouts(asker) };
}

const one = {
  invoice: resultOf(invoice),
  receipt: resultOf(signedReceipt),
  transaction: resultOf(transaction),
  payout: resultOf(payout),
  estimate: resultOf(payoutEstimate),
};
const pages = {
  invoice: pageOf(invoice),
  transaction: pageOf(transaction),
  payout: pageOf(payout),
};
const risk = resultOf(transactionRisk);
const depths = listOf(confirmations);

function invoices(asker: Requester): Payments['invoices'] {
  const list: Payments['invoices']['list'] = (filters, call) =>
    asker.read(pages.invoice, '/v1/invoices/', filters, call);
  return {
    create: async (payload, call) =>
      (await asker.create(one.invoice, '/v1/invoices/', payload, call)).result,
    get: async (id, call) =>
      (await asker.read(one.invoice, pathOf('invoices', id), undefined, call)).result,
    list,
    listAll: (filters, call) => allPages((p) => list({ ...filters, p }, call)),
    renew: async (id, payload = {}, call) =>
      (await asker.create(one.invoice, `${pathOf('invoices', id)}renew/`, payload, call)).result,
    cancelRequest: async (id, call) =>
      (await asker.create(one.invoice, `${pathOf('invoices', id)}cancel-request/`, {}, call))
        .result,
    receipt: async (id, call) =>
      (await asker.read(one.receipt, `${pathOf('invoices', id)}receipt/`, {}, call)).result.receipt,
    resendCallback: async (id, call) =>
      asker.create(callbackResent, `${pathOf('invoices', id)}resend-callback/`, {}, call),
  };
}

function transactions(asker: Requester): Payments['transactions'] {
  const list: Payments['transactions']['list'] = (filters, call) =>
    asker.read(pages.transaction, '/v1/transactions/', filters, call);
  return {
    get: async (id, call) =>
      (await asker.read(one.transaction, pathOf('transactions', id), undefined, call)).result,
    list,
    listAll: (filters, call) => allPages((p) => list({ ...filters, p }, call)),
    risk: async (id, call) =>
      (await asker.read(risk, `${pathOf('transactions', id)}risk/`, undefined, call)).result,
    confirmations: async (ids, call) =>
      (await asker.create(depths, '/v1/transactions/confirmations/', { id: ids }, call)).result,
    resendCallback: async (id, call) =>
      asker.create(callbackResent, `${pathOf('transactions', id)}resend-callback/`, {}, call),
    quarantine: async (id, call) =>
      (await asker.create(one.transaction, `${pathOf('transactions', id)}quarantine/`, {}, call))
        .result,
    release: async (id, call) =>
      (await asker.create(one.transaction, `${pathOf('transactions', id)}release/`, {}, call))
        .result,
  };
}

function payouts(asker: Requester): Payments['payouts'] {
  const list: Payments['payouts']['list'] = (filters, call) =>
    asker.read(pages.payout, '/v1/payouts/', filters, call);
  const decide = async (id: string, approve: boolean, call?: CallOptions): Promise<Payout> =>
    (await asker.update(one.payout, pathOf('payouts', id), { approve }, call)).result;
  return {
    create: async (payload, call) =>
      (await asker.create(one.payout, '/v1/payouts/', payload, call)).result,
    estimate: async (payload, call) =>
      (await asker.create(one.estimate, '/v1/payouts/', { ...payload, estimate_only: true }, call))
        .result,
    get: async (id, call) =>
      (await asker.read(one.payout, pathOf('payouts', id), undefined, call)).result,
    list,
    listAll: (filters, call) => allPages((p) => list({ ...filters, p }, call)),
    approve: (id, call) => decide(id, true, call),
    reject: (id, call) => decide(id, false, call),
    bump: async (id, call) =>
      (await asker.create(one.payout, `${pathOf('payouts', id)}bump/`, {}, call)).result,
    cancel: async (id, call) =>
      (await asker.create(one.payout, `${pathOf('payouts', id)}cancel/`, {}, call)).result,
    confirmations: async (ids, call) =>
      (await asker.create(depths, '/v1/payouts/confirmations/', { id: ids }, call)).result,
    resendCallback: async (id, call) =>
      asker.create(payoutResent, `${pathOf('payouts', id)}resend-callback/`, {}, call),
  };
}
