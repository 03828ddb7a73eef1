import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { presentProfile } from './present.ts';
import { findProfile, listProfiles } from './store.ts';

/** §4.5 */
export function routes({ db }: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/profiles/', authorized('profiles:read'), async (c) => {
    const profiles = await listProfiles(db, c.var.account.id);
    return c.json({ result: profiles.map(presentProfile) });
  });

  app.get('/v1/profiles/:id/', authorized('profiles:read'), async (c) => {
    const id = c.req.param('id');
    const profile = isUuid(id) ? await findProfile(db, c.var.account.id, id) : null;
    if (!profile) throw new ServiceError('NotFound', 'There is no profile with this id.');
    return c.json({ result: presentProfile(profile) });
  });

  return app;
}
