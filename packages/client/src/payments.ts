import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import { callbackResent, type CallbackResent } from '@crypto-checkout/protocol/schema/callback';
import { confirmations, type Confirmations } from '@crypto-checkout/protocol/schema/confirmations';
import { type CreateInvoice, invoice, type Invoice } from '@crypto-checkout/protocol/schema/invoice';
import { type Page, pageOf } from '@crypto-checkout/protocol/schema/pagination';
import {
  type CreatePayout,
  payout,
  type Payout,
  payoutEstimate,
  type PayoutEstimate,
  payoutResent,
  type PayoutResent,
} from '@crypto-checkout/protocol/schema/payout';
import { transaction, transactionRisk, type Transaction, type TransactionRisk } from '@crypto-checkout/protocol/schema/transaction';
import { allPages, type Asker, type CallOptions, pathOf } from './ask.ts';

/** §4.1. */
export interface InvoiceFilters {
  /** Page, from 1. */
  p?: number;
  txid?: string;
  address?: string;
  status?: 'new' | 'pending' | 'paid' | 'complete' | 'expired' | (string & {});
  profile_id?: string;
}

/** §4.2. */
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

/** §4.3. */
export interface PayoutFilters {
  p?: number;
  txid?: string;
  /** Of a recipient. */
  address?: string;
  reference_id?: string;
  profile_id?: string;
  /** UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`, inclusive. */
  date_from?: string;
  date_to?: string;
}

export interface Payments {
  invoices: {
    /** A write: when it fails with `outcome: 'unknown'`, the invoice may exist. */
    create(payload: CreateInvoice, options?: CallOptions): Promise<Invoice>;
    get(id: string, options?: CallOptions): Promise<Invoice>;
    list(filters?: InvoiceFilters, options?: CallOptions): Promise<Page<Invoice>>;
    /** Every invoice, page after page, newest first; one that moves between pages meanwhile comes once. */
    listAll(filters?: InvoiceFilters, options?: CallOptions): AsyncIterable<Invoice>;
    /** A new quote after expiry, or with `extend` one more period at the same rate. Not every service has it. */
    renew(id: string, payload?: { extend?: boolean }, options?: CallOptions): Promise<Invoice>;
    /** The last callback about the invoice itself, sent once more. Not every service has it. */
    resendCallback(id: string, options?: CallOptions): Promise<CallbackResent>;
  };
  transactions: {
    get(id: string, options?: CallOptions): Promise<Transaction>;
    list(filters?: TransactionFilters, options?: CallOptions): Promise<Page<Transaction>>;
    listAll(filters?: TransactionFilters, options?: CallOptions): AsyncIterable<Transaction>;
    /** What the risk analysis found. */
    risk(id: string, options?: CallOptions): Promise<TransactionRisk>;
    /** How deep transactions are, in the order of the ids. */
    confirmations(ids: readonly string[], options?: CallOptions): Promise<Confirmations[]>;
    /** The last callback, sent once more. */
    resendCallback(id: string, options?: CallOptions): Promise<CallbackResent>;
    /** Holds one by hand: its money is frozen and it counts for nothing. Not every service has it. */
    quarantine(id: string, options?: CallOptions): Promise<Transaction>;
    /** Releases one that is held, by the risk analysis or by hand. Not every service has it. */
    release(id: string, options?: CallOptions): Promise<Transaction>;
  };
  payouts: {
    /**
     * A write that moves money: when it fails with `outcome: 'unknown'`, the payout may exist and be sent. Give it a `reference_id`, and
     * the same call again gives the same payout.
     */
    create(payload: Omit<CreatePayout, 'estimate_only'>, options?: CallOptions): Promise<Payout>;
    /** All checks and the network fee, and nothing is sent. */
    estimate(payload: Omit<CreatePayout, 'estimate_only'>, options?: CallOptions): Promise<PayoutEstimate>;
    get(id: string, options?: CallOptions): Promise<Payout>;
    list(filters?: PayoutFilters, options?: CallOptions): Promise<Page<Payout>>;
    listAll(filters?: PayoutFilters, options?: CallOptions): AsyncIterable<Payout>;
    /** A draft is sent; the key needs the Approve permission. */
    approve(id: string, options?: CallOptions): Promise<Payout>;
    /** A draft ends, or a payout that waits for its time, for money or for a policy. */
    reject(id: string, options?: CallOptions): Promise<Payout>;
    /** How deep payouts are, in the order of the ids. */
    confirmations(ids: readonly string[], options?: CallOptions): Promise<Confirmations[]>;
    /** The last callback, sent once more. */
    resendCallback(id: string, options?: CallOptions): Promise<PayoutResent>;
  };
}

