import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { pino } from 'pino';
import { ensureFirstStart, type FirstStart } from '../src/account/first-start.ts';
import { Deliverer } from '../src/callback/deliver.ts';
import { queueCallbacks } from '../src/callback/queue.ts';
import { createContext } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { transact } from '../src/database/transact.ts';
import { startLoop } from '../src/worker/loop.ts';

/**
 * Measures two things: callbacks per second from a backlog to a local receiver, and the delay from
 * commit to first attempt at a steady rate of commits with one callback each. Prints one line of
 * JSON.
 */
const BACKLOG = 10_000;
const ROUNDS = 3;
/** Commits per second and duration of the steady load. */
const PER_SECOND = 300;
const SECONDS = 5;
const WARM_UP = 2_000;
/** CPU time of this process per callback of a backlog, in microseconds. */
const cpuOfEach: number[] = [];

const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-'));
const receiver = fork(fileURLToPath(new URL('receiver.ts', import.meta.url)), {
  execArgv: ['--import', 'tsx'],
});
const { port } = await answer<{ port: number }>(receiver);
const config = loadConfig({
  DATA_DIR: dataDir,
  GATEWAY_PORT: '0',
  CALLBACK_URL: `http://127.0.0.1:${port}/callbacks`,
  OUTBOUND_ALLOW: `127.0.0.1/32:${port}`,
  LOG_LEVEL: 'silent',
});
const { context, close } = await createContext(config, pino({ level: 'silent' }));
try {
  const account = await ensureFirstStart(context);
  await backlog(account, WARM_UP);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rates.push(await backlog(account, BACKLOG));
  const delays = await steadyDelays(account);
  const at = (part: number): number =>
    delays[Math.min(delays.length - 1, Math.floor(delays.length * part))] ?? Number.NaN;
  const perSecond = rates.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  const retried = await sql<{
    count: number;
  }>`select count(*) as count from callback where attempts <> 1 or state <> 'delivered'`.execute(
    context.db,
  );
  console.log(
    JSON.stringify({
      perSecond,
      least: Math.min(...rates),
      most: Math.max(...rates),
      median: at(0.5),
      p99: at(0.99),
      slowest: delays.at(-1),
      commits: PER_SECOND,
      cpuOfEach: cpuOfEach.toSorted((a, b) => a - b)[0],
      notOnce: retried.rows[0]?.count,
    }),
  );
} finally {
  receiver.kill();
  await close();
  rmSync(dataDir, { recursive: true, force: true });
}

function worker(): { stop(): Promise<void> } {
  const deliverer = new Deliverer(context).listen();
  const loop = startLoop(
    { name: 'deliver', everyMs: 200, log: context.log },
    async () => (await deliverer.begin()) > 0,
  );
  return {
    async stop() {
      await loop.stop();
      await deliverer.stop();
    },
  };
}

/** @returns delivered callbacks per second */
async function backlog(account: FirstStart, count: number): Promise<number> {
  for (let queued = 0; queued < count; queued += 1_000)
    await transact(context.db, (trx) =>
      queueCallbacks(
        trx,
        context,
        Array.from({ length: 1_000 }, () => newEvent(account)),
      ),
    );
  const before = await received();
  const began = performance.now();
  const cpu = process.cpuUsage();
  const running = worker();
  while ((await received()) < before + count) await pause(5);
  const seconds = (performance.now() - began) / 1000;
  await running.stop();
  const { user, system } = process.cpuUsage(cpu);
  cpuOfEach.push((user + system) / count);
  return count / seconds;
}

/** @returns milliseconds from commit to arrival, sorted */
async function steadyDelays(account: FirstStart): Promise<number[]> {
  const running = worker();
  const committed = new Map<string, number>();
  const began = performance.now();
  const committing = new Set<Promise<void>>();
  const commit = async (): Promise<void> => {
    const event = newEvent(account);
    await transact(context.db, (trx) => queueCallbacks(trx, context, [event]));
    committed.set(event.id, performance.timeOrigin + performance.now());
  };
  for (let turn = 0; turn < PER_SECOND * SECONDS; turn += 1) {
    const due = began + (turn * 1000) / PER_SECOND;
    if (due > performance.now()) await pause(due - performance.now());
    while (committing.size >= 8) await Promise.race(committing);
    const work: Promise<void> = commit().finally(() => committing.delete(work));
    committing.add(work);
  }
  await Promise.all(committing);
  while ((await waiting(context)) > 0) await pause(20);
  await running.stop();
  const resources = await resourceOf(context);
  const { times } = await ask<{ times: [string, number][] }>('times');
  return times
    .flatMap(([id, time]) =>
      committed.has(resources.get(id) ?? '') ? [time - committed.get(resources.get(id)!)!] : [],
    )
    .toSorted((a, b) => a - b);
}

/** A body as large as an invoice. */
function newEvent({ account_id: accountId, profile_id: profileId }: FirstStart) {
  return {
    accountId,
    profileId,
    id: randomUUID(),
    event: 'invoice_pending' as const,
    shown: { id: 'x', filling: 'x'.repeat(700) },
  };
}

async function waiting({ db }: Context): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from callback where state = 'pending'`.execute(db);
  return rows[0]?.count ?? 0;
}

async function resourceOf({ db }: Context): Promise<Map<string, string>> {
  const { rows } = await sql<{
    id: string;
    resource_id: string;
  }>`select id, resource_id from callback`.execute(db);
  return new Map(rows.map(({ id, resource_id }) => [id, resource_id]));
}

async function received(): Promise<number> {
  return (await ask<{ count: number }>('count')).count;
}

function ask<T>(question: 'count' | 'times'): Promise<T> {
  receiver.send(question);
  return answer<T>(receiver);
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T];
  return message;
}
