import { pageOf } from '@crypto-checkout/protocol/schema/pagination';
import { resultOf } from '@crypto-checkout/protocol/schema/answer';
import { callbackResent } from '@crypto-checkout/protocol/schema/callback';
import {
  createInvoice as createSchema,
  invoice as answer,
  listedInvoice,
  renewInvoice as renewSchema,
} from '@crypto-checkout/protocol/schema/invoice';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { filters } from '../http/payload.ts';
import { createInvoice } from './create.ts';
import { getInvoice } from './get.ts';
import { FILTERS, listInvoicePage } from './list.ts';
import { presentInvoice, presentListedInvoice } from './present.ts';
import { renewInvoice } from './renew.ts';
import { resendCallback } from './resend.ts';

const operations = {
  list: {
    summary: 'List invoices',
    description: 'Newest first, 25 on a page.',
    source: '§4.1',
    filters: FILTERS,
    answer: pageOf(listedInvoice),
  },
  create: {
    summary: 'Create an invoice',
    description: 'Without an amount it is a reusable address: no expiry, and callbacks about its transactions only.',
    source: '§4.1',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    reasons: ['NotFound', 'CurrencyNotEnabled', 'ExchangeRateLimitExceeded'],
  },
  get: { summary: 'Get an invoice', source: '§4.1', answer: resultOf(answer) },
  renew: {
    summary: 'Renew the price of an invoice',
    description:
      'After it ran out: a new rate at the same address, at most six times an hour. With `extend`, while it runs and nothing was seen: one more period at the same rate, once.',
    source: 'ours',
    payload: renewSchema,
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
  resend: {
    summary: 'Send the last callback of an invoice again',
    description: 'With the same id and bytes, to the address that the profile has now.',
    source: 'ours',
    answer: callbackResent,
  },
} satisfies Record<string, Operation>;

/** §4.1; renewing is ours (decisions, "Renew"), and so is sending callbacks again. */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/invoices/', authorized('invoices:read', operations.list), async (c) => {
    const { rows, pagination } = await listInvoicePage(context, c.get('account').id, filters(c, FILTERS));
    return c.json({ pagination, result: rows.map(presentListedInvoice) });
  });

  app.post('/v1/invoices/', authorized('invoices:write', operations.create), async (c) => {
    const invoice = await createInvoice(context, c.get('account').id, c.get('payload'));
    return c.json({ result: presentInvoice(invoice) }, 201);
  });

  app.get('/v1/invoices/:id/', authorized('invoices:read', operations.get), async (c) => {
    const invoice = await getInvoice(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentInvoice(invoice) });
  });

  app.post('/v1/invoices/:id/renew/', authorized('invoices:write', operations.renew), async (c) => {
    const invoice = await renewInvoice(context, c.get('account').id, c.req.param('id'), c.get('payload'));
    return c.json({ result: presentInvoice(invoice) });
  });

  app.post('/v1/invoices/:id/resend-callback/', authorized('invoices:write', operations.resend), async (c) => {
    const invoice = await getInvoice(context, c.get('account').id, c.req.param('id'));
    return c.json(await resendCallback(context, invoice));
  });

  return app;
}
