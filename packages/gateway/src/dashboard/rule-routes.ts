import type { Context as HonoContext, Hono } from 'hono';
import { z } from 'zod';
import { createAutomaticPayout, type Editor } from '../automation/payout/create.ts';
import { presentAutomaticPayout } from '../automation/payout/present.ts';
import { deleteAutomaticPayout, updateAutomaticPayout } from '../automation/payout/update.ts';
import { createRule, removeRule, updateRule } from '../automation/rule.ts';
import type { Context } from '../context.ts';
import type { Env } from '../http/env.ts';
import { readBody } from './body.ts';
import { nameOf } from './session.ts';

/** The resources' own functions parse the members with the schemas of the API. */
const members = z.record(z.string(), z.unknown());

/** Creates, changes and deletes automatic rules for the signed-in operator, as the API does. */
export function ruleRoutes(app: Hono<Env>, context: Context): void {
  payouts(app, context);
  exchanges(app, context, 'conversion', 'automatic-conversions');
  exchanges(app, context, 'funding', 'automatic-funding');
}

const editorOf = (c: HonoContext<Env>): Editor => ({
  accountId: c.get('account').id,
  name: nameOf(c),
  overApi: false,
});

function payouts(app: Hono<Env>, context: Context): void {
  const path = '/dashboard/api/automatic-payouts/';
  app.post(path, async (c) => {
    const rule = await createAutomaticPayout(context, editorOf(c), await readBody(c, members));
    return c.json({ result: presentAutomaticPayout(rule) }, 201);
  });
  app.post(`${path}:id/`, async (c) => {
    const body = await readBody(c, members);
    const rule = await updateAutomaticPayout(context, editorOf(c), c.req.param('id'), body);
    return c.json({ result: presentAutomaticPayout(rule) });
  });
  app.post(`${path}:id/delete/`, async (c) => {
    const rule = await deleteAutomaticPayout(context, editorOf(c), c.req.param('id'));
    return c.json({ result: presentAutomaticPayout(rule) });
  });
}

function exchanges(
  app: Hono<Env>,
  context: Context,
  type: 'conversion' | 'funding',
  resource: 'automatic-conversions' | 'automatic-funding',
): void {
  const path = `/dashboard/api/${resource}/` as const;
  app.post(path, async (c) => {
    const { id } = await createRule(context, type, editorOf(c), await readBody(c, members));
    return c.json({ result: { id } }, 201);
  });
  app.post(`${path}:id/`, async (c) => {
    const body = await readBody(c, members);
    const { id } = await updateRule(context, type, editorOf(c), c.req.param('id'), body);
    return c.json({ result: { id } });
  });
  app.post(`${path}:id/delete/`, async (c) => {
    const { id } = await removeRule(context, type, c.get('account').id, c.req.param('id'));
    return c.json({ result: { id } });
  });
}
