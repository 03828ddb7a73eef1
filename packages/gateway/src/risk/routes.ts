import { resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { transaction as answer } from '@crypto-checkout/protocol/schema/transaction';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { callerOf } from '../account/caller.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { presentTransaction } from '../transaction/present.ts';
import { quarantineTransaction, releaseTransaction } from './quarantine.ts';

const operations = {
  quarantine: {
    summary: 'Hold a transaction',
    description:
      'Freezes its money; it does not count towards the invoice until it is released. Only pending, unconfirmed and confirmed transactions can be held.',
    source: 'Risk and quarantine',
    isExtension: true,
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
  release: {
    summary: 'Release a held transaction',
    description:
      'Releases a transaction held by an operator or by risk analysis. Its status follows from its confirmations, and risk analysis does not hold it again.',
    source: 'Risk and quarantine',
    isExtension: true,
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
} satisfies Record<string, Operation>;

export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.post(
    '/v1/transactions/:id/quarantine/',
    authorized('transactions:write', operations.quarantine),
    async (c) => {
      const { accountId, name } = await callerOf(context, c.var);
      return c.json({
        result: presentTransaction(
          await quarantineTransaction(context, accountId, c.req.param('id'), name),
        ),
      });
    },
  );

  app.post(
    '/v1/transactions/:id/release/',
    authorized('transactions:write', operations.release),
    async (c) => {
      const { accountId, name } = await callerOf(context, c.var);
      return c.json({
        result: presentTransaction(
          await releaseTransaction(context, accountId, c.req.param('id'), name),
        ),
      });
    },
  );

  return app;
}
