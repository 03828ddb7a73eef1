import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { subscribersOf } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { sideBySide, timestamp, type Trx } from '../database/database.ts';
import { decideInvoices, type SettledInvoices } from '../invoice/settle.ts';
import type { Assessment } from '../risk/assess.ts';
import { retryAt } from '../risk/retry.ts';
import { currencyRates, fiatQuotes } from '../invoice/quote.ts';
import { saveInvoices, targetsOf, walletOfChain, type CurrencyRates, type LockedInvoice } from '../invoice/store.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { draftKey, loadBatch, type Batch, type Draft } from '../transaction/batch.ts';
import { firstSight, type Sight } from '../transaction/observe.ts';
import { findReplaced, spendsAgain, spendsStoredAgain } from '../transaction/replaced.ts';
import { reportInvoices, reportTransactions } from '../transaction/report.ts';
import { decideTransactions, writeTransactions, type SettledTransactions } from '../transaction/settle.ts';
import { affectedInvoices, saveDepths, type AffectedQuery, type TransactionRow } from '../transaction/store.ts';
import { forgetUnassigned, unassignedAmong } from '../unassigned/store.ts';
import type { Observation, ScanEvent, ScanResult } from './adapter.ts';
import { saveCursor, saveUnassigned } from './progress.ts';
import { internalTxids } from './send-store.ts';

export interface Scan {
  chain: ChainId;
  result: ScanResult;
  /** Null while none can be had: money is recorded all the same. */
  rates: RateSet | null;
  /** Business time before the adapter looked. */
  lookedAt: number;
  /** Business time of the look before, when it reached the tip: what was not there then was first seen later. */
  lookedBefore: number | null;
  /** What the checks said about new payments, by observation key. */
  assessed?: ReadonlyMap<string, Assessment>;
}

/**
 * Applies what a scan found, in the caller's transaction: observations, states of transactions and invoices, ledger, callbacks and
 * the cursor become visible together or not at all. Applying the same again changes nothing.
 */
export async function applyScan(trx: Trx, context: Context, scan: Scan): Promise<void> {
  const { chain, result } = scan;
  const now = context.clock.now();
  const query = affectedQuery(chain, result);
  const targets = await targetsOf(trx, observedIn(result, 'watchKey'));
  const invoiceIds = [...new Set([...targets.values(), ...(await affectedInvoices(trx, query))])];
  if (invoiceIds.length > 0) {
    const batch = await loadBatch(trx, invoiceIds, query);
    await playEvents(trx, context, scan, { batch, targets });
    countConfirmations(batch, chain, result.tip);
    const transactions = await decideTransactions(trx, batch, now);
    const subscribers = await subscribersOf(
      trx,
      context,
      transactions.events.map(({ row }) => ({ accountId: row.account_id, profileId: row.profile_id })),
    );
    // What follows for the invoices is found out, and thousands of callbacks are made, while the database writes the transactions.
    const settled = nextTurn().then(() => decideInvoices(batch, transactions.invoiceIds, now));
    const written = writeAll(trx, context, scan, { transactions, settled });
    const told = settled.then(() => reportTransactions(trx, context, batch, transactions, { subscribers, written }));
    await sideBySide(written, told);
    await reportInvoices(trx, context, await settled);
  } else {
    await saveDepths(trx, chain, result.tip, timestamp(now));
  }
  await keepUnexplained(trx, scan, now);
  await saveCursor(trx, chain, result, result.caughtUp ? timestamp(scan.lookedAt) : null);
}

async function writeAll(
  trx: Trx,
  context: Context,
  { chain, result }: Scan,
  { transactions, settled }: { transactions: SettledTransactions; settled: Promise<SettledInvoices> },
): Promise<void> {
  const now = context.clock.now();
  await writeTransactions(trx, context, transactions, now);
  await saveInvoices(trx, (await settled).changes);
  await saveDepths(trx, chain, result.tip, timestamp(now));
}

function affectedQuery(chain: ChainId, { events, tip }: ScanResult): AffectedQuery {
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
        break;
    }
  }
  return { chain, keys: [...keys], rollbackTo, tip };
}

function observedIn({ events }: ScanResult, member: 'key' | 'watchKey' | 'txid'): string[] {
  return [...new Set(events.flatMap((event) => (event.type === 'observed' ? [event.observation[member]] : [])))];
}

