import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { watchKeyOf } from '@crypto-checkout/chains/deposit-target';
import { isExplainedByNow } from '../balance-check/explain.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { invalid } from '../http/invalid.ts';
import { walletOfChain, type LockedInvoice } from '../invoice/store.ts';
import { retryAt } from '../risk/retry.ts';
import { draftKey, loadBatch, type Batch } from '../settlement/batch.ts';
import { queueInvoiceCallbacks, queueTransactionCallbacks } from '../settlement/queue-callbacks.ts';
import { settleInvoices } from '../settlement/settle-invoices.ts';
import { settleTransactions } from '../settlement/settle-transactions.ts';
import { newTransaction } from '../transaction/create.ts';
import type { TransactionRow } from '../transaction/store.ts';
import { DEPOSIT_FAMILIES } from '../wallet/deposit-chains.ts';
import {
  checkedReason,
  EXPLAINED,
  requireStillThere,
  wrongState,
  type Dismissal,
} from './assign.ts';
import * as store from './store.ts';
import type { UnassignedRow } from './store.ts';

export interface InvoicePayment extends Dismissal {
  invoiceId: string;
  /** The transaction that brought it; needed where the list does not name one. */
  txid?: string | undefined;
}

/** A final block with the transaction. */
interface Place {
  txid: string;
  height: number;
  hash: string;
  confirmations: number;
}

/**
 * Counts unassigned funds as a payment of an invoice, by an operator's decision: at the newest
 * price and in time, also after the invoice expired. Transaction, credit, status and callbacks
 * follow as for any payment.
 * @returns the transaction
 * @throws ServiceError `NotFound`; `ValidationError` for another coin or address than the
 * invoice's, and for a missing or unknown transaction; `InvalidState` if the funds were settled or
 * credited otherwise, or are not final
 * @throws UnavailableError if the node does not answer
 */
export async function countForInvoice(
  context: Context,
  { id, invoiceId, txid, reason, by }: InvoicePayment,
): Promise<TransactionRow> {
  const why = checkedReason(reason);
  await requireStillThere(context, id);
  const found = isUuid(id) ? await store.findUnassigned(context.db, id) : null;
  if (found === null) throw new ServiceError('NotFound', 'No unassigned funds have this id.');
  const place = await placeOf(context, found, txid);
  const transaction = await transact(context.db, async (trx) => {
    const row = await store.lockUnassigned(trx, id);
    if (row === null || row.settled_at !== null) throw wrongState('were settled already');
    if (await isExplainedByNow(trx, row)) throw wrongState(EXPLAINED);
    const batch = await loadBatch(trx, isUuid(invoiceId) ? [invoiceId] : [], { ids: [] });
    const invoice = batch.invoices.get(invoiceId);
    if (invoice === undefined) throw new ServiceError('NotFound', 'No invoice has this id.');
    await requireFitting(trx, row, invoice);
    const counted = await transactionOf(trx, context, { row, invoice, batch, place });
    await store.deleteUnassigned(trx, row.chain as ChainId, row.observation_key);
    batch.drafts.set(draftKey(row.chain, row.observation_key), { row: counted, stored: null });
    const now = context.clock.now();
    const settled = await settleTransactions(trx, context, batch, now);
    await queueTransactionCallbacks(trx, context, batch, settled);
    await queueInvoiceCallbacks(
      trx,
      context,
      await settleInvoices(trx, batch, settled.invoiceIds, now),
    );
    return counted;
  });
  context.log.info(
    {
      event: 'unassigned_counted',
      unassigned: id,
      invoice_id: invoiceId,
      transaction_id: transaction.id,
      reason: why,
      by,
    },
    'unassigned funds count for an invoice',
  );
  return transaction;
}

async function placeOf(
  { chains, senders }: Context,
  { chain: name, txid: known, block_height }: UnassignedRow,
  given: string | undefined,
): Promise<Place> {
  const chain = name as ChainId;
  const { finalConfirmations } = CHAINS[chain];
  const txid = known ?? given?.toLowerCase();
  if (txid === undefined)
    throw invalid('txid', 'is required: the balance does not show which transaction brought it');
  if (known !== null && block_height !== null) {
    const block = await chains.get(chain)?.blockAt(block_height);
    if (block) return { txid, ...block, confirmations: finalConfirmations };
  }
  const status = await senders.get(chain)?.lookUp({ nonce: null, attempts: [{ txid, raw: '' }] });
  if (status?.state !== 'block' || !status.succeeded)
    throw invalid('txid', `${txid} is not a successful transaction in a block`);
  const { height, hash, confirmations } = status;
  if (confirmations < finalConfirmations)
    throw invalid('txid', `${txid} has ${confirmations} of ${finalConfirmations} confirmations`);
  return { txid, height, hash, confirmations };
}

/** Money on a deposit address is swept for the invoice of that address. */
async function requireFitting(trx: Trx, row: UnassignedRow, invoice: LockedInvoice): Promise<void> {
  const chain = row.chain as ChainId;
  const at = await store.invoiceAt(trx, [
    row.address.includes(':') ? row.address : watchKeyOf(chain, row.address),
  ]);
  const isForeign = at !== null && at.account_id !== invoice.account_id;
  const isElsewhere = DEPOSIT_FAMILIES.has(CHAINS[chain].family) && at?.invoice_id !== invoice.id;
  if (isForeign || isElsewhere)
    throw invalid('invoice', `must be the one of the address ${row.address}`);
  const kind = kindOf(invoice.kind);
  if (kind?.asset !== row.asset || kind.chain !== chain)
    throw invalid('invoice', `must be paid in ${row.asset}; this one is paid in ${invoice.kind}`);
}

async function transactionOf(
  trx: Trx,
  context: Context,
  {
    row,
    invoice,
    batch,
    place,
  }: {
    row: UnassignedRow;
    invoice: LockedInvoice;
    batch: Batch;
    place: Place;
  },
): Promise<TransactionRow> {
  const { clock, ids } = context;
  const { txid, height, hash, confirmations } = place;
  const quotes = batch.quotes.get(invoice.id) ?? [];
  const chain = row.chain as ChainId;
  const transaction = newTransaction({
    chain,
    observation: {
      key: row.observation_key,
      txid,
      asset: row.asset,
      watchKey: row.address,
      amount: parseAmount(row.amount),
      block: { height, hash, time: milliseconds(row.seen_at) },
      conflicts: [],
    },
    invoice,
    quotes,
    quote: quotes.at(-1) ?? null,
    rates: null,
    now: clock.now(),
    notBefore: null,
    replaces: null,
    isReplacement: false,
    walletId: await walletOfChain(trx, invoice.account_id, CHAINS[chain].walletChain),
    id: ids.uuid(),
    assessment: null,
    accepted: 0n,
    retryAt: timestamp(retryAt(0, clock.real())),
  });
  if (transaction === null)
    throw wrongState('cannot be credited: the account has no wallet for it');
  return { ...transaction, confirmations };
}
