import { parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ZeroConfStatus } from '@crypto-checkout/protocol/status';
import type { Observation, ScanEvent } from '../chain/adapter.ts';
import type { Context } from '../context.ts';
import { askInTime, type PaymentFacts, type RiskFinding } from './check.ts';
import { newPayments, type NewPayment } from './store.ts';

/** What the checks said about a payment that is seen for the first time. */
export interface Assessment {
  /** Null without an opinion. */
  risk: RiskFinding | null;
  /** The analysis failed or took too long: it is tried again. */
  riskFailed: boolean;
  /** Null when no check was done. */
  zeroConf: ZeroConfStatus | null;
}

export interface AssessOptions {
  /** For one check. */
  timeoutMs?: number;
  /** For all payments of a look: what is not begun by then is left for later, so that no chain waits for an analysis. */
  budgetMs?: number;
}

const TIMEOUT_MS = 1_500;
const BUDGET_MS = 4_000;
const AT_ONCE = 16;

/**
 * Asks the checks about payments of a scan that were not known before, outside of every database transaction.
 * @returns by observation key; only new payments are in it
 */
export async function assessPayments(
  context: Context,
  chain: ChainId,
  events: readonly ScanEvent[],
  { timeoutMs = TIMEOUT_MS, budgetMs = BUDGET_MS }: AssessOptions = {},
): Promise<ReadonlyMap<string, Assessment>> {
  const assessed = new Map<string, Assessment>();
  const wanted = isCovered(context.risk, chain) || isCovered(context.zeroConf, chain);
  const observed = wanted ? events.flatMap((event) => (event.type === 'observed' ? [event.observation] : [])) : [];
  if (observed.length === 0) return assessed;
  const byKey = new Map(observed.map((observation) => [observation.key, observation]));
  const waiting = await newPayments(context.db, chain, [...byKey.values()]);
  const until = performance.now() + budgetMs;
  const next = async (): Promise<void> => {
    for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
      const isLate = performance.now() >= until;
      assessed.set(payment.key, await assess(context, chain, byKey.get(payment.key)!, payment, isLate ? 0 : timeoutMs));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return assessed;
}

/** @param timeoutMs 0 asks nobody */
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
    askRisk(context, facts, timeoutMs),
    askZeroConf(context, observation, payment, facts, timeoutMs),
  ]);
  return { ...risk, zeroConf };
}

/** Also for another try. */
export async function askRisk(
  { risk, log }: Pick<Context, 'risk' | 'log'>,
  facts: PaymentFacts,
  timeoutMs = TIMEOUT_MS,
): Promise<Pick<Assessment, 'risk' | 'riskFailed'>> {
  if (!isCovered(risk, facts.chain)) return { risk: null, riskFailed: false };
  if (timeoutMs === 0) return { risk: null, riskFailed: true };
  try {
    return { risk: await askInTime((signal) => risk.check(facts, signal), timeoutMs), riskFailed: false };
  } catch (error) {
    log.warn({ err: error, txid: facts.txid, chain: facts.chain }, 'a risk check failed and is tried again');
    return { risk: null, riskFailed: true };
  }
}

/** §3.2: only where the invoice allows it, for its own coin on bitcoin's chain, while it is in no block. */
async function askZeroConf(
  { zeroConf, log }: Context,
  { block, asset }: Observation,
  { kind, zero_conf_enabled, zero_conf_max_amount }: NewPayment,
  facts: PaymentFacts,
  timeoutMs: number,
): Promise<ZeroConfStatus | null> {
  const isAsked = zero_conf_enabled && block === null && facts.chain === 'bitcoin' && kindOf(kind)?.asset === asset;
  if (!isAsked || !isCovered(zeroConf, facts.chain)) return null;
  // Without a ceiling nothing is accepted (a choice): whoever wants the risk says how much.
  if (zero_conf_max_amount === null || facts.amount > parseAmount(zero_conf_max_amount)) return 'unconfirmed';
  if (timeoutMs === 0) return 'unknown';
  try {
    return (await askInTime((signal) => zeroConf.isSafe(facts, signal), timeoutMs)) ? 'confirmed' : 'unconfirmed';
  } catch (error) {
    log.warn({ err: error, txid: facts.txid }, 'a zero-confirmation check failed: the payment waits for its blocks');
    return 'unknown';
  }
}

const isCovered = (check: { covers?(chain: ChainId): boolean }, chain: ChainId): boolean => check.covers?.(chain) ?? true;
