import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Bff } from '../bff.ts';

export interface Listening {
  port: number;
  /** Ends open connections and resolves when the port is free. */
  close(): Promise<void>;
}

/** Long enough for a slow phone, short enough that idle sockets don't pile up. */
const HEADERS_MS = 20_000;
const REQUEST_MS = 30_000;

/** Serves the BFF on a port; rejects when the port is taken. */
export async function listen(bff: Bff, { port, host }: { port: number; host: string }): Promise<Listening> {
  const answer = getRequestListener((request, env) => bff.fetch(request, env));
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: 65_000, noDelay: true },
    (incoming, outgoing) => {
      const quick = bff.quickly(incoming);
      if (quick) outgoing.writeHead(200, quick.headers).end(quick.body);
      else void answer(incoming, outgoing);
    },
  );
  return opened(server, port, host);
}

/** A port that is free now: where it stands in addresses, it has to be known before anything listens. */
export async function freePort(host: string): Promise<number> {
  const probe = await opened(createServer(), 0, host);
  await probe.close();
  return probe.port;
}

/** `/metrics`, for the machine itself only. */
export async function listenForMetrics(read: () => string, port: number): Promise<Listening> {
  const server = createServer((request, response) => {
    const found = request.method === 'GET' && request.url === '/metrics';
    response.writeHead(found ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(found ? read() : '');
  });
  return opened(server, port, '127.0.0.1');
}

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
