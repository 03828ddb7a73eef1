import { Hono, type Context as HonoContext, type Handler } from 'hono';
import type { Context } from '../context.ts';
import type { Env } from '../http/env.ts';
import { answerError } from '../http/error.ts';
import { payRequest, requestPayment } from './pay.ts';
import { createKeyedQueue } from './keyed-queue.ts';

/** LUD-06 endpoints for wallets: unsigned, reached through the host of the payment pages. */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  // Serialized per invoice: concurrent requests could exceed the limit of open requests.
  const serialize = createKeyedQueue();

  app.get(
    '/lnurl/:id/',
    answering(context, (c) => payRequest(context, c.req.param('id') ?? '')),
  );

  app.get(
    '/lnurl/:id/callback/',
    answering(context, (c) => {
      const id = c.req.param('id') ?? '';
      return serialize(id, () => requestPayment(context, id, c.req.query('amount')));
    }),
  );

  return app;
}

/** Answers errors in the format of LUD-06. */
function answering(context: Context, work: (c: HonoContext<Env>) => Promise<object>): Handler<Env> {
  return async (c) => {
    try {
      return c.json(await work(c));
    } catch (error) {
      const { status, body, headers, unexpected } = answerError(error, c.get('caller').requestId);
      if (unexpected)
        context.log.error(
          {
            event: 'lnurl_request_failed',
            err: error,
            request_id: c.get('caller').requestId,
            path: c.req.path,
          },
          'LNURL request failed',
        );
      // LUD-06 defines no status codes, and some wallets show the reason only of a 200 answer.
      const code = status === 404 || status >= 500 ? status : 200;
      return c.json({ status: 'ERROR', reason: body.message }, code as 200, headers);
    }
  };
}
