import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { callerOf } from './caller.ts';
import { createRule, getRule, removeRule, updateRule } from './rule.ts';
import { listRules, type RuleType, type RuleView } from './rule-store.ts';

export interface RuleRoutes {
  type: RuleType;
  path: '/v1/automatic-conversions/' | '/v1/automatic-funding/';
  /** Of the permissions. */
  resource: 'auto-conversions' | 'auto-funding';
  operations: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'remove', Operation>>;
  present: (context: Context, rule: RuleView) => object;
}

/** §4.8: the same five routes for both kinds of rules. */
export function ruleRoutes(context: Context, { type, path, resource, operations, present }: RuleRoutes): Hono<Env> {
  const app = new Hono<Env>();
  const one = `${path}:id/` as const;

  app.get(path, authorized(`${resource}:read`, operations.list), async (c) => {
    const rules = await listRules(context.db, c.get('account').id, type);
    return c.json({ result: rules.map((rule) => present(context, rule)) });
  });

  app.post(path, authorized(`${resource}:write`, operations.create), async (c) => {
    const rule = await createRule(context, type, await callerOf(context, c.var), c.get('payload'));
    return c.json({ result: present(context, rule) }, 201);
  });

  app.get(one, authorized(`${resource}:read`, operations.get), async (c) => {
    const rule = await getRule(context, type, c.get('account').id, c.req.param('id'));
    return c.json({ result: present(context, rule) });
  });

  app.put(one, authorized(`${resource}:write`, operations.update), async (c) => {
    const rule = await updateRule(context, type, await callerOf(context, c.var), c.req.param('id'), c.get('payload'));
    return c.json({ result: present(context, rule) });
  });

  app.delete(one, authorized(`${resource}:write`, operations.remove), async (c) => {
    const rule = await removeRule(context, type, c.get('account').id, c.req.param('id'));
    return c.json({ result: present(context, rule) });
  });

  return app;
}
