import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Line } from './line.ts';

/**
 * Invoice creation through the service against the same SQL from a bare script; measured by the
 * gateway's benchmark.
 */
export async function invoiceCreation(): Promise<Line[]> {
  const script = fileURLToPath(
    new URL('../../packages/gateway/bench/invoice-creation.ts', import.meta.url),
  );
  const run = spawnSync(process.execPath, ['--conditions=source', '--import', 'tsx', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) throw new Error('the bench of invoice creation failed');
  const figures = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '') as {
    ratio: number;
    least: number;
    most: number;
    service: number;
    bare: number;
    statements: number;
  };
  const detail = `${figures.service.toFixed(0)} against ${figures.bare.toFixed(0)} a second, ${figures.statements} statements each, ${figures.least.toFixed(2)} to ${figures.most.toFixed(2)}`;
  return [
    {
      what: 'invoice creation, rate against the same SQL alone',
      value: figures.ratio,
      unit: '×',
      atLeast: 0.4,
      detail,
    },
  ];
}
