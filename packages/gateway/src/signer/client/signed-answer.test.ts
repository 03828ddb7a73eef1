import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { createSigner } from '@crypto-checkout/chains/signer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { words } from '../../../test/support/ethereum.ts';
import { evmPayout } from '../../../test/support/signer-requests.ts';
import { createRemoteSigner } from './remote-signer.ts';

let folder: string;
let server: Server;
let answer: { status: number; text: string };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signer-'));
  server = createServer((_, response) => response.writeHead(answer.status).end(answer.text));
  await new Promise<void>((resolve) => server.listen(join(folder, 'signer.sock'), resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const local = createSigner(mnemonicToSeedSync(words));
const own = evmPayout('a', '1');
const ask = () =>
  createRemoteSigner({ socket: join(folder, 'signer.sock'), approvalOf: async () => null }).sign(
    own,
  );

it('an answer is used when it is the plan with its signature', async () => {
  const signed = await local.sign(own);
  answer = { status: 200, text: JSON.stringify(signed) };
  expect(await ask()).toEqual(signed);
});

it('an answer that signs another plan is none', async () => {
  const other = await local.sign(evmPayout('a', '2'));
  answer = { status: 200, text: JSON.stringify(other) };
  await expect(ask()).rejects.toMatchObject({
    name: 'UnavailableError',
    message: 'The signer did not answer with the signed plan',
  });
});

it.each([200, 403, 502])('a page of another server with status %i is no answer', async (status) => {
  answer = { status, text: '<html>Forbidden</html>' };
  await expect(ask()).rejects.toMatchObject({
    name: 'UnavailableError',
    message: 'The signer did not answer with the signed plan',
  });
});

it('a refusal is one sentence, and the plan is given up', async () => {
  answer = { status: 403, text: JSON.stringify({ reason: 'it is beyond the policy' }) };
  await expect(ask()).rejects.toMatchObject({
    name: 'SigningRefusedError',
    message: 'it is beyond the policy',
  });
});