/** What comes in and goes out (§4.1 to 4.3). */
export function payments(asker: Asker): Payments {
  return { invoices: invoices(asker), transactions: transactions(asker), payouts: payouts(asker) };
}

const one = {
  invoice: resultOf(invoice),
  transaction: resultOf(transaction),
  payout: resultOf(payout),
  estimate: resultOf(payoutEstimate),
};
const pages = { invoice: pageOf(invoice), transaction: pageOf(transaction), payout: pageOf(payout) };
const risk = resultOf(transactionRisk);
const depths = listOf(confirmations);

function invoices(asker: Asker): Payments['invoices'] {
  const list: Payments['invoices']['list'] = (filters, call) => asker.read(pages.invoice, '/v1/invoices/', filters, call);
  return {
    create: async (payload, call) => (await asker.create(one.invoice, '/v1/invoices/', payload, call)).result,
    get: async (id, call) => (await asker.read(one.invoice, pathOf('invoices', id), undefined, call)).result,
    list,
    listAll: (filters, call) => allPages((p) => list({ ...filters, p }, call)),
    renew: async (id, payload = {}, call) => (await asker.create(one.invoice, `${pathOf('invoices', id)}renew/`, payload, call)).result,
    resendCallback: async (id, call) => asker.create(callbackResent, `${pathOf('invoices', id)}resend-callback/`, {}, call),
  };
}

function transactions(asker: Asker): Payments['transactions'] {
  const list: Payments['transactions']['list'] = (filters, call) => asker.read(pages.transaction, '/v1/transactions/', filters, call);
  return {
    get: async (id, call) => (await asker.read(one.transaction, pathOf('transactions', id), undefined, call)).result,
    list,
    listAll: (filters, call) => allPages((p) => list({ ...filters, p }, call)),
    risk: async (id, call) => (await asker.read(risk, `${pathOf('transactions', id)}risk/`, undefined, call)).result,
    confirmations: async (ids, call) => (await asker.create(depths, '/v1/transactions/confirmations/', { id: ids }, call)).result,
    resendCallback: async (id, call) => asker.create(callbackResent, `${pathOf('transactions', id)}resend-callback/`, {}, call),
    quarantine: async (id, call) => (await asker.create(one.transaction, `${pathOf('transactions', id)}quarantine/`, {}, call)).result,
    release: async (id, call) => (await asker.create(one.transaction, `${pathOf('transactions', id)}release/`, {}, call)).result,
  };
}

function payouts(asker: Asker): Payments['payouts'] {
  const list: Payments['payouts']['list'] = (filters, call) => asker.read(pages.payout, '/v1/payouts/', filters, call);
  const decide = async (id: string, approve: boolean, call?: CallOptions): Promise<Payout> =>
    (await asker.update(one.payout, pathOf('payouts', id), { approve }, call)).result;
  return {
    create: async (payload, call) => (await asker.create(one.payout, '/v1/payouts/', payload, call)).result,
    estimate: async (payload, call) => (await asker.create(one.estimate, '/v1/payouts/', { ...payload, estimate_only: true }, call)).result,
    get: async (id, call) => (await asker.read(one.payout, pathOf('payouts', id), undefined, call)).result,
    list,
    listAll: (filters, call) => allPages((p) => list({ ...filters, p }, call)),
    approve: (id, call) => decide(id, true, call),
    reject: (id, call) => decide(id, false, call),
    confirmations: async (ids, call) => (await asker.create(depths, '/v1/payouts/confirmations/', { id: ids }, call)).result,
    resendCallback: async (id, call) => asker.create(payoutResent, `${pathOf('payouts', id)}resend-callback/`, {}, call),
  };
}
