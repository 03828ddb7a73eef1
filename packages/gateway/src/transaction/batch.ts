import type { Trx } from '../database/database.ts';
import { lockInvoices, quotesOf, type LockedInvoice, type QuoteRow } from '../invoice/store.ts';
import { transactionsOf, type AffectedQuery, type TransactionRow } from './store.ts';

/** A transaction in memory, beside what is stored of it. */
export interface Draft {
  row: TransactionRow;
  /** Null for one that is seen for the first time. */
  stored: TransactionRow | null;
}

/** Locked invoices with everything that their states follow from. */
export interface Batch {
  invoices: ReadonlyMap<string, LockedInvoice>;
  /** Oldest first. */
  quotes: ReadonlyMap<string, QuoteRow[]>;
  /** By chain and observation key. */
  drafts: Map<string, Draft>;
}

export const draftKey = (chain: string, observationKey: string): string => `${chain} ${observationKey}`;

/**
 * Locks invoices and loads their prices and transactions, so that whatever follows from them is computed and written alone.
 * @param changing which transactions of reusable addresses are wanted; invoices with an amount bring all of theirs
 */
export async function loadBatch(
  trx: Trx,
  invoiceIds: readonly string[],
  changing: AffectedQuery | { ids: readonly string[] },
): Promise<Batch> {
  const invoices = await lockInvoices(trx, invoiceIds);
  const ids = invoices.map((invoice) => invoice.id);
  const quotes = new Map<string, QuoteRow[]>();
  for (const quote of await quotesOf(trx, ids)) quotes.set(quote.invoice_id, [...(quotes.get(quote.invoice_id) ?? []), quote]);
  const drafts = new Map<string, Draft>();
  for (const stored of await transactionsOf(trx, invoices, changing)) {
    drafts.set(draftKey(stored.chain, stored.observation_key), { row: { ...stored }, stored });
  }
  return { invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])), quotes, drafts };
}
