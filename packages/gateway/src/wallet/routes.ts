import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { filters } from '../http/payload.ts';
import { findProfile } from '../profile/store.ts';
import { presentWallet } from './present.ts';
import { findWallet, listWallets } from './store.ts';

/** §4.6 */
export function routes({ db }: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/wallets/', authorized('wallets:read'), async (c) => {
    const { profile_id: profileId } = filters(c, ['profile_id']);
    const accountId = c.var.account.id;
    const known = profileId === undefined || (isUuid(profileId) && (await findProfile(db, accountId, profileId)) !== null);
    if (!known) throw new ServiceError('NotFound', 'There is no profile with this id.');
    const wallets = await listWallets(db, accountId, profileId ?? null);
    return c.json({ result: wallets.map(presentWallet) });
  });

  // Without `result`: the interface's one exception among the reads (§4).
  app.get('/v1/wallets/:id/', authorized('wallets:read'), async (c) => {
    const id = c.req.param('id');
    const wallet = isUuid(id) ? await findWallet(db, c.var.account.id, id) : null;
    if (!wallet) throw new ServiceError('NotFound', 'There is no wallet with this id.');
    return c.json(presentWallet(wallet));
  });

  return app;
}
