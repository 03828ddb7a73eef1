import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import {
  askConfirmations,
  confirmations,
} from '@crypto-checkout/protocol/schema/fields/confirmations';
import { pageOf } from '@crypto-checkout/protocol/schema/fields/pagination';
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
import { countConfirmations } from '../resource/confirmations.ts';
import { createPayout } from './create.ts';
import { approverOf } from './approval/approver.ts';
import { decidePayout } from './approval/decide.ts';
import { getPayout } from './get.ts';
import { FILTERS, listPayoutPage } from './list.ts';
import { presentEstimate, presentPayout } from './present.ts';
import { requestReplacement } from './sending/replace.ts';
import { resendCallback } from './resend.ts';

const operations = {
  list: {
    summary: 'List payouts',
    description: 'Newest first, 25 on a page.',
    source: 'Payout operations',
    filters: FILTERS,
    answer: pageOf(answer),
  },
  create: {
    summary: 'Create a payout',
    description:
      'With a `reference_id`, a repeated request returns the same payout. Without an answer, or with an error without a `reason`, the payout may exist and be sent: look it up, and never treat it as failed.',
    source: 'Create a payout',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    otherwise: {
      description:
        'The payout that an earlier identical request created; with `estimate_only` an estimate, which is not stored and has no ids.',
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
  get: { summary: 'Get a payout', source: 'Payout operations', answer: resultOf(answer) },
  decide: {
    summary: 'Approve or reject a payout',
    description:
      'An approved draft becomes `new`, with its network fee as it is now, any other draft `rejected`. As an extension, `approve: true` also resumes a payout that is `awaiting_policies`, and `approve: false` cancels one that is `scheduled`, `awaiting_funds`, `awaiting_policies`, or `new` before its `scheduled_at`: it becomes `rejected`, and its held funds are available again. A key with a `max_payout` or `max_payout_daily` can do neither.',
    source: 'Approve and reject',
    payload: approvePayout,
    answer: resultOf(answer),
    reasons: ['InvalidState', 'InsufficientFunds'],
  },
  bump: {
    summary: 'Send a payout again for a higher fee',
    description:
      'For a payout whose transaction waits for its block. A second transaction with a higher fee takes the place of the first; one of them is mined. The same request within 30 seconds changes nothing.',
    source: 'Bump and cancel',
    isExtension: true,
    answer: resultOf(answer),
    reasons: ['InvalidState', 'InsufficientFunds'],
  },
  cancel: {
    summary: 'Cancel a payout that waits for its block',
    description:
      'A second transaction that pays nobody takes the place of the first. The payout is `failed` once that one is final; until then the first can still be mined, and the payout is paid. The network fee is spent. The same request again changes nothing.',
    source: 'Bump and cancel',
    isExtension: true,
    answer: resultOf(answer),
    reasons: ['InvalidState', 'InsufficientFunds'],
  },
  confirmations: {
    summary: 'Count the confirmations of payouts',
    description: 'In the order of the request.',
    source: 'Payout operations',
    payload: askConfirmations,
    answer: listOf(confirmations),
    reasons: ['NotFound'],
  },
  resend: {
    summary: 'Send the last callback of a payout again',
    description: 'With the same id and bytes, to the current callback URL of the profile.',
    source: 'Resending',
    answer: payoutResent,
  },
} satisfies Record<string, Operation>;

/** Routes of docs/interface.md, "Payout operations". */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/payouts/', authorized('payouts:read', operations.list), async (c) => {
    const { rows, pagination } = await listPayoutPage(
      context,
      c.get('account').id,
      filters(c, FILTERS),
    );
    return c.json({ pagination, result: rows.map(presentPayout) });
  });

  app.post('/v1/payouts/', authorized('payouts:write', operations.create), async (c) => {
    const { key, account, payload } = c.var;
    // Separation of duties: a key that approves never creates, whatever its other permissions are.
    if (key.permissions.has('payouts:approve'))
      throw new ServiceError(
        'PermissionDenied',
        'A key with the permission payouts:approve cannot create payouts.',
      );
    const { type, payout } = await createPayout(context, { accountId: account.id, key }, payload);
    if (type === 'estimate') return c.json({ result: presentEstimate(payout) });
    return c.json({ result: presentPayout(payout) }, type === 'created' ? 201 : 200);
  });

  // Changes nothing, so read permission is enough.
  app.post(
    '/v1/payouts/confirmations/',
    authorized('payouts:read', operations.confirmations),
    async (c) => {
      return c.json({
        result: await countConfirmations(context, 'payout', c.get('account').id, c.get('payload')),
      });
    },
  );

  app.get('/v1/payouts/:id/', authorized('payouts:read', operations.get), async (c) => {
    const payout = await getPayout(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentPayout(payout) });
  });

  app.put('/v1/payouts/:id/', authorized('payouts:approve', operations.decide), async (c) => {
    const approver = await approverOf(context, c.var);
    const payout = await decidePayout(context, approver, c.req.param('id'), c.var.payload);
    return c.json({ result: presentPayout(payout) });
  });

  for (const intent of ['bump', 'cancel'] as const)
    app.post(
      `/v1/payouts/:id/${intent}/`,
      authorized('payouts:approve', operations[intent]),
      async (c) => {
        const approver = await approverOf(context, c.var);
        const payout = await requestReplacement(context, approver, c.req.param('id'), intent);
        return c.json({ result: presentPayout(payout) });
      },
    );

  app.post(
    '/v1/payouts/:id/resend-callback/',
    authorized('payouts:write', operations.resend),
    async (c) => {
      const payout = await getPayout(context, c.get('account').id, c.req.param('id'));
      return c.json(await resendCallback(context, payout));
    },
  );

  return app;
}
