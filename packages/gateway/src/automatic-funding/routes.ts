import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import {
  automaticFunding as answer,
  createAutomaticFunding as createSchema,
  updateAutomaticFunding as updateSchema,
} from '@crypto-checkout/protocol/schema/automatic-funding';
import type { Hono } from 'hono';
import type { Context } from '../context.ts';
import { ruleRoutes } from '../exchange/rule-routes.ts';
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
export const routes = (context: Context): Hono<Env> =>
  ruleRoutes(context, { type: 'funding', path: '/v1/automatic-funding/', resource: 'auto-funding', operations, present });
