import { Hono, type Context as HonoContext, type Handler } from 'hono';
import type { Context } from '../context.ts';
import type { Env } from '../http/env.ts';
import { answerError } from '../http/error.ts';
import { payRequest, requestPayment } from './pay.ts';
import { createTurns } from './turn.ts';

/** LUD-06, not signed: wallets that scanned a code ask here, through the payment pages' host. */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  // One after another for each code: otherwise those who ask at once get around the limit of open requests.
  const inTurn = createTurns();

  app.get(
    '/lnurl/:id/',
    answering(context, (c) => payRequest(context, c.req.param('id') ?? '')),
  );

  app.get(
    '/lnurl/:id/callback/',
    answering(context, (c) => {
      const id = c.req.param('id') ?? '';
      return inTurn(id, () => requestPayment(context, id, c.req.query('amount')));
    }),
  );

  return app;
}

/** Errors have the form that LUD-06 gives them. */
function answering(context: Context, work: (c: HonoContext<Env>) => Promise<object>): Handler<Env> {
  return async (c) => {
    try {
      return c.json(await work(c));
    } catch (error) {
      const { status, body, headers, unexpected } = answerError(error, c.get('caller').requestId);
      if (unexpected) context.log.error({ err: error, request_id: c.get('caller').requestId, path: c.req.path }, 'an LNURL request failed');
      // Wallets show the reason of an answer with 200 and may drop any other; LUD-06 names no codes.
      const code = status === 404 || status >= 500 ? status : 200;
      return c.json({ status: 'ERROR', reason: body.message }, code as 200, headers);
    }
  };
}
