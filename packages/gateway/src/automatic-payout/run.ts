import { formatAmount, parseAmount, roundDown, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, KINDS, type Kind } from '@crypto-checkout/protocol/kind';
import { parseAddress } from '../chain/derive/target.ts';
import { keepLease, waitForLease } from '../chain/scan.ts';
import { readLying } from '../consolidation/lying.ts';
import type { Context } from '../context.ts';
import { raiseAlarmAbout } from '../conversion/alarm.ts';
import { milliseconds, timestamp, transact } from '../database/database.ts';
import { guardLease, releaseLease, type Lease } from '../database/lease.ts';
import { ServiceError, UnavailableError } from '../http/error.ts';
import { createPayout } from '../payout/create.ts';
import { availableIn } from '../payout/store.ts';
import { dueRules, endRun, hasDraft, profileFor, runOf, type RuleView } from './store.ts';

/** Rules of one round; the others are for the next. */
const LIMIT = 500;

/**
 * Runs every automatic payout whose time has come: what its wallet has above `keep_amount` is sent. One process at a time does it,
 * under a lease; a payout carries the rule and the time of its run as reference, so that no crash pays one twice.
 */
export async function runAutomaticPayouts(context: Context, signal: AbortSignal = new AbortController().signal): Promise<void> {
  const { db, clock } = context;
  const due = (limit: number): Promise<RuleView[]> => dueRules(db, timestamp(clock.now()), limit);
  if ((await due(1)).length === 0) return;
  const lease = await waitForLease(context, 'automatic payouts', context.ids.uuid(), signal);
  if (lease === null) return;
  const keeper = keepLease(context, lease);
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

/** One that goes wrong holds up no other. */
async function run(context: Context, lease: Lease, rule: RuleView): Promise<void> {
  try {
    const failure = await attempt(context, rule);
    if (failure !== null) await report(context, rule, failure);
    await transact(context.db, async (trx) => {
      await guardLease(trx, lease);
      const now = context.clock.now();
      const error = failure === null || failure.isTooSmall ? null : failure.message;
      await endRun(trx, rule, { at: timestamp(now), nextAt: timestamp(nextRun(rule, now)), error });
    });
  } catch (error) {
    // Whether something was written is not known: the same run is tried again, under the same reference.
    context.log.warn({ err: error, rule_id: rule.id }, 'an automatic payout is tried again');
  }
}

/** Runs that were missed are not caught up with: one sends all that there is. */
function nextRun({ next_at, interval_minutes }: RuleView, now: number): number {
  const intervalMs = interval_minutes * 60_000;
  const planned = milliseconds(next_at);
  return planned + (Math.floor((now - planned) / intervalMs) + 1) * intervalMs;
}

interface Failure {
  message: string;
  /** Nothing is wrong: what is there is not worth sending yet. */
  isTooSmall: boolean;
}

/** @returns what went wrong for certain; null when it was sent, or there is nothing to send */
async function attempt(context: Context, rule: RuleView): Promise<Failure | null> {
  try {
    return await payOut(context, rule);
  } catch (error) {
    if (error instanceof UnavailableError) return { message: error.message, isTooSmall: false };
    if (!(error instanceof ServiceError)) throw error;
    // This run was done before, by a process that died with it.
    if (error.reason === 'DuplicateReference') return null;
    const isTooSmall = error.reason === 'PayoutNetworkFeeTooHigh' || error.errors?.[0]?.field === 'recipients.0.amount';
    return { message: error.message, isTooSmall };
  }
}

async function payOut(context: Context, rule: RuleView): Promise<Failure | null> {
  const kind = kindOf(rule.kind)!;
  const held = parseAmount((await availableIn(context.db, rule.account_id, rule.wallet_id)).get(rule.asset) ?? '0');
  const keep = await staying(context, rule, kind);
  // Lightning divides a coin further than its chain can send.
  const surplus = held > keep ? roundDown(held - keep, kind.decimals) : 0n;
  if (surplus === 0n || surplus < parseAmount(rule.min_amount)) return null;
  // A draft holds nothing back: each run would make another one of the same money.
  if (rule.max_payout !== null && (await hasDraft(context.db, rule))) return null;
  const amount = await sendable(context, rule, kind, surplus);
  if (amount <= 0n) return { message: `The network fee is more than the ${formatAmount(surplus)} that could be sent`, isTooSmall: true };
  const profileId = await profileFor(context.db, rule, [kind.kind, kind.asset]);
  if (profileId === null) return { message: `No profile enables ${kind.kind}, so it can't be paid out`, isTooSmall: false };
  await createPayout(
    context,
    { accountId: rule.account_id, key: null, maxPayout: rule.max_payout },
    {
      kind: kind.kind,
      profile_id: profileId,
      wallet_id: rule.wallet_id,
      reference_id: runOf(rule),
      network_fee_pays: 'recipient',
      recipients: [{ amount: formatAmount(amount), currency: kind.symbol, address: rule.recipient_address }],
    },
  );
  return null;
}

/** What lies on deposit addresses is moved together for fees that the wallet must still have. */
async function staying(context: Context, rule: RuleView, { chain, asset }: Kind): Promise<Amount> {
  const keep = parseAmount(rule.keep_amount);
  const lying = await readLying(context, chain, rule.wallet_id);
  const least = asset === lying.coin ? lying.cost : 0n;
  return least > keep ? least : keep;
}

/**
 * The recipient pays the fee that is expected; what it can cost beyond that stays back too, so that `keep_amount` really stays,
 * whatever the network takes in the end.
 */
async function sendable({ senders }: Context, rule: RuleView, { chain, asset, decimals }: Kind, surplus: Amount): Promise<Amount> {
  const sender = senders.get(chain);
  const paysItself = KINDS.find((kind) => kind.chain === chain)?.asset === asset;
  if (sender === undefined || !paysItself) return surplus;
  const { address, tag } = parseAddress(chain, rule.is_testnet ? 'testnet' : 'mainnet', rule.recipient_address);
  const outputs = [{ address, tag, amount: surplus, memo: null, paymentRequest: null }];
  const { fee, reserve } = await sender.estimate({ asset, outputs, preset: 'normal', feeRate: null });
  return roundDown(surplus - (reserve - fee) > 0n ? surplus - (reserve - fee) : 0n, decimals);
}

/** Why nothing was sent, for the operator: an alarm when it begins, a line in the log each time. */
async function report(context: Context, rule: RuleView, { message, isTooSmall }: Failure): Promise<void> {
  const reason = `An automatic payout of ${rule.kind} could not be made: ${message.replace(/\.+$/, '')}.`;
  if (isTooSmall) return context.log.info({ rule_id: rule.id }, reason);
  context.log.warn({ rule_id: rule.id }, reason);
  if (rule.last_error === null) await raiseAlarmAbout(context, rule.id, reason);
}
