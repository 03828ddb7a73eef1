import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Server, until, type Credentials } from '../support/stack.ts';

/** Port 0 takes a free one. */
const ANY_PORTS = { PORT: '0', GATEWAY_PORT: '0', SHOP_PORT: '0', METRICS_PORT: '0' };

let folder: string;
const started: Server[] = [];
test.beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'cc-start-'))));
test.afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.end()));
  rmSync(folder, { recursive: true, force: true });
});

/** `npm start` on the folder. */
function npmStart(): Server {
  const server = new Server('start', { ...ANY_PORTS, DATA_DIR: folder });
  started.push(server);
  return server;
}

const credentials = (): Credentials =>
  JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')) as Credentials;
const answers = async (): Promise<boolean> => {
  const { gateway_url, public_url } = credentials();
  const urls = [`${gateway_url}/readyz`, `${public_url}/readyz`];
  return (await Promise.all(urls.map((url) => fetch(url)))).every(({ ok }) => ok);
};
const isReady = (first: Server): Promise<boolean> =>
  until(
    'npm start to be ready',
    () => {
      if (!first.running) throw new Error(first.output);
      return answers();
    },
    120_000,
  );

test('a second npm start on a folder ends with one sentence, and the first goes on', async () => {
  test.setTimeout(240_000);
  const first = npmStart();
  await isReady(first);
  const before = credentials();
  const second = npmStart();
  await until('the second to end', () => !second.running, 60_000);
  expect(second.process.exitCode).toBe(1);
  expect(second.output.trim()).toBe(
    `Another npm start uses ${folder}: stop it, or set another DATA_DIR.`,
  );
  // Its end stops neither the servers nor the database of the first.
  expect(await answers()).toBe(true);
  expect(credentials()).toEqual(before);
  expect(first.running).toBe(true);
  // The folder is free again.
  await first.end();
  const third = npmStart();
  await isReady(third);
});
