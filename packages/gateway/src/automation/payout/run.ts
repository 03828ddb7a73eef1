import {
  formatAmount,
  parseAmount,
  roundDown,
  type Amount,
} from '@crypto-checkout/protocol/amount';
import { kindOf, KINDS, type Kind } from '@crypto-checkout/protocol/kind';
import { parseAddress } from '@crypto-checkout/chains/deposit-target';
import { readUnswept } from '../../sweep/unswept-funds.ts';
import type { Context } from '../../context.ts';
import { raiseAlarmAbout } from '../../alarm/raise.ts';
import { milliseconds, timestamp, transact } from '../../database/database.ts';
import {
  type Lease,
  guardLease,
  keepLease,
  releaseLease,
  waitForLease,
} from '../../database/lease.ts';
import { ServiceError, UnavailableError } from '../../http/error.ts';
import { createPayout } from '../../payout/create.ts';
import { availableIn } from '../../payout/store.ts';
import { dueRules, endRun, hasDraft, profileFor, runReference, type RuleView } from './store.ts';

/** Rules per round. */
const LIMIT = 500;

/**
 * Runs every due automatic payout: sends the part of the wallet's balance above `keep_amount`.
 * Takes a lease, so that one process runs the rules at a time. A payout's reference names the rule
 * and the time of the run, so that a crash never pays twice.
 */
export async function runAutomaticPayouts(
  context: Context,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { db, clock } = context;
  const due = (limit: number): Promise<RuleView[]> => dueRules(db, timestamp(clock.now()), limit);
  if ((await due(1)).length === 0) return;
  const lease = await waitForLease(context.db, 'automatic payouts', context.ids.uuid(), signal);
  if (lease === null) return;
  const keeper = keepLease(context.db, lease);
  try {
    for (const rule of await due(LIMIT)) {
      if (signal.aborted) return;
      await run(context, lease, rule);
    }
  } finally {
    await keeper.stop();
    await releaseLease(db, lease).catch(() => {});
  }
}

/** An error does not delay other rules. */
async function run(context: Context, lease: Lease, rule: RuleView): Promise<void> {
  try {
    const failure = await attempt(context, rule);
    if (failure !== null) await reportFailure(context, rule, failure);
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      const now = context.clock.now();
      const error = failure === null || failure.isTooSmall ? null : failure.message;
      await endRun(trx, rule, { at: timestamp(now), nextAt: timestamp(nextRun(rule, now)), error });
    });
  } catch (error) {
    // The outcome is unknown: the same run is retried under the same reference.
    context.log.warn(
      { event: 'automatic_payout_failed', err: error, rule_id: rule.id },
      'automatic payout failed, will retry',
    );
  }
}

/** Missed runs are skipped: one run sends the whole surplus. */
function nextRun({ next_at, interval_minutes }: RuleView, now: number): number {
  const intervalMs = interval_minutes * 60_000;
  const planned = milliseconds(next_at);
  return planned + (Math.floor((now - planned) / intervalMs) + 1) * intervalMs;
}

interface Failure {
  message: string;
  /** Not an error: the surplus is too small to send. */
  isTooSmall: boolean;
}

/** @returns a certain failure; null when the payout was created, or there is nothing to send */
async function attempt(context: Context, rule: RuleView): Promise<Failure | null> {
  try {
    return await payOut(context, rule);
  } catch (error) {
    if (error instanceof UnavailableError) return { message: error.message, isTooSmall: false };
    if (!(error instanceof ServiceError)) throw error;
    // A process that crashed had completed this run.
    if (error.reason === 'DuplicateReference') return null;
    const isTooSmall =
      error.reason === 'PayoutNetworkFeeTooHigh' ||
      error.errors?.[0]?.field === 'recipients.0.amount';
    return { message: error.message, isTooSmall };
  }
}

async function payOut(context: Context, rule: RuleView): Promise<Failure | null> {
  const kind = kindOf(rule.kind)!;
  const held = parseAmount(
    (await availableIn(context.db, rule.account_id, rule.wallet_id)).get(rule.asset) ?? '0',
  );
  const keep = await amountToKeep(context, rule, kind);
  // Lightning credits fractions that the chain cannot send.
  const surplus = held > keep ? roundDown(held - keep, kind.decimals) : 0n;
  if (surplus === 0n || surplus < parseAmount(rule.min_amount)) return null;
  // A draft reserves nothing, so each run would create another one for the same money.
  if (rule.max_payout !== null && (await hasDraft(context.db, rule))) return null;
  const amount = await amountToSend(context, rule, kind, surplus);
  if (amount <= 0n)
    return {
      message: `The network fee exceeds the surplus of ${formatAmount(surplus)}`,
      isTooSmall: true,
    };
  const profileId = await profileFor(context.db, rule, [kind.kind, kind.asset]);
  if (profileId === null)
    return {
      message: `No profile enables ${kind.kind}, so it can't be paid out`,
      isTooSmall: false,
    };
  await createPayout(
    context,
    { accountId: rule.account_id, key: null, maxPayout: rule.max_payout },
    {
      kind: kind.kind,
      profile_id: profileId,
      wallet_id: rule.wallet_id,
      reference_id: runReference(rule),
      network_fee_pays: 'recipient',
      recipients: [
        { amount: formatAmount(amount), currency: kind.symbol, address: rule.recipient_address },
      ],
    },
  );
  return null;
}

/** The wallet keeps at least the fee for sweeping its deposit addresses. */
async function amountToKeep(
  context: Context,
  rule: RuleView,
  { chain, asset }: Kind,
): Promise<Amount> {
  const keep = parseAmount(rule.keep_amount);
  const unswept = await readUnswept(context, chain, rule.wallet_id);
  const least = asset === unswept.coin ? unswept.sweepFee : 0n;
  return least > keep ? least : keep;
}

/**
 * Keeps back the difference between the reserved and the estimated fee, so that `keep_amount` stays
 * in the wallet whatever the final fee is. The recipient pays the estimated fee.
 */
async function amountToSend(
  { senders }: Context,
  rule: RuleView,
  { chain, asset, decimals }: Kind,
  surplus: Amount,
): Promise<Amount> {
  const sender = senders.get(chain);
  const paysItself = KINDS.find((kind) => kind.chain === chain)?.asset === asset;
  if (sender === undefined || !paysItself) return surplus;
  const { address, tag } = parseAddress(
    chain,
    rule.is_testnet ? 'testnet' : 'mainnet',
    rule.recipient_address,
  );
  const outputs = [{ address, tag, amount: surplus, memo: null, paymentRequest: null }];
  const { fee, reserve } = await sender.estimate({
    asset,
    outputs,
    preset: 'normal',
    feeRate: null,
  });
  return roundDown(surplus - (reserve - fee) > 0n ? surplus - (reserve - fee) : 0n, decimals);
}

/** Logs every failure, and raises an alarm for the first one. */
async function reportFailure(
  context: Context,
  rule: RuleView,
  { message, isTooSmall }: Failure,
): Promise<void> {
  const reason = `An automatic payout of ${rule.kind} failed: ${message.replace(/\.+$/, '')}.`;
  if (isTooSmall)
    return context.log.info({ event: 'automatic_payout_skipped', rule_id: rule.id }, reason);
  context.log.warn({ event: 'automatic_payout_failed', rule_id: rule.id }, reason);
  if (rule.last_error === null) await raiseAlarmAbout(context, rule.id, reason);
}
