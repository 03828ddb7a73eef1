import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createPostgresStore } from './postgres.ts';
import { StoreError } from './store.ts';

it('a database that cannot be reached is tried again, then named with its setting and cause', async () => {
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const open = (databaseUrl: string): Promise<unknown> =>
    createPostgresStore({ databaseUrl, namespace: 'shop', attempts: 2 }).catch(
      (error: unknown) => error,
    );
  const lost = await open(`postgres://shop:secret@127.0.0.1:${port}/checkouts`);
  expect(lost).toBeInstanceOf(StoreError);
  expect((lost as Error).message).toMatch(/^The database of DATABASE_URL can't be reached: .+\.$/);
  // The driver asks once more without encryption, each time.
  expect(tries).toBeGreaterThan(2);
  await new Promise((done) => server.close(done));

  expect(await open(`postgres://shop:secret@127.0.0.1:${port}/checkouts`)).toEqual(
    new StoreError(
      `The database of DATABASE_URL can't be reached: connect ECONNREFUSED 127.0.0.1:${port}.`,
    ),
  );
  expect(await open('postgres://shop:p@ss.invalid/checkouts')).toEqual(
    new StoreError(
      "The database of DATABASE_URL can't be reached: getaddrinfo ENOTFOUND ss.invalid; in its password, @, / and # must be percent-encoded.",
    ),
  );
});
