import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS, kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Observation } from '@crypto-checkout/chains/adapter';
import { explainer } from '../balance-check/explain.ts';
import { FOUND } from '../balance-check/known-balances.ts';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import { currencyRates, fiatQuotes } from '../invoice/quote.ts';
import { walletOfChain, type CurrencyRates, type LockedInvoice } from '../invoice/store.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { retryAt } from '../risk/retry.ts';
import { draftKey, type Batch, type Draft } from '../settlement/batch.ts';
import { newTransaction, type FirstObservation } from '../transaction/create.ts';
import { findReplaced, sharesInput, sharesStoredInput } from '../transaction/replacement.ts';
import type { TransactionRow } from '../transaction/store.ts';
import { payoutWatchKey } from '../unassigned/payout-address.ts';
import { deleteUnassigned, lockUnassignedByKeys, saveUnassigned } from '../unassigned/store.ts';
import { findChange } from './coin-store.ts';
import { internalTxids } from './sending/internal-txids.ts';
import { observationsIn, observedIn, type ScanToApply } from './scan-to-apply.ts';

/** The rows that a scan may change, and the invoice of each observed watch key. */
export interface Loaded {
  batch: Batch;
  targets: ReadonlyMap<string, string>;
}

/**
 * Returns a function that records one observed payment: it updates a known one or adds a new one.
 */
export async function paymentRecorder(
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
  const isExplained = await explainer(trx, scan.chain, observations);
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
    if (unassignedEntry?.decided || (await isExplained(observation))) return;
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

/**
 * Checks whether an observation spends inputs of an earlier payment; one database query per
 * transaction.
 */
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

/**
 * Returns the invoice's wallet, or the account's wallet of the chain if the payment came on another
 * chain with the same addresses.
 */
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
