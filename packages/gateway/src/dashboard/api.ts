import type {
  Callback,
  ListedCallback,
  Page,
  Payout,
  Profile,
  Refund,
  Session,
} from '@crypto-checkout/protocol/dashboard';
import { EVENTS } from '@crypto-checkout/protocol/event';
import { type Context as HonoContext, Hono } from 'hono';
import { z } from 'zod';
import { dismissAlarm } from '../alarm/dismiss.ts';
import { isOperatorAccount } from '../alarm/store.ts';
import { getCallback, listCallbacks } from '../callback/list.ts';
import { resendCallbackById } from '../callback/resend.ts';
import { isSandboxAllowed } from '../sandbox/routes.ts';
import type { Context } from '../context.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { pageNumber, pagination } from '../http/pagination.ts';
import { filters } from '../http/payload.ts';
import type { Limits } from '../http/rate-limit.ts';
import { decidePayout, type Approver } from '../payout/approval/decide.ts';
import { getPayout } from '../payout/get.ts';
import { listPayoutPage, OPERATOR_FILTERS } from '../payout/list.ts';
import { presentPayout } from '../payout/present.ts';
import { replacementOf, requestReplacement } from '../payout/sending/replace.ts';
import { isWaiting } from '../payout/state.ts';
import { presentProfile } from '../profile/present.ts';
import { unavailableKinds } from '../profile/unavailable-kinds.ts';
import { listProfiles } from '../profile/store.ts';
import { decideRefund } from '../refund/decide.ts';
import { getRefund } from '../refund/get.ts';
import { FILTERS as REFUND_FILTERS, listRefundPage } from '../refund/list.ts';
import { readChoice } from '../resource/filters.ts';
import { assignMoney, dismissMoney, notFound } from '../unassigned/assign.ts';
import { readAttention } from './attention.ts';
import { readBalances } from './balance-history.ts';
import { readBody } from './body.ts';
import { callbacksOf } from './callbacks-of.ts';
import { readFunding } from './funding.ts';
import { fromOwnPage } from './own-page.ts';
import { paymentRoutes } from './payment-routes.ts';
import { presentRefunds } from './present.ts';
import { ruleRoutes } from './rule-routes.ts';
import { nameOf, requireSession, signIn, signOut } from './session.ts';
import { readRules } from './rules.ts';
import { readSales } from './sales.ts';
import { sendTestTransaction, testTransactionSchema } from './simulated-payment.ts';

/**
 * The data of the dashboard: the resources' own functions and presentations, always for the
 * session's account. Each path below `requireSession` answers 401 without content to others.
 */
export function apiRoutes(context: Context, limits: Limits): Hono<Env> {
  const app = new Hono<Env>();
  const startedAt = context.clock.real();
  app.use('/dashboard/api/*', fromOwnPage(context.config));
  app.post('/dashboard/api/sign-in/', (c) => signIn(c, context, limits));

  app.use('/dashboard/api/*', requireSession(context, limits));
  app.post('/dashboard/api/sign-out/', (c) => signOut(c, context));
  app.get('/dashboard/api/session/', (c) => c.json({ result: readSession(c, context) }));
  app.get('/dashboard/api/attention/', async (c) =>
    c.json({ result: await readAttention(context, c.get('account').id) }),
  );
  app.post('/dashboard/api/alarms/:id/dismiss/', async (c) => {
    return c.json({
      result: await dismissAlarm(context, c.get('account').id, c.req.param('id'), nameOf(c)),
    });
  });
  app.get('/dashboard/api/profiles/', async (c) => {
    const profiles = await listProfiles(context.db, c.get('account').id);
    const unavailable = await unavailableKinds(context, startedAt);
    return c.json({
      result: profiles.map((profile) => presentProfile(profile, unavailable)) satisfies Profile[],
    });
  });
  app.get('/dashboard/api/balances/', async (c) => {
    return c.json({
      result: await readBalances(context, c.get('account').id, filters(c, ['days']).days),
    });
  });
  app.get('/dashboard/api/sales/', async (c) =>
    c.json({ result: await readSales(context, c.get('account').id) }),
  );
  app.get('/dashboard/api/funding/', async (c) =>
    c.json({ result: await readFunding(context, c.get('account').id) }),
  );
  app.post('/dashboard/api/test-transactions/', async (c) => {
    const { invoiceId, paid } = await sendTestTransaction(
      context,
      c.get('account'),
      await readBody(c, testTransactionSchema),
    );
    return c.json({ result: { invoice_id: invoiceId, paid } }, 201);
  });
  app.get('/dashboard/api/rules/', async (c) =>
    c.json({ result: await readRules(context, c.get('account').id) }),
  );
  ruleRoutes(app, context);
  unassigned(app, context);
  paymentRoutes(app, context);
  payouts(app, context);
  refunds(app, context);
  callbacks(app, context);
  return app;
}

/** The signed-in person and their account. */
export function readSession(c: HonoContext<Env>, context: Context): Session {
  const { account, session } = c.var;
  return {
    account: {
      id: account.id,
      name: account.name,
      network: account.isTestnet ? 'testnet' : 'mainnet',
    },
    email: session.email,
    ends_at: session.endsAt,
    can_test: account.isTestnet && isSandboxAllowed(context),
  };
}

