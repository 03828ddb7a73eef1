import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import {
  automaticConversion as answer,
  createAutomaticConversion as createSchema,
  updateAutomaticConversion as updateSchema,
} from '@crypto-checkout/protocol/schema/automatic-conversion';
import type { Hono } from 'hono';
import type { Context } from '../context.ts';
import { ruleRoutes } from '../exchange/rule-routes.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { presentAutomaticConversion as present } from './present.ts';

const operations = {
  list: { summary: 'List automatic conversions', source: '§4.8', answer: listOf(answer) },
  create: {
    summary: 'Create an automatic conversion',
    description:
      'Once a period, what the wallet has of `from_kind` above `keep_amount` is converted when it is `min_amount` or more, at most `max_amount`. The three are amounts of `from_kind`. 409 `InvalidState` when it is switched on and others that are would convert the same money back.',
    source: '§4.8',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    reasons: ['AlreadyExists', 'InvalidState', 'NotFound'],
  },
  get: { summary: 'Get an automatic conversion', source: '§4.8', answer: resultOf(answer) },
  update: {
    summary: 'Change an automatic conversion',
    description: 'What is left out stays. `is_enabled` switches it on and off; on, it must not close a circle with others.',
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
export const routes = (context: Context): Hono<Env> =>
  ruleRoutes(context, { type: 'conversion', path: '/v1/automatic-conversions/', resource: 'auto-conversions', operations, present });
