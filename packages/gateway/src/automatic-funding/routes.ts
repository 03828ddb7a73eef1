import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import {
  automaticFunding as answer,
  createAutomaticFunding as createSchema,
  updateAutomaticFunding as updateSchema,
} from '@crypto-checkout/protocol/schema/automatic-funding';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { callerOf } from '../exchange/caller.ts';
import { createRule, getRule, removeRule, updateRule } from '../exchange/rule.ts';
import { listRules } from '../exchange/rule-store.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { presentAutomaticFunding as present } from './present.ts';

const operations = {
  list: { summary: 'List automatic fundings', source: '§4.8', answer: listOf(answer) },
  create: {
    summary: 'Create an automatic funding',
    description:
      'Once a period, what `to_wallet` lacks of `to_kind` to have `keep_amount` is bought from `from_wallet` when it is `min_amount` or more, at most `max_amount`; or from the wallet with the largest balance, when that one has too little. The three are amounts of `to_kind`.',
    source: '§4.8',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    reasons: ['AlreadyExists', 'NotFound'],
  },
  get: { summary: 'Get an automatic funding', source: '§4.8', answer: resultOf(answer) },
  update: {
    summary: 'Change an automatic funding',
    description: 'What is left out stays. `is_enabled` switches it on and off.',
    source: '§4.8',
    payload: updateSchema,
    answer: resultOf(answer),
    reasons: ['AlreadyExists', 'InvalidState'],
  },
  remove: {
    summary: 'Delete an automatic funding',
    description: 'A conversion that it began is finished.',
    source: '§4.8',
    answer: resultOf(answer),
  },
} satisfies Record<string, Operation>;

/** §4.8 */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/automatic-funding/', authorized('auto-funding:read', operations.list), async (c) => {
    const rules = await listRules(context.db, c.var.account.id, 'funding');
    return c.json({ result: rules.map((rule) => present(context, rule)) });
  });

  app.post('/v1/automatic-funding/', authorized('auto-funding:write', operations.create), async (c) => {
    const rule = await createRule(context, 'funding', await callerOf(context, c.var), c.var.payload);
    return c.json({ result: present(context, rule) }, 201);
  });

  app.get('/v1/automatic-funding/:id/', authorized('auto-funding:read', operations.get), async (c) => {
    const rule = await getRule(context, 'funding', c.var.account.id, c.req.param('id'));
    return c.json({ result: present(context, rule) });
  });

  app.put('/v1/automatic-funding/:id/', authorized('auto-funding:write', operations.update), async (c) => {
    const rule = await updateRule(context, 'funding', await callerOf(context, c.var), c.req.param('id'), c.var.payload);
    return c.json({ result: present(context, rule) });
  });

  app.delete('/v1/automatic-funding/:id/', authorized('auto-funding:write', operations.remove), async (c) => {
    const rule = await removeRule(context, 'funding', c.var.account.id, c.req.param('id'));
    return c.json({ result: present(context, rule) });
  });

  return app;
}
