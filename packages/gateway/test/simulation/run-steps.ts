import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { scanChain } from '../../src/engine/scan.ts';
import { sweepDeposits } from '../../src/sweep/sweep.ts';
import { processConversions } from '../../src/conversion/process.ts';
import { expireInvoices } from '../../src/settlement/expire-invoices.ts';
import { payoutFunding } from '../../src/payout/sending/conversion-funding.ts';
import { followRefunds } from '../../src/refund/follow.ts';
import { processPayouts } from '../../src/payout/sending/process.ts';
import { retryRiskChecks } from '../../src/risk/retry.ts';
import { markUnconfirmedTransactions } from '../../src/settlement/mark-unconfirmed.ts';
import {
  SIMULATED_CHAINS,
  DEFAULT_ENVIRONMENT,
  type SimulatedGateway,
} from './simulated-gateway.ts';
import { runPayoutRules, runConversionRules } from './automatic-rules.ts';
import {
  findUnresolved,
  startChecks,
  checkInvariants,
  type CheckProgress,
} from './invariant-checks.ts';
import { performStep } from './perform-step.ts';
import type { SimulationState } from './simulation-state.ts';
import { FINAL_PAYMENT_INVARIANTS, FINAL_PAYOUT_INVARIANTS } from './invariants.ts';
import { FINAL_REFUND_INVARIANTS } from './refund-invariants.ts';
import type { Step } from './steps.ts';
import { checkCallbacks } from './callback-checks.ts';

export interface SimulationFailure {
  seed: number;
  /** The steps up to the failure. */
  steps: Step[];
  error: Error;
  /** The latest log lines of the service. */
  log: string[];
}

/**
 * Plays the steps from the initial state and checks all invariants after each.
 * @returns null when they hold
 */
export async function runSteps(
  gateway: SimulatedGateway,
  seed: number,
  steps: readonly Step[],
): Promise<SimulationFailure | null> {
  await gateway.reset(seed);
  const state: SimulationState = {
    gateway,
    invoices: [],
    payouts: [],
    conversions: [],
    refunds: [],
    lastPaid: null,
    unread: new Set(),
  };
  const progress = startChecks();
  let played = 0;
  try {
    for (const step of steps) {
      played += 1;
      await performStep(state, step);
      await checkCallbacks(gateway, progress, step.do === 'concurrent requests');
      if (step.skipWorker !== true) await runWorker(state, progress);
      await checkInvariants(gateway, progress, scannedChains(state));
    }
    await settleEverything(state, progress);
    return null;
  } catch (error) {
    return {
      seed,
      steps: steps.slice(0, played),
      error: error instanceof Error ? error : new Error(String(error)),
      log: [...gateway.log],
    };
  }
}

/** Runs each task of the worker once, in the worker's order. */
async function runWorker(state: SimulationState, progress: CheckProgress): Promise<void> {
  const { gateway, unread } = state;
  const { context, environment } = gateway;
  for (const chain of unread) {
    if (environment.faults.get(chain) === 'down') continue;
    await scanChain(context, chain);
    unread.delete(chain);
    await checkCallbacks(gateway, progress);
  }
  await expireInvoices(context);
  await markUnconfirmedTransactions(context);
  await processPayouts(context);
  await checkCallbacks(gateway, progress);
  await retryRiskChecks(context);
  await sweepDeposits(context);
  await runConversionRules(gateway);
  await processConversions(context, { payoutFunding: payoutFunding(context) });
  await runPayoutRules(gateway);
  await checkCallbacks(gateway, progress);
  await followRefunds(context);
  await checkCallbacks(gateway, progress);
}

const scannedChains = ({ unread }: SimulationState): ChainId[] =>
  SIMULATED_CHAINS.filter((chain) => !unread.has(chain));

/** More rounds than payouts of one seed can queue behind each other. */
const MAX_ROUNDS = 60;

/** Removes all faults, mines enough blocks and advances the clock beyond every deadline. */
async function settleEverything(state: SimulationState, progress: CheckProgress): Promise<void> {
  const { gateway } = state;
  gateway.environment.faults.clear();
  Object.assign(gateway.environment, DEFAULT_ENVIRONMENT);
  // Automatic rules would create new work forever.
  await sql`update automatic_payout set is_enabled = false`.execute(gateway.context.db);
  await sql`update automatic_rule set is_enabled = false`.execute(gateway.context.db);
  for (const seconds of [4_000, 1_300_000]) await settleRound(state, progress, seconds);
  const unresolvedPayment = await findUnresolved(gateway, FINAL_PAYMENT_INVARIANTS);
  if (unresolvedPayment) throw unresolvedPayment;
  // Payouts of one address wait for each other's blocks, so rounds continue until no status
  // changes.
  for (let rounds = 1; ; rounds += 1) {
    const unresolvedPayout = await findUnresolved(gateway, [
      ...FINAL_PAYOUT_INVARIANTS,
      ...FINAL_REFUND_INVARIANTS,
    ]);
    if (unresolvedPayout === null) return;
    const before = progress.lastTransition;
    await settleRound(state, progress, 0);
    if (progress.lastTransition === before || rounds === MAX_ROUNDS) throw unresolvedPayout;
  }
}

/** Runs the worker before and after twelve more blocks. */
async function settleRound(
  state: SimulationState,
  progress: CheckProgress,
  seconds: number,
): Promise<void> {
  const { gateway } = state;
  gateway.environment.now += seconds * 1000;
  for (const chain of SIMULATED_CHAINS) state.unread.add(chain);
  await runWorker(state, progress);
  for (const chain of SIMULATED_CHAINS) {
    if (chain !== 'lightning') await gateway.world.mine(chain, 12);
    state.unread.add(chain);
  }
  await runWorker(state, progress);
  await checkInvariants(gateway, progress, scannedChains(state));
}

/** Maximum number of attempts to shrink a failure. */
const MAX_SHRINK_ATTEMPTS = 150;

/**
 * Removes steps while the same invariant fails, and returns the shortest failing sequence found.
 */
export async function shrink(
  gateway: SimulatedGateway,
  failure: SimulationFailure,
): Promise<SimulationFailure> {
  let smallest = failure;
  let attempts = MAX_SHRINK_ATTEMPTS;
  for (
    let size = Math.ceil(failure.steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < smallest.steps.length && attempts > 0;) {
      attempts -= 1;
      const fewer = smallest.steps.filter((_, at) => at < from || at >= from + size);
      const again = await runSteps(gateway, failure.seed, fewer);
      if (again !== null && invariantOf(again) === invariantOf(failure)) smallest = again;
      else from += size;
    }
  }
  return smallest;
}

const invariantOf = ({ error }: SimulationFailure): string => error.message.split(':', 1)[0] ?? '';

/** The failure as text, with steps that can be copied into `regressions.ts`. */
export function describeFailure({ seed, steps, error, log }: SimulationFailure): string {
  const lines = steps.map((step) => `  ${JSON.stringify(step)},`).join('\n');
  return `seed ${seed}: ${error.message}\n${error.name === 'InvariantViolation' ? '' : `${error.stack}\n`}steps: [\n${lines}\n]\n${log.join('')}`;
}
