import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import { askConfirmations, confirmations } from '@crypto-checkout/protocol/schema/confirmations';
import { pageOf } from '@crypto-checkout/protocol/schema/pagination';
import {
  approvePayout,
  createPayout as createSchema,
  payout as answer,
  payoutEstimate,
  payoutResent,
} from '@crypto-checkout/protocol/schema/payout';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import type { Operation } from '../http/operation.ts';
import { filters } from '../http/payload.ts';
import { countConfirmations } from './confirmations.ts';
import { createPayout } from './create.ts';
import { decidePayout } from './decide.ts';
import { getPayout } from './get.ts';
import { FILTERS, listPayoutPage } from './list.ts';
import { presentEstimate, presentPayout } from './present.ts';
import { resendCallback } from './resend.ts';

const operations = {
  list: { summary: 'List payouts', description: 'Newest first, 25 on a page.', source: '§4.3', filters: FILTERS, answer: pageOf(answer) },
  create: {
    summary: 'Create a payout',
    description:
      'Give it a `reference_id`: the same request again is the same payout. When no answer came, or one without a `reason`, it may exist and be sent: look it up, never take it for a failure.',
    source: '§4.3',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    otherwise: {
      description: 'The payout that the same request made before; with `estimate_only` one that does not exist, without ids.',
      answer: resultOf(payoutEstimate),
    },
    reasons: [
      'InvalidAddress',
      'InsufficientFunds',
      'PayoutNetworkFeeTooHigh',
      'CurrencyNotEnabled',
      'ExchangeRateLimitExceeded',
      'LnurlError',
      'NotFound',
      'DuplicateReference',
    ],
  },
  get: { summary: 'Get a payout', source: '§4.3', answer: resultOf(answer) },
  decide: {
    summary: 'Approve or reject a draft, or a payout that waits',
    description:
      'A draft is `new` when it is approved, otherwise `rejected`. `approve: true` also lets one go on that is `awaiting_policies`, and `approve: false` stops one that is `scheduled`, `awaiting_funds`, `awaiting_policies`, or `new` before its `scheduled_at` (ours): it is `rejected`, and what was held for it is available again. A key with a `max_payout` can never do either.',
    source: '§4.3',
    payload: approvePayout,
    answer: resultOf(answer),
    reasons: ['InvalidState', 'InsufficientFunds'],
  },
  confirmations: {
    summary: 'Count the confirmations of payouts',
    description: 'In the order in which they were asked for.',
    source: '§4.3',
    payload: askConfirmations,
    answer: listOf(confirmations),
    reasons: ['NotFound'],
  },
  resend: {
    summary: 'Send the last callback of a payout again',
    description: 'With the same id and bytes, to the address that the profile has now.',
    source: '§4.3',
    answer: payoutResent,
  },
} satisfies Record<string, Operation>;

/** §4.3 */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/payouts/', authorized('payouts:read', operations.list), async (c) => {
    const { rows, pagination } = await listPayoutPage(context, c.get('account').id, filters(c, FILTERS));
    return c.json({ pagination, result: rows.map(presentPayout) });
  });

  app.post('/v1/payouts/', authorized('payouts:write', operations.create), async (c) => {
    const { key, account, payload } = c.var;
    // §5, whatever else the key may do: who approves never creates.
    if (key.permissions.has('payouts:approve'))
      throw new ServiceError('PermissionDenied', 'A key with the permission payouts:approve can never create payouts.');
    const { type, payout } = await createPayout(context, { accountId: account.id, key }, payload);
    if (type === 'estimate') return c.json({ result: presentEstimate(payout) });
    return c.json({ result: presentPayout(payout) }, type === 'created' ? 201 : 200);
  });

  // Asks, and changes nothing: a key that may read may ask.
  app.post('/v1/payouts/confirmations/', authorized('payouts:read', operations.confirmations), async (c) => {
    return c.json({ result: await countConfirmations(context, c.get('account').id, c.get('payload')) });
  });

  app.get('/v1/payouts/:id/', authorized('payouts:read', operations.get), async (c) => {
    const payout = await getPayout(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentPayout(payout) });
  });

  app.put('/v1/payouts/:id/', authorized('payouts:approve', operations.decide), async (c) => {
    const { key, account, payload } = c.var;
    if (key.maxPayout !== null) throw new ServiceError('PermissionDenied', 'A key with a max_payout can never approve or reject payouts.');
    const { name } = await context.db.selectFrom('api_key').select('name').where('id', '=', key.id).executeTakeFirstOrThrow();
    const payout = await decidePayout(context, { accountId: account.id, username: name, email: null }, c.req.param('id'), payload);
    return c.json({ result: presentPayout(payout) });
  });

  app.post('/v1/payouts/:id/resend-callback/', authorized('payouts:write', operations.resend), async (c) => {
    const payout = await getPayout(context, c.get('account').id, c.req.param('id'));
    return c.json(await resendCallback(context, payout));
  });

  return app;
}
