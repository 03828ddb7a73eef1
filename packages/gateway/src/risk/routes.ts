import { resultOf } from '@crypto-checkout/protocol/schema/answer';
import { transaction as answer } from '@crypto-checkout/protocol/schema/transaction';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { callerOf } from '../exchange/caller.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { presentTransaction } from '../transaction/present.ts';
import { quarantineTransaction, releaseTransaction } from './quarantine.ts';

const operations = {
  quarantine: {
    summary: 'Hold a transaction',
    description:
      'Its money is frozen, and it counts for no invoice until it is released. Pending, unconfirmed and confirmed ones can be held.',
    source: 'ours',
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
  release: {
    summary: 'Release a transaction that is held',
    description: 'Whoever held it. It is where its confirmations put it, and no analysis holds it again.',
    source: 'ours',
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
} satisfies Record<string, Operation>;

/** Ours: the interface knows transactions that are held (§3.2), and no way to hold or release one. */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.post('/v1/transactions/:id/quarantine/', authorized('transactions:write', operations.quarantine), async (c) => {
    const { accountId, name } = await callerOf(context, c.var);
    return c.json({ result: presentTransaction(await quarantineTransaction(context, accountId, c.req.param('id'), name)) });
  });

  app.post('/v1/transactions/:id/release/', authorized('transactions:write', operations.release), async (c) => {
    const { accountId, name } = await callerOf(context, c.var);
    return c.json({ result: presentTransaction(await releaseTransaction(context, accountId, c.req.param('id'), name)) });
  });

  return app;
}
