import { runAutomaticPayouts } from '../automatic-payout/run.ts';
import { Deliverer } from '../callback/deliver.ts';
import { isMovable } from '../chain/sandbox/clock.ts';
import { mineDue } from '../chain/sandbox/mine-due.ts';
import { scanChain } from '../chain/scan.ts';
import { consolidateDeposits } from '../consolidation/consolidate.ts';
import type { Context } from '../context.ts';
import { processConversions } from '../conversion/process.ts';
import { automate } from '../exchange/automate.ts';
import { expireInvoices } from '../invoice/expire.ts';
import { sayRunning, sayStopped } from '../database/lease.ts';
import { createNoticeSender } from '../notice/send.ts';
import { processPayouts } from '../payout/process.ts';
import { retryRiskChecks } from '../risk/retry.ts';
import { ageTransactions } from '../transaction/age.ts';
import { watchAlarms } from './alarm.ts';
import { type Loop, startLoop } from './loop.ts';

export interface Worker {
  /** Lets what is under way finish; what was claimed and not begun is given back. */
  stop(): Promise<void>;
}

const DELIVER_EVERY_MS = 200;
const MINE_EVERY_MS = 500;
const SECOND = 1_000;

/** Everything that happens without a request. Any number of processes may run it on one database. */
export function startWorker(context: Context): Worker {
  const { config, clock, log, chains } = context;
  const deliverer = new Deliverer(context).listen();
  const notices = createNoticeSender(context);
  const loops: Loop[] = [];
  const repeat = (name: string, everyMs: number, work: (signal: AbortSignal) => Promise<boolean | void>): void => {
    loops.push(startLoop({ name, everyMs, log }, work));
  };
  // For whoever must not work beside a service (database/copy.ts).
  const holder = context.ids.uuid();
  const running = startLoop({ name: 'running', everyMs: 5 * SECOND, log }, () => sayRunning(context.db, holder));
  // One process reads a chain at a time, under a lease (chain/scan.ts).
  for (const chain of chains.keys()) repeat(`scan ${chain}`, config.scanIntervalMs, (signal) => scanChain(context, chain, signal));
  repeat('expire', SECOND, async () => void (await expireInvoices(context)));
  repeat('payouts', config.scanIntervalMs, (signal) => processPayouts(context, signal));
  repeat('automation', 10 * SECOND, (signal) => automate(context, signal));
  repeat('conversions', SECOND, (signal) => processConversions(context, { signal }));
  repeat('automatic payouts', 5 * SECOND, (signal) => runAutomaticPayouts(context, signal));
  repeat('risk', 5 * SECOND, async () => (await retryRiskChecks(context)) > 0);
  repeat('consolidate', 5 * SECOND, (signal) => consolidateDeposits(context, signal));
  repeat('age', 10 * SECOND, async () => void (await ageTransactions(context)));
  repeat('deliver', DELIVER_EVERY_MS, async () => (await deliverer.begin()) > 0);
  if (notices) repeat('notices', 2 * SECOND, (signal) => notices.sendDue(signal));
  repeat('alarm', 5 * SECOND, watchAlarms(context));
  if (config.sandboxBlockSeconds > 0) repeat('mine', MINE_EVERY_MS, async () => void (await mineDue(context)));
  if (isMovable(clock)) repeat('clock', SECOND, () => clock.read());
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await deliverer.stop();
      notices?.close();
      await running.stop();
      // It is over soon by itself, where the database is away.
      await sayStopped(context.db, holder).catch(() => {});
    },
  };
}
