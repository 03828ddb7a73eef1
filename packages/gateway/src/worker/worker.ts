import { runAutomaticPayouts } from '../automation/payout/run.ts';
import { Deliverer } from '../callback/deliver.ts';
import { trimCallbacks } from '../callback/trim.ts';
import { checkBalances } from '../balance-check/run.ts';
import { isMovable } from '../sandbox/clock.ts';
import { mineDue } from '../sandbox/mine-due.ts';
import { watchLiquidity } from '../engine/liquidity.ts';
import { openLateChains } from '../engine/open-late.ts';
import { scanChain } from '../engine/scan.ts';
import { watchStandstill } from '../engine/standstill.ts';
import { traceWaitingBlocks } from '../engine/untraced/trace-later.ts';
import { watchSigner } from '../signer/client/watch.ts';
import { sweepDeposits } from '../sweep/sweep.ts';
import { consolidateCoins } from '../sweep/consolidate-coins.ts';
import type { Context } from '../context.ts';
import { processConversions } from '../conversion/process.ts';
import { runAutomaticRules } from '../automation/run-rules.ts';
import { endRequests } from '../settlement/end-requests.ts';
import { expireInvoices } from '../settlement/expire-invoices.ts';
import { registerService, unregisterService } from '../database/lease.ts';
import { createNoticeSender } from '../notice/send.ts';
import { payoutFunding } from '../payout/sending/conversion-funding.ts';
import { processPayouts } from '../payout/sending/process.ts';
import { approveDueRefunds } from '../refund/automatic.ts';
import { followRefunds } from '../refund/follow.ts';
import { retryRiskChecks } from '../risk/retry.ts';
import { markUnconfirmedTransactions } from '../settlement/mark-unconfirmed.ts';
import { watchAlarms } from './alarm.ts';
import { watchClock } from './clock.ts';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';

export interface Worker {
  /** Lets running work finish and releases claims that were not started. */
  stop(): Promise<void>;
}

const DELIVER_EVERY_MS = 200;
const MINE_EVERY_MS = 500;
const SECOND = 1_000;

/**
 * Starts all work that happens without a request. Any number of processes may run it on one
 * database.
 */
export function startWorker(context: Context): Worker {
  const { config, clock, log, chains } = context;
  const deliverer = new Deliverer(context).listen();
  const notices = createNoticeSender(context);
  const loops: Loop[] = [];
  const repeat = (
    name: string,
    everyMs: number,
    work: (signal: AbortSignal) => Promise<boolean | void>,
    onNews?: LoopOptions['onNews'],
  ): void => {
    loops.push(startLoop({ name, everyMs, log, onNews }, work));
  };
  // Marks the database as in use for commands that must not run beside a service
  // (cli/commands/copy-database.ts).
  const holder = context.ids.uuid();
  const running = startLoop({ name: 'running', everyMs: 5 * SECOND, log }, () =>
    registerService(context.db, holder),
  );
  // One process reads a chain at a time, under a lease (engine/scan.ts).
  for (const [chain, adapter] of chains)
    repeat(
      `scan ${chain}`,
      config.scanIntervalMs,
      (signal) => scanChain(context, chain, signal),
      adapter.onNews && ((wake) => adapter.onNews!(wake)),
    );
  repeat('open chains', 5 * SECOND, () => openLateChains(context));
  repeat('balances', 10 * SECOND, (signal) => checkBalances(context, signal));
  repeat('late traces', 10 * SECOND, (signal) => traceWaitingBlocks(context, signal));
  repeat('liquidity', 30 * SECOND, () => watchLiquidity(context));
  repeat('standstill', 5 * SECOND, watchStandstill(context));
  repeat('signer', 5 * SECOND, watchSigner(context));
  repeat('expire', SECOND, async () => void (await expireInvoices(context)));
  repeat('requests', SECOND, () => endRequests(context));
  repeat('payouts', config.scanIntervalMs, (signal) => processPayouts(context, signal));
  repeat('refunds', SECOND, async () => {
    await followRefunds(context);
    await approveDueRefunds(context);
  });
  repeat('automation', 10 * SECOND, (signal) => runAutomaticRules(context, signal));
  repeat('conversions', SECOND, (signal) =>
    processConversions(context, { signal, payoutFunding: payoutFunding(context) }),
  );
  repeat('automatic payouts', 5 * SECOND, (signal) => runAutomaticPayouts(context, signal));
  repeat('risk', 5 * SECOND, async () => (await retryRiskChecks(context)) > 0);
  repeat('sweeps', 5 * SECOND, (signal) => sweepDeposits(context, signal));
  repeat('consolidate coins', 60 * SECOND, (signal) => consolidateCoins(context, signal));
  repeat('age', 10 * SECOND, async () => void (await markUnconfirmedTransactions(context)));
  repeat('deliver', DELIVER_EVERY_MS, async () => (await deliverer.begin()) > 0);
  if (notices) repeat('notices', 2 * SECOND, (signal) => notices.sendDue(signal));
  repeat('alarm', 5 * SECOND, watchAlarms(context));
  repeat('clock difference', 60 * SECOND, watchClock(context));
  repeat('trim', 60 * SECOND, () => trimCallbacks(context));
  if (config.sandboxBlockSeconds > 0)
    repeat('mine', MINE_EVERY_MS, async () => void (await mineDue(context)));
  if (isMovable(clock)) repeat('clock', SECOND, () => clock.read());
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await deliverer.stop();
      notices?.close();
      await running.stop();
      // When the database is lost, the mark expires by itself.
      await unregisterService(context.db, holder).catch(() => {});
    },
  };
}
