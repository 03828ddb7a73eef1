import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { filters } from '../http/payload.ts';
import { createInvoice } from './create.ts';
import { getInvoice } from './get.ts';
import { FILTERS, listInvoicePage } from './list.ts';
import { presentInvoice, presentListedInvoice } from './present.ts';
import { renewInvoice } from './renew.ts';

/** §4.1; renewing is ours (decisions, "Renew"). */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/invoices/', authorized('invoices:read'), async (c) => {
    const { rows, pagination } = await listInvoicePage(context, c.var.account.id, filters(c, FILTERS));
    return c.json({ pagination, result: rows.map(presentListedInvoice) });
  });

  app.post('/v1/invoices/', authorized('invoices:write'), async (c) => {
    const invoice = await createInvoice(context, c.var.account.id, c.var.payload);
    return c.json({ result: presentInvoice(invoice) }, 201);
  });

  app.get('/v1/invoices/:id/', authorized('invoices:read'), async (c) => {
    const invoice = await getInvoice(context, c.var.account.id, c.req.param('id'));
    return c.json({ result: presentInvoice(invoice) });
  });

  app.post('/v1/invoices/:id/renew/', authorized('invoices:write'), async (c) => {
    const invoice = await renewInvoice(context, c.var.account.id, c.req.param('id'), c.var.payload);
    return c.json({ result: presentInvoice(invoice) });
  });

  return app;
}
