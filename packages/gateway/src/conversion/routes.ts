import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import {
  conversion as answer,
  createConversion as createSchema,
  updateConversion as updateSchema,
  wholeConversion,
} from '@crypto-checkout/protocol/schema/conversion';
import type { Hono } from 'hono';
import type { Context } from '../context.ts';
import { callerOf } from '../account/caller.ts';
import type { Env } from '../http/env.ts';
import { resourceOperations, resourceRoutes } from '../resource/routes.ts';
import { createConversion } from './create.ts';
import { removeConversion } from './delete.ts';
import { getConversion } from './get.ts';
import { presentConversion, presentWholeConversion } from './present.ts';
import { listConversions, type ConversionView } from './store.ts';
import { updateConversion } from './update.ts';

/** Limit of the list, which has no pages. */
const MAX_LISTED = 1_000;

const source = 'Conversion operations';
const common = resourceOperations({
  singular: 'a conversion',
  plural: 'conversions',
  source,
  answer,
  create: {
    description: 'Creates a draft. With `is_approved`, it starts as soon as the wallet has enough.',
    payload: createSchema,
    reasons: ['AlreadyExists', 'NotFound'],
  },
  update: {
    description:
      'Omitted fields keep their values. `is_approved` allows the conversion to start, or takes the approval back.',
    payload: updateSchema,
    reasons: ['InvalidState'],
  },
  remove: { reasons: ['InvalidState'] },
});
const operations = {
  ...common,
  list: {
    summary: 'List conversions',
    description: `The newest ${MAX_LISTED} and all open ones, newest first. Includes conversions started by rules and payouts.`,
    source,
    answer: listOf(answer),
  },
  get: { summary: 'Get a conversion', source, answer: resultOf(wholeConversion) },
  update: { ...common.update, summary: 'Change a draft' },
  remove: { ...common.remove, summary: 'Delete a draft' },
};

export function routes(context: Context): Hono<Env> {
  return resourceRoutes({
    path: '/v1/conversions/',
    permission: 'conversions',
    operations,
    present: (view: ConversionView) => presentConversion(context, view),
    presentOne: (view) => presentWholeConversion(context, view),
    list: ({ account }) => listConversions(context.db, account.id, MAX_LISTED),
    create: async (requester, payload) =>
      createConversion(context, await callerOf(context, requester), payload),
    get: ({ account }, id) => getConversion(context, account.id, id),
    update: async (requester, id, payload) =>
      updateConversion(context, await callerOf(context, requester), id, payload),
    remove: ({ account }, id) => removeConversion(context, account.id, id),
  });
}
