import type { Context, Hono } from 'hono';
import { readText } from '../http/body.ts';
import type { ResponseHeaders } from '../http/headers.ts';
import { HttpError } from '../http/http-error.ts';
import { type RateLimits, spend } from '../http/rate-limits.ts';
import type { Log } from '../options.ts';
import type { CallbackReceiver } from './callback-receiver.ts';

/** A callback contains an invoice with all its transactions. */
const MAX_BODY = 1024 * 1024;

export interface CallbackRouteServices {
  receiver: CallbackReceiver;
  limits: RateLimits;
  addressOf: (c: Context) => string;
  steady: () => number;
  headers: ResponseHeaders;
  log: Log;
}

/** `POST /callbacks`: the payment service reports changes of invoices and transactions. */
export function callbackRoute(
  app: Hono,
  { receiver, limits, addressOf, steady, headers, log }: CallbackRouteServices,
): void {
  app.post('/callbacks', async (c) => {
    try {
      await receiver.receive(c.req.raw.headers, await readText(c, MAX_BODY));
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) {
        // Any web page can make its visitors send forged callbacks. The limit of its own key keeps
        // them from blocking valid callbacks, or checkouts of the same address.
        spend(limits.failure, `callback ${addressOf(c)}`, steady());
        log.warn(
          { event: 'callback_rejected', reason: (error.cause as Error).message },
          'callback rejected: verification failed',
        );
      }
      throw error;
    }
    return c.body('{"result":"success"}', 200, headers.json);
  });
}
