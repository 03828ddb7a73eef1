import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { ConfigError } from '@crypto-checkout/chains/error';
import { createSigner, SigningRefusedError } from '@crypto-checkout/chains/signer';
import { z } from 'zod';
import type { Logger } from 'pino';
import { approval } from './approval.ts';
import { isLightningRequest, refused, type SignerState, type SigningRequest } from './request.ts';
import { createPaying, NO_NODE, type PayLightning } from './paying.ts';
import { decide } from './rules.ts';
import { bitcoinTransaction, evmTransaction, lightningTransaction } from './unsigned-file.ts';

/** Inputs of chains without segwit bring their previous transactions. */
const MAX_BODY = 8 * 1024 * 1024;
/** Ids whose last refusal is kept. */
const MAX_REFUSALS = 10_000;

const approved = { approval: approval.nullable() };
const signRequest = z.union([
  evmTransaction.extend(approved),
  bitcoinTransaction.extend(approved),
  lightningTransaction.extend(approved),
]);

export interface SignerOptions {
  seed: Uint8Array;
  state: Omit<SignerState, 'now'>;
  /** Absent without a lightning node. */
  payLightning?: PayLightning | undefined;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  now?: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Answers `GET /health`, `POST /sign` and `POST /pay`. A request is decided, logged on the disk and
 * signed one after another, without a pause in which another could be decided. A lightning payment
 * has no signature: it is decided by `/sign`, and `/pay` sends nothing that is not in the log.
 */
export function createSignerServer({
  seed,
  state,
  payLightning,
  now = Date.now,
  log,
}: SignerOptions): Server {
  const signer = createSigner(seed);
  /** The last refusal of each id: the service asks again every second, and one line is enough. */
  const refusals = new Map<string, string>();

  function logRefusal({ id, purpose, chain }: SigningRequest, reason: string): void {
    if (refusals.get(id) === reason) return;
    if (refusals.size >= MAX_REFUSALS) refusals.clear();
    refusals.set(id, reason);
    log.warn({ event: 'signing_refused', id, purpose, chain, reason }, 'refused');
  }

  async function sign(request: SigningRequest): Promise<unknown> {
    if (isLightningRequest(request) && payLightning === undefined) throw refused(NO_NODE);
    const entry = decide(request, { ...state, now: now() });
    // Before the signature: a signature that is not in the log would not count.
    if (entry !== null) state.log.append(entry);
    return signer.sign(request);
  }

  const answerPay = createPaying({ state, payLightning, log });

  async function answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    if (request.method === 'GET' && request.url === '/health') return [200, { ok: true }];
    if (request.method === 'POST' && request.url === '/pay')
      return answerPay(parse(await bodyOf(request)));
    if (request.method !== 'POST' || request.url !== '/sign') return [404, { reason: 'not found' }];
    const wanted = signRequest.safeParse(parse(await bodyOf(request)));
    if (!wanted.success) return [400, { reason: z.prettifyError(wanted.error) }];
    const { id, purpose, chain } = wanted.data;
    try {
      const signed = await sign(wanted.data);
      refusals.delete(id);
      log.info({ event: 'signed', id, purpose, chain }, 'signed');
      return [200, signed];
    } catch (error) {
      if (!(error instanceof SigningRefusedError)) throw error;
      logRefusal(wanted.data, error.message);
      return [403, { reason: error.message }];
    }
  }

  return createServer((request, response) => {
    answer(request).then(
      ([status, body]) => respond(response, status, body),
      (error: unknown) => {
        log.error({ event: 'signing_failed', err: error }, 'signing failed');
        respond(response, 500, { reason: 'The signer failed' });
      },
    );
  });
}

/**
 * Listens on a Unix socket that the signer's user and group may use.
 * @throws ConfigError when another signer listens there, or its folder is missing or closed
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (!existsSync(dirname(path))) throw cannotListen(path, 'its folder does not exist');
  if (existsSync(path)) {
    if (await answers(path)) throw new ConfigError(`Another signer listens on ${path}.`);
    rmSync(path);
  }
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(cannotListen(path, error.message)));
      server.listen(path, resolve);
    });
  } finally {
    process.umask(before);
  }
  chmodSync(path, 0o660);
}

const cannotListen = (path: string, reason: string): ConfigError =>
  new ConfigError(`The signer cannot listen on ${path}: ${reason}.`);

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
