import {
  automaticConversion as answer,
  createAutomaticConversion,
  updateAutomaticConversion,
} from '@crypto-checkout/protocol/schema/automatic-conversion';
import type { Hono } from 'hono';
import type { Context } from '../../context.ts';
import type { Env } from '../../http/env.ts';
import { resourceOperations } from '../../resource/routes.ts';
import { ruleRoutes } from '../rule-routes.ts';
import { presentAutomaticConversion as present } from './present.ts';

const operations = resourceOperations({
  singular: 'an automatic conversion',
  plural: 'automatic conversions',
  source: 'Automatic conversions',
  answer,
  create: {
    description:
      'Once per period, converts the part of the `from_kind` balance above `keep_amount`, if it is at least `min_amount`, and at most `max_amount`. All three are amounts of `from_kind`. Returns 409 `InvalidState` if it is enabled and other enabled automatic conversions would convert the same money back.',
    payload: createAutomaticConversion,
    reasons: ['AlreadyExists', 'InvalidState', 'NotFound'],
  },
  update: {
    description:
      'Omitted fields keep their values. `is_enabled` switches it on and off. While enabled, it must not form a cycle with other automatic conversions.',
    payload: updateAutomaticConversion,
    reasons: ['AlreadyExists', 'InvalidState'],
  },
  remove: { description: 'A conversion that it already started continues.' },
});

export const routes = (context: Context): Hono<Env> =>
  ruleRoutes(context, {
    type: 'conversion',
    path: '/v1/automatic-conversions/',
    permission: 'auto-conversions',
    operations,
    present,
  });
