import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRemoteSigner } from './remote-signer.ts';

const NOBODY = 65_534;
const folder = mkdtempSync(join(tmpdir(), 'signer-socket-'));
const socket = join(folder, 'signer.sock');
const server = createServer((_request, response) => response.end());

beforeAll(async () => {
  chmodSync(folder, 0o755);
  await once(server.listen(socket), 'listening');
  chmodSync(socket, 0o000);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it('names the group when the socket is closed to this user', async () => {
  const user = process.geteuid!();
  // Nothing is closed to root.
  if (user === 0) process.seteuid!(NOBODY);
  try {
    const signer = createRemoteSigner({ socket, approvalOf: async () => null });
    expect(await signer.problem!()).toBe(
      'the socket is closed to this user, which must be in its group',
    );
  } finally {
    process.seteuid!(user);
  }
});
