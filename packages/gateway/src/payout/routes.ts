import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { filters } from '../http/payload.ts';
import { countConfirmations } from './confirmations.ts';
import { createPayout } from './create.ts';
import { decidePayout } from './decide.ts';
import { getPayout } from './get.ts';
import { FILTERS, listPayoutPage } from './list.ts';
import { presentEstimate, presentPayout } from './present.ts';
import { resendCallback } from './resend.ts';

/** §4.3 */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/payouts/', authorized('payouts:read'), async (c) => {
    const { rows, pagination } = await listPayoutPage(context, c.var.account.id, filters(c, FILTERS));
    return c.json({ pagination, result: rows.map(presentPayout) });
  });

  app.post('/v1/payouts/', authorized('payouts:write'), async (c) => {
    const { key, account, payload } = c.var;
    // §5, whatever else the key may do: who approves never creates.
    if (key.permissions.has('payouts:approve'))
      throw new ServiceError('PermissionDenied', 'A key with the permission payouts:approve can never create payouts.');
    const { type, payout } = await createPayout(context, { accountId: account.id, key }, payload);
    if (type === 'estimate') return c.json({ result: presentEstimate(payout) });
    return c.json({ result: presentPayout(payout) }, type === 'created' ? 201 : 200);
  });

  // Asks, and changes nothing: a key that may read may ask.
  app.post('/v1/payouts/confirmations/', authorized('payouts:read'), async (c) => {
    return c.json({ result: await countConfirmations(context, c.var.account.id, c.var.payload) });
  });

  app.get('/v1/payouts/:id/', authorized('payouts:read'), async (c) => {
    const payout = await getPayout(context, c.var.account.id, c.req.param('id'));
    return c.json({ result: presentPayout(payout) });
  });

  app.put('/v1/payouts/:id/', authorized('payouts:approve'), async (c) => {
    const { key, account, payload } = c.var;
    if (key.maxPayout !== null) throw new ServiceError('PermissionDenied', 'A key with a max_payout can never approve or reject drafts.');
    const { name } = await context.db.selectFrom('api_key').select('name').where('id', '=', key.id).executeTakeFirstOrThrow();
    const payout = await decidePayout(context, { accountId: account.id, username: name, email: null }, c.req.param('id'), payload);
    return c.json({ result: presentPayout(payout) });
  });

  app.post('/v1/payouts/:id/resend-callback/', authorized('payouts:write'), async (c) => {
    const payout = await getPayout(context, c.var.account.id, c.req.param('id'));
    return c.json(await resendCallback(context, payout));
  });

  return app;
}
