import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { KINDS, kindOf, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import type { ZeroConfStatus } from '@crypto-checkout/protocol/status';
import type { Assessment } from '../risk/assess.ts';
import type { Observation } from '../chain/adapter.ts';
import { milliseconds, timestamp } from '../database/timestamp.ts';
import { currencyRates, fiatQuotes, quoteAt, type QuoteAt } from '../invoice/quote.ts';
import type { LockedInvoice, QuoteRow } from '../invoice/store.ts';
import type { RateSet } from '../rate/rate-book.ts';
import type { TransactionRow } from './store.ts';

/** A payment to an address of ours that was not known before. */
export interface Sight {
  chain: ChainId;
  observation: Observation;
  /** Whose address it is. */
  invoice: LockedInvoice;
  /** Oldest first. */
  quotes: readonly QuoteRow[];
  rates: RateSet | null;
  now: number;
  /** The last complete look at the chain, when it was not there yet. */
  notBefore: number | null;
  /** The payment whose price this one keeps, because it takes its place. */
  replaces: TransactionRow | null;
  /** An earlier payment was to spend the same inputs, whether or not its price is kept. */
  isReplacement: boolean;
  /** Null when the account has no wallet for this chain. */
  walletId: string | null;
  id: string;
  /** What the checks said; null when nobody was asked. */
  assessment: Assessment | null;
  /** Of the same invoice, accepted without a confirmation and still without one. */
  accepted: Amount;
  /** Real time at which a failed analysis is tried again. */
  retryAt: string;
}

/** @returns null when nobody can say where the money belongs */
export function firstSight(sight: Sight): TransactionRow | null {
  const { chain, observation, invoice, walletId } = sight;
  const kind = kindOfAsset(chain, observation.asset, invoice);
  if (kind === undefined || walletId === null) return null;
  const counted = kind.asset === kindOf(invoice.kind)?.asset;
  const seenAt = firstSeen(sight);
  const { quote, late } = counted ? quoteFor(sight, seenAt) : { quote: null, late: false };
  const rates = quote?.currency_rates ?? (sight.rates === null ? {} : currencyRates(sight.rates, kind.symbol, invoice.requested_currency));
  const found = sight.assessment?.risk ?? null;
  return {
    account_id: invoice.account_id,
    id: sight.id,
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
    required_confirmations: invoice.required_confirmations,
    final_confirmations: kind.finalConfirmations,
    block_height: observation.block?.height ?? null,
    block_hash: observation.block?.hash ?? null,
    in_mempool: true,
    conflicts: [...observation.conflicts],
    replaced_by: null,
    failure: null,
    credit: 'none',
    zero_conf_status: counted ? zeroConfStatus(sight) : null,
    risk_level: found?.level ?? null,
    risk_data: found?.data ?? {},
    quotes: fiatQuotes(observation.amount, rates[kind.symbol]),
    currency_rates: rates,
    created_at: timestamp(seenAt),
    executed_at: observation.block === null ? null : timestamp(observation.block.time),
    confirmed_at: null,
    late,
    events: [],
    version: 0,
    updated_at: timestamp(sight.now),
    quarantined: found?.quarantine ?? false,
    quarantined_by: found?.quarantine ? RISK_ANALYSIS : null,
    released_by: null,
    risk_due_real: sight.assessment?.riskFailed ? sight.retryAt : null,
    risk_tries: 0,
    owed: false,
  };
}

function quoteFor({ quotes, replaces }: Sight, seenAt: number): QuoteAt {
  const kept = replaces === null ? undefined : quotes.find(({ number }) => number === replaces.quote_number);
  return kept === undefined ? quoteAt(quotes, seenAt) : { quote: kept, late: false };
}

/**
 * When it was first there, as well as we know: now, for what waits in the mempool; for what is in a block its block's time, but not
 * before the last complete look, when it was not there, nor before the invoice. So a payment made in time counts as in time
 * although nobody was watching.
 */
function firstSeen({ observation: { block }, invoice, now, notBefore }: Sight): number {
  if (block === null) return now;
  return Math.min(now, Math.max(block.time, notBefore ?? 0, milliseconds(invoice.created_at)));
}

/** The invoice's own kind where it fits: several kinds receive the same coin. */
function kindOfAsset(chain: ChainId, asset: string, invoice: LockedInvoice): Kind | undefined {
  const own = kindOf(invoice.kind);
  if (own?.chain === chain && own.asset === asset) return own;
  return KINDS.find((kind) => kind.chain === chain && kind.asset === asset);
}

/** Who held what nobody held by hand. */
export const RISK_ANALYSIS = 'risk analysis';

/**
 * §3.2, null when no check was done. All payments of an invoice together stay below the ceiling of the profile, and whoever replaced
 * a payment once can do so again.
 */
function zeroConfStatus({ assessment, observation, invoice, accepted, isReplacement }: Sight): ZeroConfStatus | null {
  const status = assessment?.zeroConf ?? null;
  if (status !== 'confirmed') return status;
  const ceiling = parseAmount(invoice.zero_conf_max_amount ?? '0');
  return !isReplacement && accepted + observation.amount <= ceiling ? 'confirmed' : 'unconfirmed';
}
