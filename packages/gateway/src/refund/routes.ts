import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { pageOf } from '@crypto-checkout/protocol/schema/fields/pagination';
import {
  approveRefund,
  createRefund as createSchema,
  offerRefund as offerSchema,
  refund as answer,
  refundable,
  refundEstimate,
} from '@crypto-checkout/protocol/schema/refund';
import { transaction } from '@crypto-checkout/protocol/schema/transaction';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import type { Operation } from '../http/operation.ts';
import { filters } from '../http/payload.ts';
import { approverOf } from '../payout/approval/approver.ts';
import { presentTransaction } from '../transaction/present.ts';
import { createRefund } from './create.ts';
import { decideRefund } from './decide.ts';
import { getRefund } from './get.ts';
import { FILTERS, listRefundPage } from './list.ts';
import { acceptLate, offerRefund } from './offer.ts';
import { presentEstimate, presentRefund } from './present.ts';
import { listRefundable } from './refundable.ts';

const operations = {
  list: {
    summary: 'List refunds',
    description: 'Newest first, 25 on a page.',
    source: 'Refund operations',
    isExtension: true,
    filters: FILTERS,
    answer: pageOf(answer),
  },
  create: {
    summary: 'Create a refund',
    description:
      'Returns the money of one final transaction. With `refunds:write` the refund is `requested` and waits for an approval; with `payouts:write` its payout is made at once, within the `max_payout` of the key. The service counts the amount. The same request again returns the same refund.',
    source: 'Create a refund',
    isExtension: true,
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    otherwise: {
      description:
        'The refund that an earlier identical request created; with `estimate_only` an estimate, which is not stored.',
      answer: resultOf(refundEstimate),
    },
    reasons: [
      'InvalidAddress',
      'ShopAddress',
      'InvalidState',
      'AlreadyExists',
      'DuplicateReference',
      'InsufficientFunds',
      'PayoutNetworkFeeTooHigh',
      'LnurlError',
      'NotFound',
    ],
  },
  get: {
    summary: 'Get a refund',
    source: 'Refund operations',
    isExtension: true,
    answer: resultOf(answer),
  },
  decide: {
    summary: 'Approve or reject a refund',
    description:
      'An approved refund is sent by a payout that needs no further approval. A rejected one counts no longer: its transaction counts again. A key with a `max_payout` or `max_payout_daily` can do neither.',
    source: 'Refund operations',
    isExtension: true,
    payload: approveRefund,
    answer: resultOf(answer),
    reasons: [
      'InvalidState',
      'InsufficientFunds',
      'InvalidAddress',
      'ShopAddress',
      'PayoutNetworkFeeTooHigh',
    ],
  },
  refundable: {
    summary: 'List what can be refunded of an invoice',
    source: 'Refund operations',
    isExtension: true,
    answer: listOf(refundable),
  },
  offer: {
    summary: 'Offer a refund of a transaction',
    description: 'The buyer can then ask for it. `0` ends the offer.',
    source: 'Refund operations',
    isExtension: true,
    payload: offerSchema,
    answer: resultOf(transaction),
  },
  accept: {
    summary: 'Accept a late payment',
    description:
      'Records that the shop counts it, so that it cannot be refunded as late. It changes no status.',
    source: 'Refund operations',
    isExtension: true,
    answer: resultOf(transaction),
    reasons: ['InvalidState'],
  },
} satisfies Record<string, Operation>;

/** Routes of docs/interface.md, "Refund operations". */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  refundRoutes(app, context);
  paymentRoutes(app, context);
  return app;
}

function refundRoutes(app: Hono<Env>, context: Context): void {
  app.get('/v1/refunds/', authorized('refunds:read', operations.list), async (c) => {
    const { rows, pagination } = await listRefundPage(
      context,
      c.get('account').id,
      filters(c, FILTERS),
    );
    return c.json({ pagination, result: rows.map(presentRefund) });
  });

  app.post(
    '/v1/refunds/',
    authorized('refunds:write', operations.create, 'payouts:write'),
    async (c) => {
      const { key, account, payload } = c.var;
      // Separation of duties, as for payouts.
      if (key.permissions.has('payouts:approve'))
        throw new ServiceError(
          'PermissionDenied',
          'A key with the permission payouts:approve cannot create refunds.',
        );
      const canPayOut = key.permissions.has('payouts:write');
      const caller = { accountId: account.id, key, canPayOut };
      const { type, refund } = await createRefund(context, caller, payload);
      if (type === 'estimate') return c.json({ result: presentEstimate(refund) });
      return c.json({ result: presentRefund(refund) }, type === 'created' ? 201 : 200);
    },
  );

  app.get('/v1/refunds/:id/', authorized('refunds:read', operations.get), async (c) => {
    const refund = await getRefund(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentRefund(refund) });
  });

  app.put('/v1/refunds/:id/', authorized('payouts:approve', operations.decide), async (c) => {
    const approver = await approverOf(context, c.var);
    const refund = await decideRefund(context, approver, c.req.param('id'), c.var.payload);
    return c.json({ result: presentRefund(refund) });
  });
}

function paymentRoutes(app: Hono<Env>, context: Context): void {
  app.get(
    '/v1/invoices/:id/refundable/',
    authorized('refunds:read', operations.refundable),
    async (c) => {
      const { account, key } = c.var;
      const found = await listRefundable(context, account.id, c.req.param('id'));
      // A buyer is not offered what a request could not get.
      const isOff = context.config.refunds === 'off' && !key.permissions.has('payouts:write');
      return c.json({ result: isOff ? [] : found });
    },
  );

  app.post(
    '/v1/transactions/:id/offer-refund/',
    authorized('payouts:write', operations.offer),
    async (c) => {
      const { account, payload } = c.var;
      const offered = await offerRefund(context, account.id, c.req.param('id'), payload);
      return c.json({ result: presentTransaction(offered) });
    },
  );

  app.post(
    '/v1/transactions/:id/accept-late/',
    authorized('invoices:write', operations.accept),
    async (c) => {
      const accepted = await acceptLate(context, c.get('account').id, c.req.param('id'));
      return c.json({ result: presentTransaction(accepted) });
    },
  );
}
