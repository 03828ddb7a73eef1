import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { FeeEstimate, SendRequest } from '@crypto-checkout/chains/sender';
import type { Context } from '../context.ts';
import { timestamp } from '../database/database.ts';
import { invalid } from '../http/invalid.ts';
import type { RateSet } from '../rate/rate-book.ts';
import { usdValueIfKnown, usdValueOf } from './approval/usd-value.ts';
import type { Recipient } from './recipient.ts';
import type { PayoutRequest } from './request.ts';
import type { NewPayout, PayoutView, RecipientRow } from './store.ts';

export interface Creator {
  accountId: string;
  /** Null when the service itself creates it, as for automatic payouts. */
  key: { id: string; maxPayout: string | null; maxPayoutDaily?: string | null } | null;
  /** Limit in USD for a creator without a key; larger payouts become drafts. Default: none. */
  maxPayout?: string | null;
  /** Also coins that the profile does not enable, to return a wrong coin. Default false. */
  anyCoin?: boolean;
  /**
   * Fee in the chain's coin to sweep the returned money, at the recipient's expense if the network
   * fee is. Default: none.
   */
  sweepFee?: Amount;
}

/** The request to the sender of the chain. */
export function sendRequestOf(
  { kind, payload }: PayoutRequest,
  recipients: readonly Recipient[],
): SendRequest {
  return {
    asset: kind.coin.asset,
    outputs: recipients.map(({ address, tag, memo, amount, payment_request }) => ({
      address,
      tag,
      memo,
      amount,
      paymentRequest: payment_request,
    })),
    preset: payload.network_fee_preset ?? 'normal',
    feeRate: payload.network_fee ?? null,
  };
}

interface PricedPayout {
  walletId: string;
  fee: FeeEstimate;
  rates: RateSet;
  gross: readonly Recipient[];
  paid: readonly Recipient[];
}

/** The row of a checked and priced payout. @throws ServiceError for its date and its size */
export function newPayout(
  { ids, clock }: Context,
  { accountId, key, maxPayout = key?.maxPayout ?? null }: Creator,
  request: PayoutRequest,
  { walletId, fee, rates, gross, paid }: PricedPayout,
): NewPayout {
  const { kind, payload, duplicateKey, fingerprint } = request;
  const now = clock.now();
  const scheduledAt =
    typeof payload.scheduled_at === 'string' ? Date.parse(payload.scheduled_at) : null;
  if (scheduledAt !== null && scheduledAt > now + YEAR_MS)
    throw invalid('scheduled_at', `must be within a year, not ${payload.scheduled_at}`);
  if (scheduledAt !== null && scheduledAt < now - PAST_MS)
    throw invalid(
      'scheduled_at',
      `must not be more than five minutes in the past: ${payload.scheduled_at}`,
    );
  const hasLimit = maxPayout !== null || (key?.maxPayoutDaily ?? null) !== null;
  const usdValue = hasLimit
    ? usdValueOf(gross, kind.coin.symbol, rates)
    : usdValueIfKnown(gross, kind.coin.symbol, rates);
  const isDraft = maxPayout !== null && usdValue !== null && usdValue > parseAmount(maxPayout);
  const scheduled = scheduledAt !== null && scheduledAt > now;
  const total = paid.reduce((sum, { amount }) => sum + amount, 0n);
  if (total + fee.reserve >= AMOUNT_LIMIT)
    throw invalid('recipients', 'must not exceed 18 digits in total');
  return {
    account_id: accountId,
    id: ids.uuid(),
    profile_id: payload.profile_id,
    wallet_id: walletId,
    kind: kind.kind,
    chain: kind.chain,
    asset: kind.coin.asset,
    fee_asset: kind.feeAsset,
    status: isDraft ? 'draft' : scheduled ? 'scheduled' : 'new',
    created_at: timestamp(now),
    scheduled_at: scheduled ? timestamp(scheduledAt) : null,
    key_id: key?.id ?? null,
    network_fee_pays: payload.network_fee_pays ?? 'merchant',
    network_fee_preset: payload.network_fee_preset ?? 'normal',
    network_fee: payload.network_fee ?? null,
    fee_rate: fee.feeRate === undefined ? null : Math.ceil(fee.feeRate),
    passthrough: payload.passthrough ?? null,
    reference_id: payload.reference_id ?? null,
    duplicate_key: duplicateKey,
    fingerprint,
    total: formatAmount(total),
    fee: formatAmount(fee.fee),
    fee_reserve: formatAmount(fee.reserve),
    usd_value: usdValue === null ? null : formatAmount(usdValue),
  };
}

/** Larger amounts need more than 18 integer digits. */
const AMOUNT_LIMIT = 10n ** 36n;
/** Tolerates a fast clock, but rejects a wrong year, which would send immediately. */
const PAST_MS = 5 * 60 * 1000;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** The rows of its recipients. */
export function rowsOf({ ids }: Context, recipients: readonly Recipient[]): RecipientRow[] {
  return recipients.map(({ gross: _gross, amount, ...recipient }, number) => ({
    ...recipient,
    number,
    id: ids.uuid(),
    amount: formatAmount(amount),
  }));
}

/** An estimate as it is shown: like a payout, and not stored. */
export function viewOf(
  payout: NewPayout,
  recipients: RecipientRow[],
  isTestnet: boolean,
): PayoutView {
  return {
    ...payout,
    sub_kind: null,
    approved_at: null,
    approved_by: null,
    executed_at: null,
    batch_id: null,
    hold: 'none',
    txid: null,
    block_height: null,
    block_hash: null,
    confirmations: 0,
    error: null,
    events: [],
    version: 1,
    updated_at: payout.created_at,
    number: 0,
    is_testnet: isTestnet,
    recipients,
  };
}
