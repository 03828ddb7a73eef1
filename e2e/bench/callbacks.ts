import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Line } from './line.ts';

/** Callbacks from the outbox to a receiver on this machine; measured by the gateway's own bench. */
export async function callbacks(): Promise<Line[]> {
  const script = fileURLToPath(
    new URL('../../packages/gateway/bench/callbacks.ts', import.meta.url),
  );
  const run = spawnSync(process.execPath, ['--conditions=source', '--import', 'tsx', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) throw new Error('the bench of callbacks failed');
  const figures = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '') as Record<
    | 'perSecond'
    | 'least'
    | 'most'
    | 'cpuOfEach'
    | 'median'
    | 'p99'
    | 'slowest'
    | 'commits'
    | 'notOnce',
    number
  >;
  if (figures.notOnce > 0)
    throw new Error(`${figures.notOnce} callbacks were not delivered exactly once`);
  return [
    {
      what: 'callbacks delivered to a local receiver',
      value: figures.perSecond,
      digits: 0,
      unit: '/s',
      atLeast: 1_000,
      detail: `${figures.least.toFixed(0)} to ${figures.most.toFixed(0)}, ${figures.cpuOfEach.toFixed(0)} µs of CPU each`,
    },
    {
      what: 'callbacks, p99 from commit to first attempt',
      value: figures.p99,
      digits: 0,
      unit: 'ms',
      atMost: 250,
      detail: `median ${figures.median.toFixed(0)}, slowest ${figures.slowest.toFixed(0)}, at ${figures.commits} commits a second`,
    },
  ];
}
