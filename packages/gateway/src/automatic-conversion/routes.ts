import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import {
  automaticConversion as answer,
  createAutomaticConversion as createSchema,
  updateAutomaticConversion as updateSchema,
} from '@crypto-checkout/protocol/schema/automatic-conversion';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { callerOf } from '../exchange/caller.ts';
import { createRule, getRule, removeRule, updateRule } from '../exchange/rule.ts';
import { listRules } from '../exchange/rule-store.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { presentAutomaticConversion as present } from './present.ts';

const operations = {
  list: { summary: 'List automatic conversions', source: '§4.8', answer: listOf(answer) },
  create: {
    summary: 'Create an automatic conversion',
    description:
      'Once a period, what the wallet has of `from_kind` above `keep_amount` is converted when it is `min_amount` or more, at most `max_amount`. The three are amounts of `from_kind`.',
    source: '§4.8',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    reasons: ['AlreadyExists', 'NotFound'],
  },
  get: { summary: 'Get an automatic conversion', source: '§4.8', answer: resultOf(answer) },
  update: {
    summary: 'Change an automatic conversion',
    description: 'What is left out stays. `is_enabled` switches it on and off.',
    source: '§4.8',
    payload: updateSchema,
    answer: resultOf(answer),
    reasons: ['AlreadyExists', 'InvalidState'],
  },
  remove: {
    summary: 'Delete an automatic conversion',
    description: 'A conversion that it began is finished.',
    source: '§4.8',
    answer: resultOf(answer),
  },
} satisfies Record<string, Operation>;

/** §4.8 */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/automatic-conversions/', authorized('auto-conversions:read', operations.list), async (c) => {
    const rules = await listRules(context.db, c.var.account.id, 'conversion');
    return c.json({ result: rules.map((rule) => present(context, rule)) });
  });

  app.post('/v1/automatic-conversions/', authorized('auto-conversions:write', operations.create), async (c) => {
    const rule = await createRule(context, 'conversion', await callerOf(context, c.var), c.var.payload);
    return c.json({ result: present(context, rule) }, 201);
  });

  app.get('/v1/automatic-conversions/:id/', authorized('auto-conversions:read', operations.get), async (c) => {
    const rule = await getRule(context, 'conversion', c.var.account.id, c.req.param('id'));
    return c.json({ result: present(context, rule) });
  });

  app.put('/v1/automatic-conversions/:id/', authorized('auto-conversions:write', operations.update), async (c) => {
    const rule = await updateRule(context, 'conversion', await callerOf(context, c.var), c.req.param('id'), c.var.payload);
    return c.json({ result: present(context, rule) });
  });

  app.delete('/v1/automatic-conversions/:id/', authorized('auto-conversions:write', operations.remove), async (c) => {
    const rule = await removeRule(context, 'conversion', c.var.account.id, c.req.param('id'));
    return c.json({ result: present(context, rule) });
  });

  return app;
}