/** What a scan may change, and which invoice has which of the addresses that it saw. */
interface Loaded {
  batch: Batch;
  targets: ReadonlyMap<string, string>;
}

/** Writes the facts into the drafts, in the order in which the adapter gave them; the last word counts. */
async function playEvents(trx: Trx, context: Context, scan: Scan, loaded: Loaded): Promise<void> {
  const { chain, result } = scan;
  const { batch } = loaded;
  const observe = await observer(trx, context, scan, loaded);
  for (const event of result.events) {
    switch (event.type) {
      case 'observed':
        await observe(event.observation);
        break;
      case 'rollback':
        for (const { row } of batch.drafts.values()) {
          if (row.chain === chain && row.block_height !== null && row.block_height > event.toHeight) leaveBlock(row, true);
        }
        break;
      case 'conflict':
      case 'gone':
      case 'failed':
        loseTransaction(batch.drafts.get(draftKey(chain, event.key)), event);
        break;
      case 'unexplained':
        break;
    }
  }
}

/** Out of a block it is believed to wait in the mempool again, until the adapter says that it is gone. */
function leaveBlock(row: Draft['row'], inMempool: boolean): void {
  row.block_height = null;
  row.block_hash = null;
  row.executed_at = null;
  row.in_mempool = inMempool;
}

function loseTransaction(draft: Draft | undefined, event: Extract<ScanEvent, { type: 'conflict' | 'gone' | 'failed' }>): void {
  if (!draft) return;
  if (event.type === 'conflict') draft.row.replaced_by = event.by;
  if (event.type === 'failed') draft.row.failure = event.reason;
  // A failed one may well be in a block, but no payment is.
  leaveBlock(draft.row, false);
}

/** What is done with one observation: a known payment is brought up to date, a new one is written down. */
async function observer(
  trx: Trx,
  context: Context,
  scan: Scan,
  { batch, targets }: Loaded,
): Promise<(observation: Observation) => Promise<void>> {
  const unassigned = (observation: Observation, reason: string) =>
    saveUnassigned(trx, scan.chain, { ...observation, address: observation.watchKey, reason }, timestamp(context.clock.now()));
  const internal = await internalTxids(trx, scan.chain, observedIn(scan.result, 'txid'));
  const unowned = await unassignedAmong(trx, scan.chain, observedIn(scan.result, 'key'));
  const findWallet = walletFinder(trx, scan.chain);
  const rows = rowsByInvoice(batch, scan.chain);
  const isReplacement = replacementFinder(trx, scan.chain, batch);
  const inherited = new Set<TransactionRow>();
  return async (observation) => {
    const key = draftKey(scan.chain, observation.key);
    const known = batch.drafts.get(key);
    if (known) return seeAgain(known, observation, ratesFor(known, batch, scan.rates));
    // Anybody can send a transfer of nothing; what we moved ourselves is no payment.
    if (observation.amount <= 0n || internal.has(observation.txid)) return;
    // Somebody has put it where it belongs: read once more, it is not credited once more.
    const waiting = unowned.get(observation.key);
    if (waiting?.decided) return;
    const invoice = batch.invoices.get(targets.get(observation.watchKey) ?? '');
    if (!invoice) return unassigned(observation, 'no invoice has this address');
    // Each hands on its price once.
    const replaces = findReplaced(observation, rows.get(invoice.id)?.filter((row) => !inherited.has(row)) ?? []);
    if (replaces !== null) inherited.add(replaces);
    const assessment = scan.assessed?.get(observation.key) ?? null;
    const sight: Sight = {
      chain: scan.chain,
      observation,
      invoice,
      quotes: batch.quotes.get(invoice.id) ?? [],
      rates: scan.rates,
      now: context.clock.now(),
      notBefore: scan.lookedBefore,
      replaces,
      isReplacement: assessment?.zeroConf === 'confirmed' && (await isReplacement(observation, invoice)),
      walletId: await findWallet(invoice),
      id: context.ids.uuid(),
      assessment,
      accepted: acceptedOf(invoice, batch),
      retryAt: timestamp(retryAt(0, context.clock.real())),
    };
    const row = firstSight(sight);
    if (row === null) return unassigned(observation, 'the account has no wallet for this coin');
    batch.drafts.set(key, { row, stored: null });
    if (waiting) await forgetUnassigned(trx, scan.chain, observation.key);
  };
}

