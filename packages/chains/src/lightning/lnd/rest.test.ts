import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createCertificate } from '../../../test/support/lightning/certificate.ts';
import {
  startHttpsServer,
  type HttpsServer,
} from '../../../test/support/lightning/https-server.ts';
import { createLndRest } from './rest.ts';

const SECRET = '0201036c6e64';
let folder: string;
let server: HttpsServer;
let answer: { status: number; content: unknown };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lnd-rest-'));
  const certificate = createCertificate(new Date('2020-01-01'), new Date('2049-01-01'));
  server = await startHttpsServer(certificate, (_, response) => {
    response.writeHead(answer.status).end(JSON.stringify(answer.content));
  });
  writeFileSync(join(folder, 'tls.cert'), server.certificate());
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const said = () => `${SECRET} for ${server.url}`;

it.each([
  ['an error', () => ({ status: 500, content: { code: 2, message: said() } })],
  ['another answer', () => ({ status: 200, content: { [said()]: 1 } })],
])('a macaroon that the node repeats in %s is in no message', async (_, given) => {
  answer = given();
  const rest = createLndRest({
    url: server.url,
    certificateFile: join(folder, 'tls.cert'),
    macaroon: { hex: SECRET, permissions: null },
  });
  const call = { path: '/v1/getinfo', answer: z.strictObject({}) };
  const error = await rest.call(call).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(Error);
  const text = inspect(error, { depth: 10, showHidden: true });
  expect(text).toContain('… for https://…');
  for (const secret of [SECRET, server.url]) expect(text).not.toContain(secret);
});
