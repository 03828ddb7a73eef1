import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { renderMetrics, serveMetrics } from '../http/metrics.ts';
import { testContext, type TestContext } from '../test-context.ts';
import { watchAlarms } from './alarm.ts';
import { startWorker } from './worker.ts';

let context: TestContext;
afterEach(() => context.close());

const lines: string[] = [];
const log = pino({ level: 'warn' }, new Writable({ write: (chunk, _, done) => (lines.push(String(chunk)), done()) }));

it('the worker reads every chain and stops in order', async () => {
  context = await testContext({ config: loadConfig({ SCAN_INTERVAL_MS: '20', SANDBOX_BLOCK_SECONDS: '1' }), log });
  lines.length = 0;
  const worker = startWorker(context);
  const read = async () => (await context.db.selectFrom('chain_cursor').select('chain').execute()).length;
  await expect.poll(read, { timeout: 15_000 }).toBe(context.chains.size);
  await worker.stop();
  expect(lines).toEqual([]);
});

it('an alarm is told once, and those from before are counted', async () => {
  context = await testContext({ log });
  lines.length = 0;
  const raise = (reason: string) =>
    context.db.insertInto('alarm').values({ id: context.ids.uuid(), reason, raised_at: '2026-11-21T06:00:00.000000+00:00' }).execute();
  await raise('old');
  const watch = watchAlarms(context);
  await watch();
  await watch();
  await raise('deep reorganisation');
  await watch();
  await watch();
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('"alarms":1');
  expect(lines[1]).toContain('deep reorganisation');
});

it('figures are served on a loopback port of their own', async () => {
  context = await testContext();
  const text = await renderMetrics(context);
  expect(text).toContain('# TYPE crypto_checkout_chain_up gauge\ncrypto_checkout_chain_up{chain="bitcoin"} 1\n');
  expect(text).toContain('crypto_checkout_alarms 0\n');
  expect(await serveMetrics(context)).toBeNull();
});