/** What was accepted without a confirmation and has none yet. */
function acceptedOf({ id, zero_conf_enabled }: LockedInvoice, { drafts }: Batch): Amount {
  if (!zero_conf_enabled) return 0n;
  const accepted = [...drafts.values()].filter(
    ({ row }) => row.invoice_id === id && row.zero_conf_status === 'confirmed' && row.block_height === null && row.replaced_by === null,
  );
  return accepted.reduce((sum, { row }) => sum + parseAmount(row.amount), 0n);
}

/** Whether an input was to pay before, in this look or an earlier one; the database is asked once for a transaction. */
function replacementFinder(
  trx: Trx,
  chain: ChainId,
  { drafts }: Batch,
): (observation: Observation, invoice: LockedInvoice) => Promise<boolean> {
  const stored = new Map<string, Promise<boolean>>();
  return async (observation, { id }) => {
    for (const { row } of drafts.values()) if (spendsAgain(observation, row)) return true;
    const key = `${id} ${observation.txid}`;
    const found = stored.get(key) ?? spendsStoredAgain(trx, chain, observation, id);
    stored.set(key, found);
    return found;
  };
}

/** What was known of a chain before the scan. */
function rowsByInvoice({ drafts }: Batch, chain: ChainId): ReadonlyMap<string, TransactionRow[]> {
  const rows = new Map<string, TransactionRow[]>();
  for (const { row } of drafts.values()) {
    if (row.chain === chain) rows.set(row.invoice_id, [...(rows.get(row.invoice_id) ?? []), row]);
  }
  return rows;
}

/** The invoice's wallet; for a payment on another chain with the same addresses, the account's wallet of that chain. */
function walletFinder(trx: Trx, chain: ChainId): (invoice: LockedInvoice) => Promise<string | null> {
  const { walletChain } = CHAINS[chain];
  const found = new Map<string, Promise<string | null>>();
  return async ({ account_id, wallet_id, chain: own }) => {
    if (own === chain || CHAINS[own as ChainId].walletChain === walletChain) return wallet_id;
    const wallet = found.get(account_id) ?? walletOfChain(trx, account_id, walletChain);
    found.set(account_id, wallet);
    return wallet;
  };
}

/**
 * A block is the last word of the chain: it also brings back what was believed replaced or failed.
 * @param rates for a payment that could not be priced when it was first seen
 */
function seeAgain({ row }: Draft, { block, conflicts, amount }: Observation, rates: CurrencyRates | null): void {
  row.in_mempool = true;
  if (rates !== null) {
    row.currency_rates = rates;
    row.quotes = fiatQuotes(amount, Object.values(rates)[0]);
  }
  if (block === null) return;
  if (row.block_hash !== block.hash) row.executed_at = timestamp(block.time);
  row.block_height = block.height;
  row.block_hash = block.hash;
  row.replaced_by = null;
  row.failure = null;
  row.conflicts = [...conflicts];
}

function ratesFor({ row }: Draft, { invoices }: Batch, rates: RateSet | null): CurrencyRates | null {
  const invoice = invoices.get(row.invoice_id);
  if (rates === null || !invoice || Object.keys(row.currency_rates).length > 0) return null;
  return currencyRates(rates, kindOf(row.kind)?.symbol ?? row.kind, invoice.requested_currency);
}

function countConfirmations({ drafts }: Batch, chain: ChainId, tip: number): void {
  for (const { row, stored } of drafts.values()) {
    if (row.chain !== chain) continue;
    const depth = row.block_height === null ? 0 : Math.max(0, tip - row.block_height + 1);
    // The number that was reached when it became final stays, until it leaves its block. What is owed left it.
    const settled = row.status === 'complete' && row.credit === 'available' && !row.owed && row.block_hash === stored?.block_hash;
    if (!settled) row.confirmations = depth;
  }
}

async function keepUnexplained(trx: Trx, { chain, result }: Scan, now: number): Promise<void> {
  for (const event of result.events) {
    if (event.type === 'unexplained') await saveUnassigned(trx, chain, event.unexplained, timestamp(now));
  }
}
