import {
  automaticPayout as answer,
  createAutomaticPayout as createSchema,
  updateAutomaticPayout as updateSchema,
} from '@crypto-checkout/protocol/schema/automatic-payout';
import type { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { callerOf } from '../../account/caller.ts';
import type { Env } from '../../http/env.ts';
import { resourceOperations, resourceRoutes, type Requester } from '../../resource/routes.ts';
import { createAutomaticPayout, type Editor } from './create.ts';
import { getAutomaticPayout } from './get.ts';
import { presentAutomaticPayout as present } from './present.ts';
import { listRules } from './store.ts';
import { deleteAutomaticPayout, updateAutomaticPayout } from './update.ts';

const operations = resourceOperations({
  singular: 'an automatic payout',
  plural: 'automatic payouts',
  source: 'Automatic payouts',
  answer,
  create: {
    description:
      'Every `interval` minutes, sends the part of the balance above `keep_amount` to `recipient_address`, if it is at least `min_amount`. The network fee is deducted from the amount sent. Automatic payouts created here can be changed here. A payout above the `max_payout` of the key that created or last changed it becomes a draft.',
    payload: createSchema,
    reasons: ['AlreadyExists', 'InvalidAddress', 'NotFound'],
  },
  update: {
    description:
      'Omitted fields keep their values. Returns 403 if `is_api_editable` is false. After it is enabled, the first run is one interval later.',
    payload: updateSchema,
    reasons: ['AlreadyExists', 'InvalidAddress'],
  },
  remove: {
    description:
      'Payouts that it already created continue. Returns 403 if `is_api_editable` is false.',
  },
});

export function routes(context: Context): Hono<Env> {
  const editorOf = async (requester: Requester): Promise<Editor> => ({
    ...(await callerOf(context, requester)),
    overApi: true,
    // Automatic payouts would not count for the day of the key: each needs approval.
    maxPayout: requester.key.maxPayoutDaily === null ? requester.key.maxPayout : '0',
  });
  return resourceRoutes({
    path: '/v1/automatic-payouts/',
    permission: 'auto-payouts',
    operations,
    present,
    list: ({ account }) => listRules(context.db, account.id),
    create: async (requester, payload) =>
      createAutomaticPayout(context, await editorOf(requester), payload),
    get: ({ account }, id) => getAutomaticPayout(context, account.id, id),
    update: async (requester, id, payload) =>
      updateAutomaticPayout(context, await editorOf(requester), id, payload),
    remove: async (requester, id) => deleteAutomaticPayout(context, await editorOf(requester), id),
  });
}
