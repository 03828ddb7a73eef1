import { createServer, type RequestListener, type Server } from 'node:http';
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
export async function listen(bff: Bff, address: { port: number; host: string }): Promise<Listening> {
  return (await reserve(address)).serve(bff);
}

/** A port that is ours before anything is served on it: addresses that are made at start name it. Until then everybody is asked to come again. */
export async function reserve({ port, host }: { port: number; host: string }): Promise<{ port: number; serve(bff: Bff): Listening }> {
  let answer: RequestListener = (_, outgoing) => void outgoing.writeHead(503, { 'retry-after': '1' }).end();
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: 65_000, noDelay: true },
    (incoming, outgoing) => answer(incoming, outgoing),
  );
  const listening = await opened(server, port, host);
  return {
    port: listening.port,
    serve(bff) {
      const slowly = getRequestListener((request, env) => bff.fetch(request, env));
      answer = (incoming, outgoing) => {
        const quick = bff.quickly(incoming);
        if (quick) outgoing.writeHead(200, quick.headers).end(quick.body);
        else void slowly(incoming, outgoing);
      };
      return listening;
    },
  };
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
