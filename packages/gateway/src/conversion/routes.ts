import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import {
  conversion as answer,
  createConversion as createSchema,
  updateConversion as updateSchema,
  wholeConversion,
} from '@crypto-checkout/protocol/schema/conversion';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { callerOf } from '../exchange/caller.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { createConversion } from './create.ts';
import { getConversion } from './get.ts';
import { presentConversion, presentWholeConversion } from './present.ts';
import { removeConversion } from './delete.ts';
import { listConversions } from './store.ts';
import { updateConversion } from './update.ts';

/** More than anybody reads; the list has no pages (§4). */
const MOST_LISTED = 1_000;

const operations = {
  list: {
    summary: 'List conversions',
    description: `Newest first, those that rules and payouts made among them; the newest ${MOST_LISTED} and all that are open.`,
    source: '§4.4',
    answer: listOf(answer),
  },
  create: {
    summary: 'Create a conversion',
    description: 'A draft; with `is_approved` it is carried out as soon as the wallet has enough.',
    source: '§4.4',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    reasons: ['AlreadyExists', 'NotFound'],
  },
  get: { summary: 'Get a conversion', source: '§4.4', answer: resultOf(wholeConversion) },
  update: {
    summary: 'Change a draft',
    description: 'What is left out stays. `is_approved` lets it be carried out, or not yet.',
    source: '§4.4',
    payload: updateSchema,
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
  remove: { summary: 'Delete a draft', source: '§4.4', answer: resultOf(answer), reasons: ['InvalidState'] },
} satisfies Record<string, Operation>;

/** §4.4 */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/conversions/', authorized('conversions:read', operations.list), async (c) => {
    const conversions = await listConversions(context.db, c.get('account').id, MOST_LISTED);
    return c.json({ result: conversions.map((each) => presentConversion(context, each)) });
  });

  app.post('/v1/conversions/', authorized('conversions:write', operations.create), async (c) => {
    const conversion = await createConversion(context, await callerOf(context, c.var), c.get('payload'));
    return c.json({ result: presentConversion(context, conversion) }, 201);
  });

  app.get('/v1/conversions/:id/', authorized('conversions:read', operations.get), async (c) => {
    const conversion = await getConversion(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentWholeConversion(context, conversion) });
  });

  app.put('/v1/conversions/:id/', authorized('conversions:write', operations.update), async (c) => {
    const conversion = await updateConversion(context, await callerOf(context, c.var), c.req.param('id'), c.get('payload'));
    return c.json({ result: presentConversion(context, conversion) });
  });

  app.delete('/v1/conversions/:id/', authorized('conversions:write', operations.remove), async (c) => {
    const conversion = await removeConversion(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentConversion(context, conversion) });
  });

  return app;
}
