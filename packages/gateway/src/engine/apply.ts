import { setImmediate as nextTurn } from 'node:timers/promises';
import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { subscribersOf } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { runConcurrently, timestamp, type Trx } from '../database/database.ts';
import { decideInvoices, type SettledInvoices } from '../settlement/settle-invoices.ts';
import type { Assessment } from '../transaction/assessment.ts';
import { retryAt } from '../risk/retry.ts';
import { currencyRates, fiatQuotes } from '../invoice/quote.ts';
import {
  saveInvoices,
  targetsOf,
  walletOfChain,
  type CurrencyRates,
  type LockedInvoice,
} from '../invoice/store.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { draftKey, loadBatch, type Batch, type Draft } from '../settlement/batch.ts';
import { newTransaction, type FirstObservation } from '../transaction/create.ts';
import { findReplaced, sharesInput, sharesStoredInput } from '../transaction/replacement.ts';
import { queueInvoiceCallbacks, queueTransactionCallbacks } from '../settlement/queue-callbacks.ts';
import {
  decideTransactions,
  writeTransactions,
  type SettledTransactions,
} from '../settlement/settle-transactions.ts';
import {
  affectedInvoices,
  saveDepths,
  type AffectedQuery,
  type TransactionRow,
} from '../transaction/store.ts';
import {
  deleteUnassigned,
  deleteUnassignedAbove,
  lockUnassignedByKeys,
  saveUnassigned,
} from '../unassigned/store.ts';
import type { Observation, ScanEvent, ScanResult } from '@crypto-checkout/chains/adapter';
import { saveCursor } from './scan-progress.ts';
import { FOUND } from '../balance-check/known-balances.ts';
import { saveUnexplained } from './unexplained.ts';
import { findChange, saveCoins } from './coin-store.ts';
import { internalTxids } from './outgoing-store.ts';
import { payoutWatchKey } from '../unassigned/payout-address.ts';

export interface ScanToApply {
  chain: ChainId;
  result: ScanResult;
  /** Null if rates are unavailable: payments are recorded all the same. */
  rates: RateSet | null;
  /** Business time up to which this scan is sure to have seen every payment. */
  scannedAt: number;
  /** `scannedAt` of the previous scan that reached the tip. New payments arrived after it. */
  previousScanAt: number | null;
  /** Risk and zero-confirmation checks of new payments, by observation key. */
  assessed?: ReadonlyMap<string, Assessment>;
}

/**
 * Applies a scan result in the caller's transaction: observations, transaction and invoice statuses,
 * ledger, callbacks and cursor commit together. Applying the same result again changes nothing.
 */
