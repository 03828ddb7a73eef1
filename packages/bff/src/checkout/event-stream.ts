import type { Context } from 'hono';
import { tooMany } from '../http/limits.ts';
import type { Sink } from '../options.ts';
import type { Parts } from '../parts.ts';
import type { Resolved } from './resolver.ts';

/** Bytes that may wait for a slow reader; then it is cut off, and comes back by itself. */
const MAX_WAITING = 64 * 1024;

/** @throws Refusal 429 when the address holds all the streams that it may */
export function requireStream({ streams, limits }: Parts, address: string): void {
  if (streams.held(address) >= limits.streams) throw tooMany(15_000);
}

/**
 * Sends the view as server-sent events: at once, with each change, until a final stage.
 * @throws Refusal 429
 */
export function sendEvents(c: Context, parts: Parts, look: Resolved, address: string): Response {
  const { options, headers, origins, streams } = parts;
  const own = { ...headers.events, ...origins.headers(c) };
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, own);
  // Here nothing waits between looking and joining: many that ask at once are not all let in.
  requireStream(parts, address);
  const open = (sink: Sink): (() => void) => streams.join(look, sink, address);
  return options.host?.stream?.(c, own, open) ?? c.body(webStream(open, c.req.raw.signal), 200, own);
}

/**
 * For hosts without a way of their own.
 * @param left says that the client has gone, also before there is a stream that could be cancelled
 */
function webStream(open: (sink: Sink) => () => void, left: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
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
          write(text) {
            if (ended) return false;
            controller.enqueue(encoder.encode(text));
            if ((controller.desiredSize ?? 0) > -MAX_WAITING) return true;
            end();
            return false;
          },
          end,
        });
        // It may have ended while it was opened.
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
