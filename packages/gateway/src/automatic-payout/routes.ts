import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import {
  automaticPayout as answer,
  createAutomaticPayout as createSchema,
  updateAutomaticPayout as updateSchema,
} from '@crypto-checkout/protocol/schema/automatic-payout';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { callerOf } from '../exchange/caller.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { createAutomaticPayout, type Editor } from './create.ts';
import { getAutomaticPayout } from './get.ts';
import { presentAutomaticPayout as present } from './present.ts';
import { listRules } from './store.ts';
import { deleteAutomaticPayout, updateAutomaticPayout } from './update.ts';

const operations = {
  list: { summary: 'List automatic payouts', source: '§4.7', answer: listOf(answer) },
  create: {
    summary: 'Create an automatic payout',
    description:
      'Every `interval` minutes, what the wallet has above `keep_amount` is sent to `recipient_address` when it is `min_amount` or more; the network fee comes off what is sent. What is made here can be changed here. What it sends above the `max_payout` of the key that made or last changed it waits as a draft.',
    source: '§4.7',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    reasons: ['AlreadyExists', 'InvalidAddress', 'NotFound'],
  },
  get: { summary: 'Get an automatic payout', source: '§4.7', answer: resultOf(answer) },
  update: {
    summary: 'Change an automatic payout',
    description: 'What is left out stays. 403 for one without `is_api_editable`. Switched on, it runs one interval from now.',
    source: '§4.7',
    payload: updateSchema,
    answer: resultOf(answer),
    reasons: ['AlreadyExists', 'InvalidAddress'],
  },
  remove: {
    summary: 'Delete an automatic payout',
    description: 'Payouts that it made go on. 403 for one without `is_api_editable`.',
    source: '§4.7',
    answer: resultOf(answer),
  },
} satisfies Record<string, Operation>;

/** §4.7 */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  const editorOf = async (vars: Pick<Env['Variables'], 'account' | 'key'>): Promise<Editor> => ({
    ...(await callerOf(context, vars)),
    overApi: true,
    maxPayout: vars.key.maxPayout,
  });

  app.get('/v1/automatic-payouts/', authorized('auto-payouts:read', operations.list), async (c) => {
    const rules = await listRules(context.db, c.get('account').id);
    return c.json({ result: rules.map(present) });
  });

  app.post('/v1/automatic-payouts/', authorized('auto-payouts:write', operations.create), async (c) => {
    const rule = await createAutomaticPayout(context, await editorOf(c.var), c.get('payload'));
    return c.json({ result: present(rule) }, 201);
  });

  app.get('/v1/automatic-payouts/:id/', authorized('auto-payouts:read', operations.get), async (c) => {
    const rule = await getAutomaticPayout(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: present(rule) });
  });

  app.put('/v1/automatic-payouts/:id/', authorized('auto-payouts:write', operations.update), async (c) => {
    const rule = await updateAutomaticPayout(context, await editorOf(c.var), c.req.param('id'), c.get('payload'));
    return c.json({ result: present(rule) });
  });

  app.delete('/v1/automatic-payouts/:id/', authorized('auto-payouts:write', operations.remove), async (c) => {
    const rule = await deleteAutomaticPayout(context, await editorOf(c.var), c.req.param('id'));
    return c.json({ result: present(rule) });
  });

  return app;
}
