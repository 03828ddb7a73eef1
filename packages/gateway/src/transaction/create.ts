import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { KINDS, kindOf, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import type { ZeroConfStatus } from '@crypto-checkout/protocol/status';
import type { Observation } from '@crypto-checkout/chains/adapter';
import { milliseconds, timestamp } from '../database/timestamp.ts';
import { currencyRates, fiatQuotes, quoteAt, type QuoteAt } from '../invoice/quote.ts';
import type { LockedInvoice, QuoteRow } from '../invoice/store.ts';
import type { RateSet } from '../rate/rate-book.ts';
import type { Assessment } from './assessment.ts';
import type { TransactionRow } from './store.ts';

/** A payment to a deposit address, seen for the first time. */
export interface FirstObservation {
  chain: ChainId;
  observation: Observation;
  /** Invoice of the address. */
  invoice: LockedInvoice;
  /** Oldest first. */
  quotes: readonly QuoteRow[];
  /** The price at which an operator accepts it; null for the price when it was first seen. */
  quote?: QuoteRow | null;
  rates: RateSet | null;
  now: number;
  /** Time of the previous complete scan, which did not contain the payment. */
  notBefore: number | null;
  /** The payment that this one replaces and whose price it keeps. */
  replaces: TransactionRow | null;
  /** An earlier payment spends one of the same inputs, whether or not its price is kept. */
  isReplacement: boolean;
  /** Null when the account has no wallet for this chain. */
  walletId: string | null;
  id: string;
  /** Null when no check ran. */
  assessment: Assessment | null;
  /** Sum of the invoice's unconfirmed payments that were accepted without a confirmation. */
  accepted: Amount;
  /** Real time of the retry of a failed risk check. */
  retryAt: string;
}

/** @returns null when the asset is unknown or the account has no wallet for it */
export function newTransaction(first: FirstObservation): TransactionRow | null {
  const { chain, observation, invoice, walletId } = first;
  const kind = kindOfAsset(chain, observation.asset, invoice);
  if (kind === undefined || walletId === null) return null;
  const counted = kind.asset === kindOf(invoice.kind)?.asset;
  const seenAt = firstSeen(first);
  const { quote, late } = counted ? quoteFor(first, seenAt) : { quote: null, late: false };
  const rates =
    quote?.currency_rates ??
    (first.rates === null
      ? {}
      : currencyRates(first.rates, kind.symbol, invoice.requested_currency));
  const finding = first.assessment?.risk ?? null;
  return {
    account_id: invoice.account_id,
    id: first.id,
    chain,
    observation_key: observation.key,
    txid: observation.txid,
    kind: kind.kind,
    asset: kind.asset,
    invoice_id: invoice.id,
    profile_id: invoice.profile_id,
    wallet_id: walletId,
    counted,
    quote_number: quote?.number ?? null,
    amount: formatAmount(observation.amount),
    status: 'pending',
    confirmations: 0,
    // A lightning payment has one confirmation, whatever its invoice's address needs.
    required_confirmations: chain === 'lightning' ? 1 : invoice.required_confirmations,
    final_confirmations: kind.finalConfirmations,
    block_height: observation.block?.height ?? null,
    block_hash: observation.block?.hash ?? null,
    in_mempool: true,
    conflicts: [...observation.conflicts],
    replaced_by: null,
    failure: null,
    credit: 'none',
    zero_conf_status: counted ? zeroConfStatus(first) : null,
    risk_level: finding?.level ?? null,
    risk_data: finding?.data ?? {},
    quotes: fiatQuotes(observation.amount, rates[kind.symbol]),
    currency_rates: rates,
    created_at: timestamp(seenAt),
    executed_at: observation.block === null ? null : timestamp(observation.block.time),
    confirmed_at: null,
    late,
    events: [],
    version: 0,
    updated_at: timestamp(first.now),
    quarantined: finding?.quarantine ?? false,
    quarantined_by: finding?.quarantine ? RISK_ANALYSIS : null,
    released_by: null,
    risk_due_real: first.assessment?.riskFailed ? first.retryAt : null,
    risk_tries: 0,
    owed: false,
    must_compare: first.assessment?.mustCompare === true,
    agreed_hash: null,
    finalized: false,
    refunded: '0',
    refund_offer: null,
    late_accepted: false,
  };
}

function quoteFor({ quotes, replaces, quote = null }: FirstObservation, seenAt: number): QuoteAt {
  if (quote !== null) return { quote, late: false };
  const kept =
    replaces === null ? undefined : quotes.find(({ number }) => number === replaces.quote_number);
  return kept === undefined ? quoteAt(quotes, seenAt) : { quote: kept, late: false };
}

/**
 * Estimates when the payment was first visible. In the mempool: now. In a block: the block's time,
 * but not before the previous complete scan or the invoice. So a payment made in time counts as in
 * time even if the service was down.
 */
function firstSeen(first: FirstObservation): number {
  const { chain, invoice, now } = first;
  const { block } = first.observation;
  if (block === null) return now;
  // A lightning node's own clock is right, unlike that of a miner.
  const notBefore = chain === 'lightning' ? 0 : (first.notBefore ?? 0);
  return Math.min(now, Math.max(block.time, notBefore, milliseconds(invoice.created_at)));
}

/** Prefers the invoice's own kind, because several kinds receive the same coin. */
function kindOfAsset(chain: ChainId, asset: string, invoice: LockedInvoice): Kind | undefined {
  const own = kindOf(invoice.kind);
  if (own?.chain === chain && own.asset === asset) return own;
  return KINDS.find((kind) => kind.chain === chain && kind.asset === asset);
}

/** `quarantined_by` of a transaction held by the risk check. */
export const RISK_ANALYSIS = 'risk analysis';

/**
 * Null when no check ran. All accepted payments of an invoice together stay below the profile's
 * limit. A replacement is never accepted, because its sender could replace it again.
 */
function zeroConfStatus({
  assessment,
  observation,
  invoice,
  accepted,
  isReplacement,
}: FirstObservation): ZeroConfStatus | null {
  const status = assessment?.zeroConf ?? null;
  if (status !== 'confirmed') return status;
  const limit = parseAmount(invoice.zero_conf_max_amount ?? '0');
  return !isReplacement && accepted + observation.amount <= limit ? 'confirmed' : 'unconfirmed';
}
