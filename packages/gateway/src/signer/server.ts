import { constants } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { createSigner, SigningRefusedError } from '@crypto-checkout/chains/signer';
import { z } from 'zod';
import type { Logger } from 'pino';
import { approval } from './approval.ts';
import { isLightningRequest, refused, type SignerState, type SigningRequest } from './request.ts';
import { createPaying, NO_NODE, type PayLightning } from './paying.ts';
import { decide } from './rules.ts';
import { TLS_VERSION, tlsProblem, type TlsIdentity } from './tls.ts';
import { bitcoinTransaction, evmTransaction, lightningTransaction } from './unsigned-file.ts';

/** Inputs of chains without segwit bring their previous transactions. */
const MAX_BODY = 8 * 1024 * 1024;
/** Ids whose last refusal is kept. */
const MAX_REFUSALS = 10_000;
const HANDSHAKE_MS = 10_000;
const MAX_CONNECTIONS = 100;
/** Of one reason: everybody in the network can try. */
const LOG_EVERY_MS = 60_000;

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
  /** Accepts clients with a certificate alone. Default: null, for a Unix socket. */
  tls?: TlsIdentity | null;
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
  tls = null,
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

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request).then(
      ([status, body]) => respond(response, status, body),
      (error: unknown) => {
        log.error({ event: 'signing_failed', err: error }, 'signing failed');
        respond(response, 500, { reason: 'The signer failed' });
      },
    );
  };
  return tls === null ? createServer(listener) : requireCertificates(tls, listener, log);
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers clients with an accepted certificate, and logs why it refuses others. */
function requireCertificates(
  tls: TlsIdentity,
  listener: Listener,
  log: SignerOptions['log'],
): Server {
  const server = createTlsServer(
    {
      ...tls,
      minVersion: TLS_VERSION,
      requestCert: true,
      rejectUnauthorized: true,
      // A resumed session would prove its certificate once for its whole life.
      secureOptions: constants.SSL_OP_NO_TICKET,
      handshakeTimeout: HANDSHAKE_MS,
    },
    (request, response) => {
      const { socket } = request;
      if (socket instanceof TLSSocket && socket.authorized) return listener(request, response);
      socket.destroy();
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  const lastLogged = new Map<string, number>();
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    // Null where the certificate was not looked at; its type does not say so.
    const code = (socket.authorizationError as unknown as string | null) ?? error.code ?? 'unknown';
    const now = performance.now();
    if (now - (lastLogged.get(code) ?? -Infinity) < LOG_EVERY_MS) return;
    lastLogged.set(code, now);
    const reason = `A client was refused: ${tlsProblem(code)}`;
    log.warn({ event: 'client_refused', address: socket.remoteAddress, code }, reason);
  });
  return server;
}

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