const settlementSchema = z.object({ reason: z.string() });

/**
 * Unassigned money is for the operator and goes to the session's account; the command line offers
 * other accounts.
 */
function unassigned(app: Hono<Env>, context: Context): void {
  app.post('/dashboard/api/unassigned/:id/assign/', async (c) => {
    return c.json({
      result: await assignMoney(context, {
        ...(await settlement(c)),
        accountId: c.get('account').id,
      }),
    });
  });
  app.post('/dashboard/api/unassigned/:id/dismiss/', async (c) => {
    return c.json({ result: await dismissMoney(context, await settlement(c)) });
  });
  const settlement = async (c: HonoContext<Env>) => {
    if (!(await isOperatorAccount(context.db, c.get('account').id))) throw notFound();
    const { reason } = await readBody(c, settlementSchema);
    return { id: c.req.param('id')!, reason, by: nameOf(c) };
  };
}

const decisionSchema = z.object({ approve: z.boolean() });

/** Adds the route by which the signed-in operator approves or rejects. */
function addDecision(
  app: Hono<Env>,
  resource: 'payouts' | 'refunds',
  decide: (approver: Approver, id: string, approve: boolean) => Promise<object>,
): void {
  app.post(`/dashboard/api/${resource}/:id/decide/`, async (c) => {
    const { account, session } = c.var;
    const { approve } = await readBody(c, decisionSchema);
    const approver = { accountId: account.id, username: nameOf(c), email: session.email };
    return c.json({ result: await decide(approver, c.req.param('id'), approve) });
  });
}

function payouts(app: Hono<Env>, context: Context): void {
  app.get('/dashboard/api/payouts/', async (c) => {
    const { rows, pagination } = await listPayoutPage(
      context,
      c.get('account').id,
      filters(c, OPERATOR_FILTERS),
    );
    return c.json({ pagination, result: rows.map(presentPayout) } satisfies Page<Payout>);
  });
  app.get('/dashboard/api/payouts/:id/', async (c) => {
    const payout = await getPayout(context, c.get('account').id, c.req.param('id'));
    const { scheduled_at } = payout;
    const result = {
      ...presentPayout(payout),
      scheduled_at,
      is_waiting: isWaiting(payout, context.clock.now()),
      ...(await replacementOf(context, payout)),
    };
    return c.json({
      result,
      callbacks: await callbacksOf(context, c.get('account').id, [payout.id]),
    });
  });
  addDecision(app, 'payouts', async (approver, id, approve) =>
    presentPayout(await decidePayout(context, approver, id, { approve })),
  );
  for (const intent of ['bump', 'cancel'] as const)
    app.post(`/dashboard/api/payouts/:id/${intent}/`, async (c) => {
      const approver = { accountId: c.get('account').id, username: nameOf(c) };
      const payout = await requestReplacement(context, approver, c.req.param('id'), intent);
      return c.json({ result: presentPayout(payout) });
    });
}

function refunds(app: Hono<Env>, context: Context): void {
  app.get('/dashboard/api/refunds/', async (c) => {
    const { rows, pagination } = await listRefundPage(
      context,
      c.get('account').id,
      filters(c, REFUND_FILTERS),
    );
    const result = await presentRefunds(context, rows);
    return c.json({ pagination, result } satisfies Page<Refund>);
  });
  app.get('/dashboard/api/refunds/:id/', async (c) => {
    const refund = await getRefund(context, c.get('account').id, c.req.param('id'));
    const callbacks = await callbacksOf(context, c.get('account').id, [refund.id]);
    const [result] = await presentRefunds(context, [refund]);
    return c.json({ result, callbacks });
  });
  addDecision(app, 'refunds', async (approver, id, approve) => {
    const refund = await decideRefund(context, approver, id, { is_approved: approve });
    return (await presentRefunds(context, [refund]))[0]!;
  });
}

const CALLBACK_STATES = ['pending', 'delivered', 'failed'] as const;

function callbacks(app: Hono<Env>, context: Context): void {
  app.get('/dashboard/api/callbacks/', async (c) => {
    const {
      p,
      state,
      event,
      resource_id: resourceId,
    } = filters(c, ['p', 'state', 'event', 'resource_id']);
    const page = pageNumber(p);
    const filter = {
      state: readChoice('state', CALLBACK_STATES, state),
      event: readChoice('event', EVENTS, event),
      resourceId,
      page,
    };
    const { rows, count } = await listCallbacks(context.db, c.get('account').id, filter);
    return c.json({
      pagination: pagination(page, count),
      result: rows,
    } satisfies Page<ListedCallback>);
  });
  app.get('/dashboard/api/callbacks/:id/', async (c) => {
    const callback = await getCallback(context.db, c.get('account').id, c.req.param('id'));
    if (!callback) throw new ServiceError('NotFound', 'There is no callback with this id.');
    return c.json({ result: callback satisfies Callback });
  });
  app.post('/dashboard/api/callbacks/:id/resend/', async (c) => {
    return c.json({
      result: await resendCallbackById(context, c.get('account').id, c.req.param('id')),
    });
  });
}
