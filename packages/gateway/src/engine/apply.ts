import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { ScanEvent, ScanResult } from '@crypto-checkout/chains/adapter';
import { subscribersOf } from '../callback/queue.ts';
import { deleteExplainedAbove } from '../balance-check/explain.ts';
import type { Context } from '../context.ts';
import { runConcurrently, timestamp, type Trx } from '../database/database.ts';
import { decideInvoices, type SettledInvoices } from '../settlement/settle-invoices.ts';
import { saveInvoices, targetsOf } from '../invoice/store.ts';
import { draftKey, loadBatch, type Batch, type Draft } from '../settlement/batch.ts';
import { queueInvoiceCallbacks, queueTransactionCallbacks } from '../settlement/queue-callbacks.ts';
import {
  decideTransactions,
  writeTransactions,
  type SettledTransactions,
} from '../settlement/settle-transactions.ts';
import { affectedInvoices, saveDepths, type AffectedQuery } from '../transaction/store.ts';
import { deleteUnassignedAbove } from '../unassigned/store.ts';
import { saveCoins } from './coin-store.ts';
import { paymentRecorder, type Loaded } from './observe.ts';
import { postReceivingFees } from './receiving-fee.ts';
import { saveCursor } from './scan-progress.ts';
import { observationsIn, observedIn, type ScanToApply } from './scan-to-apply.ts';
import { saveUnexplained } from './unexplained.ts';
import { deleteUntracedAbove, saveUntraced } from './untraced/store.ts';

/**
 * Applies a scan result in the caller's transaction: observations, transaction and invoice
 * statuses, ledger, callbacks and cursor commit together. Applying the same result again changes
 * nothing.
 */
export async function applyScan(trx: Trx, context: Context, scan: ScanToApply): Promise<void> {
  const { chain, result } = scan;
  const { rollbackTo } = affectedQuery(chain, result);
  if (rollbackTo !== null) {
    await deleteUnassignedAbove(trx, chain, rollbackTo);
    await deleteExplainedAbove(trx, chain, rollbackTo);
    await deleteUntracedAbove(trx, chain, rollbackTo);
  }
  await saveUntraced(trx, chain, result.untraced ?? [], context.clock.real());
  await applyPayments(trx, context, scan);
  await saveCursor(trx, chain, result, result.caughtUp ? timestamp(scan.scannedAt) : null);
}

/** Applies the events of a result alone; the cursor stays. */
export async function applyPayments(trx: Trx, context: Context, scan: ScanToApply): Promise<void> {
  const { chain, result } = scan;
  const now = context.clock.now();
  const query = affectedQuery(chain, result);
  const targets = await targetsOf(trx, observedIn(result, 'watchKey'));
  const invoiceIds = [...new Set([...targets.values(), ...(await affectedInvoices(trx, query))])];
  // Money on an address for change concerns no invoice.
  if (invoiceIds.length > 0 || observationsIn(result).length > 0) {
    const batch = await loadBatch(trx, invoiceIds, query);
    await applyEvents(trx, context, scan, { batch, targets });
    countConfirmations(batch, chain, result.tip);
    markFinalized(batch, chain, query.finalized);
    const transactions = await decideTransactions(trx, context, batch, now);
    const subscribers = await subscribersOf(
      trx,
      context,
      transactions.events.map(({ row }) => ({
        accountId: row.account_id,
        profileId: row.profile_id,
      })),
    );
    // Decide the invoices and build the callbacks while the database writes the transactions.
    const settled = nextTurn().then(() => decideInvoices(batch, transactions.invoiceIds, now));
    const written = writeAll(trx, context, scan, { transactions, settled });
    const callbacks = settled.then(() =>
      queueTransactionCallbacks(trx, context, batch, transactions, { subscribers, written }),
    );
    await runConcurrently(written, callbacks);
    const observations = observationsIn(result);
    await postReceivingFees(trx, chain, batch, { observations, at: timestamp(now) });
    await queueInvoiceCallbacks(trx, context, await settled);
  } else {
    await saveDepths(trx, chain, result.tip, timestamp(now));
  }
  await saveUnexplained(trx, context, chain, result);
  await saveCoins(trx, context.chains.get(chain), observationsIn(result));
}

