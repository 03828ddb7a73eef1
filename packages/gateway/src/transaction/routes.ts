import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { filters } from '../http/payload.ts';
import { countConfirmations } from './confirmations.ts';
import { getTransaction } from './get.ts';
import { FILTERS, listTransactionPage } from './list.ts';
import { presentTransaction } from './present.ts';

/** §4.2 */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/transactions/', authorized('transactions:read'), async (c) => {
    const { rows, pagination } = await listTransactionPage(context, c.var.account.id, filters(c, FILTERS));
    return c.json({ pagination, result: rows.map(presentTransaction) });
  });

  // Asks, and changes nothing: a key that may read may ask.
  app.post('/v1/transactions/confirmations/', authorized('transactions:read'), async (c) => {
    return c.json({ result: await countConfirmations(context, c.var.account.id, c.var.payload) });
  });

  app.get('/v1/transactions/:id/', authorized('transactions:read'), async (c) => {
    const transaction = await getTransaction(context, c.var.account.id, c.req.param('id'));
    return c.json({ result: presentTransaction(transaction) });
  });

  app.get('/v1/transactions/:id/risk/', authorized('transactions:read'), async (c) => {
    const { id, kind, risk_data } = await getTransaction(context, c.var.account.id, c.req.param('id'));
    return c.json({ result: { id, kind, risk_data } });
  });

  return app;
}
