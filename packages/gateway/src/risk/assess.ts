import { parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ZeroConfStatus } from '@crypto-checkout/protocol/status';
import type { Observation, ScanEvent } from '@crypto-checkout/chains/adapter';
import type { Context } from '../context.ts';
import type { Assessment } from '../transaction/assessment.ts';
import { withTimeout, type PaymentFacts } from './check.ts';
import { newPayments, type NewPayment } from './store.ts';

export interface AssessOptions {
  /** Timeout of one check. */
  timeoutMs?: number;
  /**
   * Time budget of one scan. Later payments are left to the retry, so that checks do not delay the
   * chain.
   */
  budgetMs?: number;
}

const TIMEOUT_MS = 1_500;
const BUDGET_MS = 4_000;
const AT_ONCE = 16;

/**
 * Checks the new payments of a scan, outside of any database transaction.
 * @returns the assessments of new payments, by observation key
 */
export async function assessPayments(
  context: Context,
  chain: ChainId,
  events: readonly ScanEvent[],
  { timeoutMs = TIMEOUT_MS, budgetMs = BUDGET_MS }: AssessOptions = {},
): Promise<ReadonlyMap<string, Assessment>> {
  const assessed = new Map<string, Assessment>();
  const wanted = isCovered(context.risk, chain) || isCovered(context.zeroConf, chain);
  const observed = wanted
    ? events.flatMap((event) => (event.type === 'observed' ? [event.observation] : []))
    : [];
  if (observed.length === 0) return assessed;
  const byKey = new Map(observed.map((observation) => [observation.key, observation]));
  const waiting = await newPayments(context.db, chain, [...byKey.values()]);
  const until = performance.now() + budgetMs;
  const next = async (): Promise<void> => {
    for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
      const isLate = performance.now() >= until;
      assessed.set(
        payment.key,
        await assess(context, chain, byKey.get(payment.key)!, payment, isLate ? 0 : timeoutMs),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return assessed;
}

/** @param timeoutMs 0 skips the checks */
async function assess(
  context: Context,
  chain: ChainId,
  observation: Observation,
  payment: NewPayment,
  timeoutMs: number,
): Promise<Assessment> {
  const facts: PaymentFacts = {
    chain,
    network: context.chains.get(chain)?.network ?? 'testnet',
    asset: observation.asset,
    txid: observation.txid,
    address: payment.address,
    amount: observation.amount,
    inputs: observation.conflicts,
  };
  const [risk, zeroConf] = await Promise.all([
    checkRisk(context, facts, timeoutMs),
    checkZeroConf(context, observation, payment, facts, timeoutMs),
  ]);
  return { ...risk, zeroConf };
}

/** Runs the risk check; the retry uses it too. */
export async function checkRisk(
  { risk, log }: Pick<Context, 'risk' | 'log'>,
  facts: PaymentFacts,
  timeoutMs = TIMEOUT_MS,
): Promise<Pick<Assessment, 'risk' | 'riskFailed'>> {
  if (!isCovered(risk, facts.chain)) return { risk: null, riskFailed: false };
  if (timeoutMs === 0) return { risk: null, riskFailed: true };
  try {
    return {
      risk: await withTimeout((signal) => risk.check(facts, signal), timeoutMs),
      riskFailed: false,
    };
  } catch (error) {
    log.warn(
      { event: 'risk_check_failed', err: error, txid: facts.txid, chain: facts.chain },
      'risk check failed, will retry',
    );
    return { risk: null, riskFailed: true };
  }
}

/** Runs only if the invoice allows it, for its own coin on bitcoin, without a block. */
async function checkZeroConf(
  { zeroConf, log }: Context,
  { block, asset }: Observation,
  { kind, zero_conf_enabled, zero_conf_max_amount }: NewPayment,
  facts: PaymentFacts,
  timeoutMs: number,
): Promise<ZeroConfStatus | null> {
  const isEligible =
    zero_conf_enabled &&
    block === null &&
    facts.chain === 'bitcoin' &&
    kindOf(kind)?.asset === asset;
  if (!isEligible || !isCovered(zeroConf, facts.chain)) return null;
  // Our choice: without a configured limit nothing is accepted.
  if (zero_conf_max_amount === null || facts.amount > parseAmount(zero_conf_max_amount))
    return 'unconfirmed';
  if (timeoutMs === 0) return 'unknown';
  try {
    return (await withTimeout((signal) => zeroConf.isSafe(facts, signal), timeoutMs))
      ? 'confirmed'
      : 'unconfirmed';
  } catch (error) {
    log.warn(
      { event: 'zero_conf_check_failed', err: error, txid: facts.txid },
      'zero-confirmation check failed, payment needs confirmations',
    );
    return 'unknown';
  }
}

const isCovered = (check: { covers?(chain: ChainId): boolean }, chain: ChainId): boolean =>
  check.covers?.(chain) ?? true;
