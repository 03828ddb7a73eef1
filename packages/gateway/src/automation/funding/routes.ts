import {
  automaticFunding as answer,
  createAutomaticFunding,
  updateAutomaticFunding,
} from '@crypto-checkout/protocol/schema/automatic-funding';
import type { Hono } from 'hono';
import type { Context } from '../../context.ts';
import type { Env } from '../../http/env.ts';
import { resourceOperations } from '../../resource/routes.ts';
import { ruleRoutes } from '../rule-routes.ts';
import { presentAutomaticFunding as present } from './present.ts';

const operations = resourceOperations({
  singular: 'an automatic funding',
  plural: 'automatic fundings',
  source: 'Automatic funding',
  answer,
  create: {
    description:
      'Once per period, buys the amount of `to_kind` that `to_wallet` needs to reach `keep_amount`, if it is at least `min_amount`, and at most `max_amount`. It sells from `from_wallet`, or from the wallet with the largest balance if `from_wallet` has too little. All three are amounts of `to_kind`.',
    payload: createAutomaticFunding,
    reasons: ['AlreadyExists', 'NotFound'],
  },
  update: {
    description: 'Omitted fields keep their values. `is_enabled` switches it on and off.',
    payload: updateAutomaticFunding,
    reasons: ['AlreadyExists', 'InvalidState'],
  },
  remove: { description: 'A conversion that it already started continues.' },
});

export const routes = (context: Context): Hono<Env> =>
  ruleRoutes(context, {
    type: 'funding',
    path: '/v1/automatic-funding/',
    permission: 'auto-funding',
    operations,
    present,
  });
