import type { Context } from 'hono';
import type { Sink } from '../options.ts';
import type { Parts } from '../parts.ts';
import type { Resolved } from './resolver.ts';

/** Bytes that may wait for a slow reader; then it is cut off, and comes back by itself. */
const MAX_WAITING = 64 * 1024;

/** Sends the view as server-sent events: at once, with each change, until a final stage. */
export function sendEvents(c: Context, { options, headers, origins, streams }: Parts, look: Resolved, address: string): Response {
  const own = { ...headers.events, ...origins.headers(c) };
  if (c.req.raw.method === 'HEAD') return c.body(null, 200, own);
  const open = (sink: Sink): (() => void) => streams.join(look, sink, address);
  return options.host?.stream?.(c, own, open) ?? c.body(webStream(open), 200, own);
}

/** For hosts without a way of their own. */
function webStream(open: (sink: Sink) => () => void): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let leave: (() => void) | null = null;
  let ended = false;
  return new ReadableStream(
    {
      start(controller) {
        const end = (): void => {
          if (ended) return;
          ended = true;
          controller.close();
          leave?.();
        };
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
        if (ended) leave();
      },
      cancel() {
        ended = true;
        leave?.();
      },
    },
    { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}