async function writeAll(
  trx: Trx,
  context: Context,
  { chain, result }: ScanToApply,
  {
    transactions,
    settled,
  }: { transactions: SettledTransactions; settled: Promise<SettledInvoices> },
): Promise<void> {
  const now = context.clock.now();
  await writeTransactions(trx, context, transactions, now);
  await saveInvoices(trx, (await settled).changes);
  await saveDepths(trx, chain, result.tip, timestamp(now));
}

function affectedQuery(chain: ChainId, { events, tip, finalized }: ScanResult): AffectedQuery {
  const keys = new Set<string>();
  let rollbackTo: number | null = null;
  for (const event of events) {
    switch (event.type) {
      case 'observed':
        keys.add(event.observation.key);
        break;
      case 'conflict':
      case 'gone':
      case 'failed':
        keys.add(event.key);
        break;
      case 'rollback':
        rollbackTo = Math.min(rollbackTo ?? event.toHeight, event.toHeight);
        break;
      case 'unexplained':
      case 'unlisted':
        break;
    }
  }
  return { chain, keys: [...keys], rollbackTo, tip, finalized: finalized ?? null };
}

/** Applies the events to the drafts in the adapter's order; the last event wins. */
async function applyEvents(
  trx: Trx,
  context: Context,
  scan: ScanToApply,
  loaded: Loaded,
): Promise<void> {
  const { chain, result } = scan;
  const { batch } = loaded;
  const recordPayment = await paymentRecorder(trx, context, scan, loaded);
  for (const event of result.events) {
    switch (event.type) {
      case 'observed':
        await recordPayment(event.observation);
        break;
      case 'rollback':
        for (const { row } of batch.drafts.values()) {
          if (row.chain === chain && row.block_height !== null && row.block_height > event.toHeight)
            leaveBlock(row, true);
        }
        break;
      case 'conflict':
      case 'gone':
      case 'failed':
        removeTransaction(batch.drafts.get(draftKey(chain, event.key)), event);
        break;
      case 'unexplained':
      case 'unlisted':
        break;
    }
  }
}

/**
 * A transaction that leaves its block counts as back in the mempool until the adapter reports it
 * gone.
 */
function leaveBlock(row: Draft['row'], inMempool: boolean): void {
  row.block_height = null;
  row.block_hash = null;
  row.executed_at = null;
  row.finalized = false;
  row.in_mempool = inMempool;
}

function removeTransaction(
  draft: Draft | undefined,
  event: Extract<ScanEvent, { type: 'conflict' | 'gone' | 'failed' }>,
): void {
  if (!draft) return;
  if (event.type === 'conflict') draft.row.replaced_by = event.by;
  if (event.type === 'failed') draft.row.failure = event.reason;
  // A failed transaction may be in a block, but it carries no payment.
  leaveBlock(draft.row, false);
}

function countConfirmations({ drafts }: Batch, chain: ChainId, tip: number): void {
  for (const { row, stored } of drafts.values()) {
    if (row.chain !== chain) continue;
    const depth = row.block_height === null ? 0 : Math.max(0, tip - row.block_height + 1);
    // A final payment keeps its confirmation count until it leaves its block; an owed one has left
    // it.
    const settled =
      row.status === 'complete' &&
      row.credit === 'available' &&
      !row.owed &&
      row.block_hash === stored?.block_hash;
    if (!settled) row.confirmations = depth;
  }
}

function markFinalized({ drafts }: Batch, chain: ChainId, finalized: number | null): void {
  for (const { row } of drafts.values())
    if (row.chain === chain && row.block_height !== null && row.block_height <= (finalized ?? -1))
      row.finalized = true;
}
