import type { Hono } from 'hono';
import type { Context } from '../context.ts';
import { callerOf } from '../account/caller.ts';
import type { Env } from '../http/env.ts';
import { resourceRoutes, type ResourceRoutes } from '../resource/routes.ts';
import { createRule, getRule, removeRule, updateRule } from './rule.ts';
import { listRules, type RuleType, type RuleView } from './rule-store.ts';

export interface RuleRoutes extends Pick<
  ResourceRoutes<RuleView>,
  'path' | 'permission' | 'operations'
> {
  type: RuleType;
  present: (context: Context, rule: RuleView) => object;
}

/** The routes of automatic conversions and of automatic fundings. */
export function ruleRoutes(context: Context, { type, present, ...routes }: RuleRoutes): Hono<Env> {
  return resourceRoutes({
    ...routes,
    present: (rule: RuleView) => present(context, rule),
    list: ({ account }) => listRules(context.db, account.id, type),
    create: async (requester, payload) =>
      createRule(context, type, await callerOf(context, requester), payload),
    get: ({ account }, id) => getRule(context, type, account.id, id),
    update: async (requester, id, payload) =>
      updateRule(context, type, await callerOf(context, requester), id, payload),
    remove: ({ account }, id) => removeRule(context, type, account.id, id),
  });
}
