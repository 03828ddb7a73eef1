import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { scanChain } from '../../src/chain/scan.ts';
import { consolidateDeposits } from '../../src/consolidation/consolidate.ts';
import { processConversions } from '../../src/conversion/process.ts';
import { expireInvoices } from '../../src/invoice/expire.ts';
import { processPayouts } from '../../src/payout/process.ts';
import { retryRiskChecks } from '../../src/risk/retry.ts';
import { ageTransactions } from '../../src/transaction/age.ts';
import { ARENA_CHAINS, FAIR, type Arena } from './arena.ts';
import { runPayoutRules, runRules } from './automatic.ts';
import { leftOpen, newWatch, requireRules, type Watch } from './checks.ts';
import { perform, type Play } from './perform.ts';
import { PAYMENTS_AT_THE_END, PAYOUTS_AT_THE_END } from './rules.ts';
import type { Step } from './steps.ts';
import { requireTold } from './told.ts';

export interface Failure {
  seed: number;
  /** Those that led to it. */
  steps: Step[];
  error: Error;
  /** What the service had to say, in its last lines. */
  log: string[];
}

/** Plays the steps from the beginning, and looks after each whether everything holds. @returns null when it does */
export async function runSteps(arena: Arena, seed: number, steps: readonly Step[]): Promise<Failure | null> {
  await arena.reset(seed);
  const play: Play = { arena, invoices: [], payouts: [], conversions: [], lastPaid: null, unread: new Set() };
  const watch = newWatch();
  let done = 0;
  try {
    for (const step of steps) {
      done += 1;
      await perform(play, step);
      await requireTold(arena, watch, step.do === 'storm');
      if (step.lazy !== true) await work(play, watch);
      await requireRules(arena, watch, readChains(play));
    }
    await finish(play, watch);
    return null;
  } catch (error) {
    return { seed, steps: steps.slice(0, done), error: error instanceof Error ? error : new Error(String(error)), log: [...arena.log] };
  }
}

/** What the worker does, once, in its order. */
async function work(play: Play, watch: Watch): Promise<void> {
  const { arena, unread } = play;
  const { context, weather } = arena;
  for (const chain of unread) {
    if (weather.down.get(chain) === 'away') continue;
    await scanChain(context, chain);
    unread.delete(chain);
    await requireTold(arena, watch);
  }
  await expireInvoices(context);
  await ageTransactions(context);
  await processPayouts(context);
  await requireTold(arena, watch);
  await retryRiskChecks(context);
  await consolidateDeposits(context);
  await runRules(arena);
  await processConversions(context);
  await runPayoutRules(arena);
  await requireTold(arena, watch);
}

const readChains = ({ unread }: Play): ChainId[] => ARENA_CHAINS.filter((chain) => !unread.has(chain));

/** More than the payouts of a seed that wait for one another. */
const MOST_ROUNDS = 60;

/** Everything works again, all waits for its blocks, and time goes by. */
async function finish(play: Play, watch: Watch): Promise<void> {
  const { arena } = play;
  arena.weather.down.clear();
  Object.assign(arena.weather, FAIR);
  // What would go on for ever.
  await sql`update automatic_payout set is_enabled = false`.execute(arena.context.db);
  await sql`update automatic_rule set is_enabled = false`.execute(arena.context.db);
  for (const seconds of [4_000, 1_300_000]) await endRound(play, watch, seconds);
  const unpaid = await leftOpen(arena, PAYMENTS_AT_THE_END);
  if (unpaid) throw unpaid;
  // Payouts of one address go one after another, each waiting for a block: they have ended when nothing moves any more.
  for (let rounds = 1; ; rounds += 1) {
    const undecided = await leftOpen(arena, PAYOUTS_AT_THE_END);
    if (undecided === null) return;
    const before = watch.move;
    await endRound(play, watch, 0);
    if (watch.move === before || rounds === MOST_ROUNDS) throw undecided;
  }
}

/** The worker has its turn before twelve more blocks and after them. */
async function endRound(play: Play, watch: Watch, seconds: number): Promise<void> {
  const { arena } = play;
  arena.weather.now += seconds * 1000;
  for (const chain of ARENA_CHAINS) play.unread.add(chain);
  await work(play, watch);
  for (const chain of ARENA_CHAINS) {
    if (chain !== 'lightning') await arena.world.mine(chain, 12);
    play.unread.add(chain);
  }
  await work(play, watch);
  await requireRules(arena, watch, readChains(play));
}

/** Steps that can be taken out are; within so many tries. */
const SHRINK_TRIES = 150;

/** The fewest steps that still break the same rule, as far as taking out pieces finds them. */
export async function shrink(arena: Arena, failure: Failure): Promise<Failure> {
  let smallest = failure;
  let tries = SHRINK_TRIES;
  for (let size = Math.ceil(failure.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < smallest.steps.length && tries > 0;) {
      tries -= 1;
      const fewer = smallest.steps.filter((_, at) => at < from || at >= from + size);
      const again = await runSteps(arena, failure.seed, fewer);
      if (again !== null && ruleOf(again) === ruleOf(failure)) smallest = again;
      else from += size;
    }
  }
  return smallest;
}

const ruleOf = ({ error }: Failure): string => error.message.split(':', 1)[0] ?? '';

/** To be read by people, and to be put into `kept.ts`. */
export function describeFailure({ seed, steps, error, log }: Failure): string {
  const lines = steps.map((step) => `  ${JSON.stringify(step)},`).join('\n');
  return `seed ${seed}: ${error.message}\n${error.name === 'Broken' ? '' : `${error.stack}\n`}steps: [\n${lines}\n]\n${log.join('')}`;
}
