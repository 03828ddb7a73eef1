import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { callbackResent } from '@crypto-checkout/protocol/schema/callback';
import {
  askConfirmations,
  confirmations,
} from '@crypto-checkout/protocol/schema/fields/confirmations';
import { pageOf } from '@crypto-checkout/protocol/schema/fields/pagination';
import {
  transaction as answer,
  transactionRisk,
} from '@crypto-checkout/protocol/schema/transaction';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { filters } from '../http/payload.ts';
import { countConfirmations } from '../resource/confirmations.ts';
import { getTransaction } from './get.ts';
import { FILTERS, listTransactionPage } from './list.ts';
import { presentTransaction } from './present.ts';
import { resendCallback } from './resend.ts';

const operations = {
  list: {
    summary: 'List transactions',
    description: 'Newest first, 25 on a page.',
    source: 'Transaction operations',
    filters: FILTERS,
    answer: pageOf(answer),
  },
  get: { summary: 'Get a transaction', source: 'Transaction operations', answer: resultOf(answer) },
  risk: {
    summary: 'Get the risk analysis of a transaction',
    source: 'Transaction operations',
    answer: resultOf(transactionRisk),
  },
  confirmations: {
    summary: 'Count the confirmations of transactions',
    description: 'In the order of the request.',
    source: 'Transaction operations',
    payload: askConfirmations,
    answer: listOf(confirmations),
    reasons: ['NotFound'],
  },
  resend: {
    summary: 'Send the last callback of a transaction again',
    description: 'Sends the same id and body to the current `callback_url` of the profile.',
    source: 'Transaction operations',
    answer: callbackResent,
  },
} satisfies Record<string, Operation>;

export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/transactions/', authorized('transactions:read', operations.list), async (c) => {
    const { rows, pagination } = await listTransactionPage(
      context,
      c.get('account').id,
      filters(c, FILTERS),
    );
    return c.json({ pagination, result: rows.map(presentTransaction) });
  });

  // A POST that only reads, so the read permission is enough.
  app.post(
    '/v1/transactions/confirmations/',
    authorized('transactions:read', operations.confirmations),
    async (c) => {
      return c.json({
        result: await countConfirmations(
          context,
          'transaction',
          c.get('account').id,
          c.get('payload'),
        ),
      });
    },
  );

  app.get('/v1/transactions/:id/', authorized('transactions:read', operations.get), async (c) => {
    const transaction = await getTransaction(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentTransaction(transaction) });
  });

  app.get(
    '/v1/transactions/:id/risk/',
    authorized('transactions:read', operations.risk),
    async (c) => {
      const { id, kind, risk_data } = await getTransaction(
        context,
        c.get('account').id,
        c.req.param('id'),
      );
      return c.json({ result: { id, kind, risk_data } });
    },
  );

  app.post(
    '/v1/transactions/:id/resend-callback/',
    authorized('transactions:write', operations.resend),
    async (c) => {
      const transaction = await getTransaction(context, c.get('account').id, c.req.param('id'));
      return c.json(await resendCallback(context, transaction));
    },
  );

  return app;
}
