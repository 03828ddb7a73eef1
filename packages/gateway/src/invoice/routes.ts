import { pageOf } from '@crypto-checkout/protocol/schema/fields/pagination';
import { resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { callbackResent } from '@crypto-checkout/protocol/schema/callback';
import {
  createInvoice as createSchema,
  invoice as answer,
  listedInvoice,
  renewInvoice as renewSchema,
} from '@crypto-checkout/protocol/schema/invoice';
import { signedReceipt } from '@crypto-checkout/protocol/schema/receipt';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { filters } from '../http/payload.ts';
import { cancelRequest } from './cancel-request.ts';
import { createInvoice } from './create.ts';
import { getInvoice } from './get.ts';
import { FILTERS, listInvoicePage } from './list.ts';
import { presentInvoice, presentListedInvoice } from './present.ts';
import { signReceipt } from './receipt.ts';
import { renewInvoice } from './renew.ts';
import { resendCallback } from './resend.ts';

const operations = {
  list: {
    summary: 'List invoices',
    description: 'Newest first, 25 on a page.',
    source: 'Invoice operations',
    filters: FILTERS,
    answer: pageOf(listedInvoice),
  },
  create: {
    summary: 'Create an invoice',
    description:
      'Without an amount, creates a reusable address: it never expires, and callbacks cover its transactions only.',
    source: 'Create an invoice',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    reasons: ['NotFound', 'CurrencyNotEnabled', 'ExchangeRateLimitExceeded'],
  },
  get: { summary: 'Get an invoice', source: 'Invoice operations', answer: resultOf(answer) },
  renew: {
    summary: 'Renew the price of an invoice',
    description:
      'After the price has expired: a new rate at the same address, at most six times per hour. With `extend`, while the price is valid and no payment was seen: one more period at the same rate, once.',
    source: 'Renew',
    isExtension: true,
    payload: renewSchema,
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
  cancelRequest: {
    summary: 'Cancel the lightning request of an invoice',
    description:
      'For an order that is paid in another way: the node refuses payments to the request from then on. A lightning invoice expires with it, and can be renewed; one with an address stays payable there. Repeating it changes nothing.',
    source: 'Cancel a request',
    isExtension: true,
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
  receipt: {
    summary: 'Get a signed receipt of a paid invoice',
    description:
      'Signed with the current key of the account, anew at each request. Late money counts once the shop has accepted it, and parts in several coins count together.',
    source: 'Receipt',
    isExtension: true,
    answer: resultOf(signedReceipt),
    reasons: ['InvalidState'],
  },
  resend: {
    summary: 'Send the last callback of an invoice again',
    description: 'Sends the same id and body to the current `callback_url` of the profile.',
    source: 'Resending',
    isExtension: true,
    answer: callbackResent,
  },
} satisfies Record<string, Operation>;

export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/invoices/', authorized('invoices:read', operations.list), async (c) => {
    const { rows, pagination } = await listInvoicePage(
      context,
      c.get('account').id,
      filters(c, FILTERS),
    );
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

  app.get('/v1/invoices/:id/receipt/', authorized('invoices:read', operations.receipt), async (c) =>
    c.json({ result: await signReceipt(context, c.get('account').id, c.req.param('id')) }),
  );

  app.post('/v1/invoices/:id/renew/', authorized('invoices:write', operations.renew), async (c) => {
    const invoice = await renewInvoice(
      context,
      c.get('account').id,
      c.req.param('id'),
      c.get('payload'),
    );
    return c.json({ result: presentInvoice(invoice) });
  });

  app.post(
    '/v1/invoices/:id/cancel-request/',
    authorized('invoices:write', operations.cancelRequest),
    async (c) => {
      const invoice = await cancelRequest(context, c.get('account').id, c.req.param('id'));
      return c.json({ result: presentInvoice(invoice) });
    },
  );

  app.post(
    '/v1/invoices/:id/resend-callback/',
    authorized('invoices:write', operations.resend),
    async (c) => {
      const invoice = await getInvoice(context, c.get('account').id, c.req.param('id'));
      return c.json(await resendCallback(context, invoice));
    },
  );

  return app;
}
