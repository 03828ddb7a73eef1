import type { Trx } from '../database/database.ts';
import { lockInvoices, quotesOf, type LockedInvoice, type QuoteRow } from '../invoice/store.ts';
import { transactionsOf, type AffectedQuery, type TransactionRow } from '../transaction/store.ts';

/** A transaction with its changes in memory, and its stored row. */
export interface Draft {
  row: TransactionRow;
  /** Null for a new transaction. */
  stored: TransactionRow | null;
}

/** Locked invoices with all inputs of their states. */
export interface Batch {
  invoices: ReadonlyMap<string, LockedInvoice>;
  /** Oldest first. */
  quotes: ReadonlyMap<string, QuoteRow[]>;
  /** By chain and observation key. */
  drafts: Map<string, Draft>;
}

export const draftKey = (chain: string, observationKey: string): string =>
  `${chain} ${observationKey}`;

/**
 * Locks invoices and loads their quotes and transactions.
 * @param changing selects the transactions of reusable addresses; invoices with an amount load all
 * of theirs
 */
export async function loadBatch(
  trx: Trx,
  invoiceIds: readonly string[],
  changing: AffectedQuery | { ids: readonly string[] },
): Promise<Batch> {
  const invoices = await lockInvoices(trx, invoiceIds);
  const ids = invoices.map((invoice) => invoice.id);
  const quotes = new Map<string, QuoteRow[]>();
  for (const quote of await quotesOf(trx, ids))
    quotes.set(quote.invoice_id, [...(quotes.get(quote.invoice_id) ?? []), quote]);
  const drafts = new Map<string, Draft>();
  for (const stored of await transactionsOf(trx, invoices, changing)) {
    drafts.set(draftKey(stored.chain, stored.observation_key), { row: { ...stored }, stored });
  }
  return { invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])), quotes, drafts };
}