export async function applyScan(trx: Trx, context: Context, scan: ScanToApply): Promise<void> {
  const { chain, result } = scan;
  const now = context.clock.now();
  const query = affectedQuery(chain, result);
  if (query.rollbackTo !== null) await deleteUnassignedAbove(trx, chain, query.rollbackTo);
  const targets = await targetsOf(trx, observedIn(result, 'watchKey'));
  const invoiceIds = [...new Set([...targets.values(), ...(await affectedInvoices(trx, query))])];
  if (invoiceIds.length > 0) {
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
    await queueInvoiceCallbacks(trx, context, await settled);
  } else {
    await saveDepths(trx, chain, result.tip, timestamp(now));
  }
  await saveUnexplained(trx, context, chain, result);
  await saveCoins(trx, context.chains.get(chain), observationsIn(result));
  await saveCursor(trx, chain, result, result.caughtUp ? timestamp(scan.scannedAt) : null);
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

const observationsIn = ({ events }: ScanResult): Observation[] =>
  events.flatMap((event) => (event.type === 'observed' ? [event.observation] : []));

const observedIn = (result: ScanResult, member: 'key' | 'watchKey'): string[] => [
  ...new Set(observationsIn(result).map((observation) => observation[member])),
];

/** The rows that a scan may change, and the invoice of each observed watch key. */
interface Loaded {
  batch: Batch;
  targets: ReadonlyMap<string, string>;
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
  const observe = await observationHandler(trx, context, scan, loaded);
  for (const event of result.events) {
    switch (event.type) {
      case 'observed':
        await observe(event.observation);
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

/** A transaction that leaves its block counts as back in the mempool until the adapter reports it gone. */
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

/** Returns the handler of one observation: it updates a known payment or records a new one. */
async function observationHandler(
  trx: Trx,
  context: Context,
  scan: ScanToApply,
  { batch, targets }: Loaded,
): Promise<(observation: Observation) => Promise<void>> {
  const payoutKey = payoutWatchKey(context.senders.get(scan.chain));
  const saveAsUnassigned = unassignedSaver(trx, context, scan.chain);
  const observations = observationsIn(scan.result);
  const internal = await internalTxids(trx, scan.chain, observations);
  const changeOf = await findChange(trx, context.chains.get(scan.chain), observations);
  const unassigned = await lockUnassignedByKeys(trx, scan.chain, observedIn(scan.result, 'key'));
  const findWallet = walletFinder(trx, scan.chain);
  const rows = rowsByInvoice(batch, scan.chain);
  const isReplacement = replacementFinder(trx, scan.chain, batch);
  const inherited = new Set<TransactionRow>();
  return async (observation) => {
    const key = draftKey(scan.chain, observation.key);
    const known = batch.drafts.get(key);
    if (known) return updatePayment(known, observation, ratesFor(known, batch, scan.rates));
    // Zero-value transfers and our own transfers are not payments.
    if (observation.amount <= 0n || internal.has(observation.txid)) return;
    if (observation.watchKey === payoutKey) return;
    const change = changeOf(observation);
    if (change === 'own') return;
    // The operator already assigned or dismissed this payment: do not credit it again.
    const unassignedEntry = unassigned.get(observation.key);
    if (unassignedEntry?.decided) return;
    const invoice = batch.invoices.get(targets.get(observation.watchKey) ?? '');
    if (!invoice) return saveAsUnassigned(observation, change ?? 'no invoice has this address');
    // An operator counted its money before the scan found it.
    if (rows.get(invoice.id)?.some((row) => isCountedByHand(row, observation))) return;
    // Each replaced payment passes its price on once.
    const replaces = findReplaced(
      observation,
      rows.get(invoice.id)?.filter((row) => !inherited.has(row)) ?? [],
    );
    if (replaces !== null) inherited.add(replaces);
    const assessment = scan.assessed?.get(observation.key) ?? null;
    const firstObservation: FirstObservation = {
      chain: scan.chain,
      observation,
      invoice,
      quotes: batch.quotes.get(invoice.id) ?? [],
      rates: scan.rates,
      now: context.clock.now(),
      notBefore: scan.previousScanAt,
      replaces,
      isReplacement:
        assessment?.zeroConf === 'confirmed' && (await isReplacement(observation, invoice)),
      walletId: await findWallet(invoice),
      id: context.ids.uuid(),
      assessment,
      accepted: unconfirmedAccepted(invoice, batch),
      retryAt: timestamp(retryAt(0, context.clock.real())),
    };
    const row = newTransaction(firstObservation);
    if (row === null)
      return saveAsUnassigned(observation, 'the account has no wallet for this coin');
    batch.drafts.set(key, { row, stored: null });
    if (unassignedEntry) await deleteUnassigned(trx, scan.chain, observation.key);
  };
}

/** Returns a function that lists a payment without an invoice. */
const unassignedSaver =
  (trx: Trx, { clock }: Context, chain: ChainId) =>
  async (observation: Observation, reason: string): Promise<void> => {
    const { watchKey: address, block } = observation;
    // An operator decides about mined money only: an unconfirmed payment may still disappear.
    if (block === null) return;
    const money = { ...observation, address, reason, height: block.height };
    await saveUnassigned(trx, chain, money, timestamp(clock.now()));
  };

const isCountedByHand = (row: TransactionRow, { txid, asset }: Observation): boolean =>
  row.observation_key.startsWith(FOUND) && row.txid === txid && row.asset === asset;

/** The sum that was accepted without a confirmation and still has none. */
function unconfirmedAccepted({ id, zero_conf_enabled }: LockedInvoice, { drafts }: Batch): Amount {
  if (!zero_conf_enabled) return 0n;
  const accepted = [...drafts.values()].filter(
    ({ row }) =>
      row.invoice_id === id &&
      row.zero_conf_status === 'confirmed' &&
      row.block_height === null &&
      row.replaced_by === null,
  );
  return accepted.reduce((sum, { row }) => sum + parseAmount(row.amount), 0n);
}

/** Checks whether an observation spends inputs of an earlier payment; one database query per transaction. */
function replacementFinder(
  trx: Trx,
  chain: ChainId,
  { drafts }: Batch,
): (observation: Observation, invoice: LockedInvoice) => Promise<boolean> {
  const stored = new Map<string, Promise<boolean>>();
  return async (observation, { id }) => {
    for (const { row } of drafts.values()) if (sharesInput(observation, row)) return true;
    const key = `${id} ${observation.txid}`;
    const found = stored.get(key) ?? sharesStoredInput(trx, chain, observation, id);
    stored.set(key, found);
    return found;
  };
}

/** The stored transactions of a chain, by invoice. */
function rowsByInvoice({ drafts }: Batch, chain: ChainId): ReadonlyMap<string, TransactionRow[]> {
  const rows = new Map<string, TransactionRow[]>();
  for (const { row } of drafts.values()) {
    if (row.chain === chain) rows.set(row.invoice_id, [...(rows.get(row.invoice_id) ?? []), row]);
  }
  return rows;
}

/** Returns the invoice's wallet, or the account's wallet of the chain if the payment came on another chain with the same addresses. */
function walletFinder(
  trx: Trx,
  chain: ChainId,
): (invoice: LockedInvoice) => Promise<string | null> {
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
 * Updates a known payment. A block overrides an earlier replacement or failure.
 * @param rates prices a payment that had no rate when it was first seen
 */
function updatePayment(
  { row }: Draft,
  { block, conflicts, amount }: Observation,
  rates: CurrencyRates | null,
): void {
  row.in_mempool = true;
  // The mempool shows the amount that a transaction asks for; the block shows what arrived.
  const isCorrected =
    block !== null && row.credit === 'pending' && parseAmount(row.amount) !== amount;
  if (isCorrected) row.amount = formatAmount(amount);
  if (rates !== null) row.currency_rates = rates;
  if (rates !== null || isCorrected)
    row.quotes = fiatQuotes(amount, Object.values(row.currency_rates)[0]);
  if (block === null) return;
  if (row.block_hash !== block.hash) {
    row.executed_at = timestamp(block.time);
    row.finalized = false;
  }
  row.block_height = block.height;
  row.block_hash = block.hash;
  row.replaced_by = null;
  row.failure = null;
  row.conflicts = [...conflicts];
}

function ratesFor(
  { row }: Draft,
  { invoices }: Batch,
  rates: RateSet | null,
): CurrencyRates | null {
  const invoice = invoices.get(row.invoice_id);
  if (rates === null || !invoice || Object.keys(row.currency_rates).length > 0) return null;
  return currencyRates(rates, kindOf(row.kind)?.symbol ?? row.kind, invoice.requested_currency);
}

function countConfirmations({ drafts }: Batch, chain: ChainId, tip: number): void {
  for (const { row, stored } of drafts.values()) {
    if (row.chain !== chain) continue;
    const depth = row.block_height === null ? 0 : Math.max(0, tip - row.block_height + 1);
    // A final payment keeps its confirmation count until it leaves its block; an owed one has left it.
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
