import type { Context } from 'hono';
import { accepts } from '../http/content-coding.ts';
import { HttpError } from '../http/http-error.ts';
import { tooMany } from '../http/rate-limits.ts';
import type { Sink } from '../options.ts';
import type { CheckoutRouteServices } from './route-services.ts';
import type { ResolvedCheckout } from './checkout-resolver.ts';
import type { Merging } from './open-streams.ts';
import { StreamWriter } from './stream-writer.ts';

/**
 * Bytes that may wait for a slow client; beyond that the stream ends, and the browser reconnects.
 */
const MAX_WAITING = 64 * 1024;

/**
 * @throws HttpError 429 when the address has the maximum number of streams, 503 when all addresses
 * together have it
 */
export function requireStreamQuota(
  { streams, limits }: Pick<CheckoutRouteServices, 'streams' | 'limits'>,
  address: string,
): void {
  if (streams.countFor(address) >= limits.streams) throw tooMany(15_000);
  if (streams.count >= limits.allStreams)
    throw new HttpError(503, null, 'Too many live connections are open; try again shortly.', {
      retryAfter: 15,
    });
}

/**
 * Sends the view as server-sent events: at once and after each change, until a final stage.
 * @throws HttpError 429, 503
 */
export function sendEvents(
  c: Context,
  services: CheckoutRouteServices,
  target: ResolvedCheckout,
  address: string,
): Response {
  const { options, headers, origins, streams } = services;
  const isCoded = options.host?.deflate && accepts(c.req.header('accept-encoding'), 'gzip');
  const own = {
    ...headers.events,
    ...origins.headers(c),
    ...(isCoded && { 'content-encoding': 'gzip' }),
  };
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, own);
  // No await between check and join: concurrent requests cannot exceed the limit.
  requireStreamQuota(services, address);
  const open = (sink: Sink): (() => void) =>
    streams.join(
      target,
      new StreamWriter(sink, isCoded ? options.host?.deflate : undefined),
      address,
      mergingOf(c.req.query()),
    );
  return (
    options.host?.stream?.(c, own, open) ?? c.body(webStream(open, c.req.raw.signal), 200, own)
  );
}

/** Members that a client may do without. */
const OMITTED = ['qr', 'proof'];

/** A client that gives the version of its view merges changes into it. */
function mergingOf({ version = '', omit = '' }: Record<string, string>): Merging | null {
  if (!/^\d{1,15}$/.test(version)) return null;
  const words = omit.split(',');
  return { version: Number(version), omits: OMITTED.filter((word) => words.includes(word)) };
}

/**
 * The web stream for hosts without `HostAbilities.stream`.
 * @param left aborts when the client disconnects, also before the stream starts
 */
function webStream(
  open: (sink: Sink) => () => void,
  left: AbortSignal,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let leave: (() => void) | null = null;
  let close: () => void = () => undefined;
  let ended = false;
  return new ReadableStream(
    {
      start(controller) {
        const end = (): void => {
          if (ended) return;
          ended = true;
          controller.close();
          close();
        };
        close = () => {
          left.removeEventListener('abort', end);
          leave?.();
        };
        if (left.aborted) return end();
        left.addEventListener('abort', end);
        leave = open({
          write(data) {
            if (ended) return false;
            controller.enqueue(typeof data === 'string' ? encoder.encode(data) : data);
            if ((controller.desiredSize ?? 0) > -MAX_WAITING) return true;
            end();
            return false;
          },
          end,
        });
        // The stream may have ended while it was opened.
        if (ended) close();
      },
      cancel() {
        ended = true;
        close();
      },
    },
    { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}
