import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Context } from '../context.ts';
import { bind } from './bind.ts';
import { drainable } from './drain.ts';
import type { Env } from './env.ts';

/**
 * The payload travels in a header: all headers together may have this many bytes, the payload half
 * of them.
 */
const MAX_HEADERS = 64 * 1024;

export interface Listening {
  port: number;
  url: string;
  /** Refuses new requests and finishes the open ones, for at most 10 s. */
  close(): Promise<void>;
}

export async function listen(app: Hono<Env>, context: Context): Promise<Listening> {
  const { config } = context;
  const handler = getRequestListener(app.fetch, { errorHandler: () => badRequest(context) });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADERS,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
    },
    (request, response) => void handler(request, response),
  );
  const close = drainable(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(context, error, socket as Socket),
  );
  await bind(server, { host: config.host, port: config.port, setting: 'PORT or GATEWAY_PORT' });
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return { port, url: config.gatewayUrl ?? `http://${host}:${port}`, close };
}

/** Bytes that are not HTTP never reach the app; they get the same kind of error body. */
function refuse(context: Context, error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = tooLarge ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const message = tooLarge
    ? `The headers may have ${MAX_HEADERS} bytes.`
    : 'The request is not valid HTTP.';
  const body = JSON.stringify({
    result: 'error',
    reason: tooLarge ? 'PayloadTooLarge' : 'InvalidPayload',
    message,
    request_id: context.ids.uuid(),
  });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
}

/** A request with an invalid address (a `Host` that is not a host). */
function badRequest({ ids }: Context): Response {
  const body = {
    result: 'error',
    reason: 'InvalidPayload',
    message: 'The address of the request is not valid.',
    request_id: ids.uuid(),
  };
  return Response.json(body, { status: 400 });
}
