import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { renderMetrics, serveMetrics } from '../http/monitoring/metrics.ts';
import { testClock, testContext, type TestContext } from '../../test/support/context.ts';
import { watchAlarms } from './alarm.ts';
import { startWorker } from './worker.ts';

let context: TestContext;
afterEach(() => context.close());

const lines: string[] = [];
const log = pino(
  { level: 'warn' },
  new Writable({ write: (chunk, _, done) => (lines.push(String(chunk)), done()) }),
);

it('the worker reads every chain and stops in order', async () => {
  context = await testContext({
    config: loadConfig({ SCAN_INTERVAL_MS: '20', SANDBOX_BLOCK_SECONDS: '1' }),
    // The worker compares it with the database's.
    clock: testClock(Date.now()),
    log,
  });
  lines.length = 0;
  const worker = startWorker(context);
  const read = async () =>
    (await context.db.selectFrom('chain_cursor').select('chain').execute()).length;
  await expect.poll(read).toBe(context.chains.size);
  await worker.stop();
  expect(lines).toEqual([]);
});

it('an alarm is logged once, by any process and after a restart, and open ones are counted', async () => {
  context = await testContext({ log });
  lines.length = 0;
  const raise = (reason: string) =>
    context.db
      .insertInto('alarm')
      .values({ id: context.ids.uuid(), reason, raised_at: '2026-11-21T06:00:00.000000+00:00' })
      .execute();
  const before = watchAlarms(context);
  await raise('old');
  await before();
  // Raised when the process stopped.
  await raise('deep reorganisation');
  const [watch, other] = [watchAlarms(context), watchAlarms(context)];
  await watch();
  await Promise.all([watch(), other()]);
  const words = lines.map((line) => {
    const { event, alarms, alarm } = JSON.parse(line) as Record<string, unknown>;
    return [event, alarms ?? (alarm as { reason: string }).reason];
  });
  expect(words).toEqual([
    ['alarms_open', 1],
    ['alarm_raised', 'old'],
    ['alarms_open', 2],
    ['alarm_raised', 'deep reorganisation'],
    ['alarms_open', 2],
  ]);
});

it('metrics are served on their own loopback port', async () => {
  context = await testContext();
  const text = await renderMetrics(context);
  expect(text).toContain(
    '# TYPE crypto_checkout_chain_up gauge\ncrypto_checkout_chain_up{chain="bitcoin"} 1\n',
  );
  expect(text).toContain('crypto_checkout_alarms 0\n');
  // A rule about their growth needs them before the first one.
  expect(text).toContain('crypto_checkout_callbacks{state="failed"} 0\n');
  expect(text).toContain('crypto_checkout_waiting_payouts{status="draft"} 0\n');
  expect(await serveMetrics(context)).toBeNull();
  const port = await freePort();
  const server = await serveMetrics({
    ...context,
    config: { ...context.config, metricsPort: port },
  });
  const statusFor = async (host: string): Promise<number | undefined> => {
    const [answer] = (await once(
      get({ port, host: '127.0.0.1', path: '/metrics', headers: { host } }),
      'response',
    )) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  expect(await statusFor(`localhost:${port}`)).toBe(200);
  expect(await statusFor(`127.0.0.1:${port}`)).toBe(200);
  // A page of another site can let its own name point here.
  expect(await statusFor('evil.example')).toBe(403);
  server?.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
