import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Bff } from '../app.ts';
import { Drain } from './drain.ts';

export interface Listening {
  port: number;
  /** Refuses new connections and finishes open requests, for at most 10 s. */
  close(): Promise<void>;
}

export interface ServeOptions {
  /** Longest wait for open requests when the server stops, in milliseconds. Default 10,000. */
  drainMs?: number;
}

/** Limit for the headers of a request: slow phones need time, idle sockets must not pile up. */
const HEADERS_MS = 20_000;
const REQUEST_MS = 30_000;

/** Serves the BFF on a port; rejects when the port is in use. */
export async function listen(
  bff: Bff,
  address: { port: number; host: string },
  options: ServeOptions = {},
): Promise<Listening> {
  return (await reserve(address, options)).serve(bff);
}

/**
 * Reserves a port before anything is served: URLs created at startup contain it. Until then all
 * requests get 503 with `Retry-After`.
 */
export async function reserve(
  { port, host }: { port: number; host: string },
  options: ServeOptions = {},
): Promise<{ port: number; serve(bff: Bff): Listening }> {
  let answer: RequestListener = (_, outgoing) =>
    void outgoing.writeHead(503, { 'retry-after': '1' }).end();
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: 65_000,
      noDelay: true,
    },
    (incoming, outgoing) => answer(incoming, outgoing),
  );
  const drain = new Drain(server);
  const listening = await opened(server, port, host);
  return {
    port: listening.port,
    serve(bff) {
      const slowly = getRequestListener((request, env) => bff.fetch(request, env));
      answer = (incoming, outgoing) => {
        leaveOutKeepAlive(incoming, outgoing);
        const quick = drain.isDraining ? null : bff.quickly(incoming);
        if (quick) outgoing.writeHead(200, quick.headers).end(quick.body);
        else {
          drain.track(outgoing);
          void slowly(incoming, outgoing);
        }
      };
      return {
        port: listening.port,
        close: () => {
          const closed = drain.stop(options.drainMs);
          // Browsers reconnect, to the next process.
          bff.endStreams();
          return closed;
        },
      };
    },
  };
}

/** HTTP/1.1 keeps a connection open without headers that say so (RFC 9112, section 9.3). */
function leaveOutKeepAlive({ httpVersion }: IncomingMessage, outgoing: ServerResponse): void {
  if (httpVersion === '1.1' && outgoing.shouldKeepAlive) outgoing.removeHeader('connection');
}

/** Serves `/metrics` on the loopback interface only. */
export async function listenForMetrics(read: () => string, port: number): Promise<Listening> {
  const server = createServer((request, response) => {
    if (!isLoopbackHost(request.headers.host)) {
      response.writeHead(403).end();
      return;
    }
    const found = request.method === 'GET' && request.url === '/metrics';
    response.writeHead(found ? 200 : 404, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    });
    response.end(found ? read() : '');
  });
  return opened(server, port, '127.0.0.1');
}

/** Refuses DNS rebinding: a page whose name points to loopback sends another `Host`. */
const isLoopbackHost = (host = ''): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host);

async function opened(server: Server, port: number, host: string): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
