import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import {
  createProfile as createSchema,
  profile as answer,
  updateProfile as updateSchema,
} from '@crypto-checkout/protocol/schema/profile';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { createProfile } from './create.ts';
import { deleteProfile } from './delete.ts';
import { requireProfile } from './get.ts';
import { presentProfile, presentWrittenProfile } from './present.ts';
import { listProfiles } from './store.ts';
import { unavailableKinds } from './unavailable-kinds.ts';
import { updateProfile } from './update.ts';

const operations = {
  list: {
    summary: 'List profiles',
    description: 'Oldest first.',
    source: 'Profile operations',
    answer: listOf(answer),
  },
  create: {
    summary: 'Create a profile',
    source: 'Profile operations',
    payload: createSchema,
    answer: resultOf(answer),
    status: 201,
    reasons: ['NotFound'],
  },
  get: { summary: 'Get a profile', source: 'Profile operations', answer: resultOf(answer) },
  update: {
    summary: 'Update a profile',
    description:
      'An omitted member is not changed, null clears it. Coins that `currencies` omits are disabled.',
    source: 'Profile operations',
    payload: updateSchema,
    answer: resultOf(answer),
  },
  delete: {
    summary: 'Delete a profile',
    description:
      'Its invoices and payouts continue; new ones are not possible. The last profile of an account cannot be deleted.',
    source: 'Profile operations',
    answer: resultOf(answer),
    reasons: ['InvalidState'],
  },
} as const satisfies Record<string, Operation>;

/** The endpoints of profiles (docs/interface.md, "Profiles"). */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  const startedAt = context.clock.real();
  /** Read before a write: a failed reading must not answer 500 for what was written. */
  const unavailable = () => unavailableKinds(context, startedAt);

  app.get('/v1/profiles/', authorized('profiles:read', operations.list), async (c) => {
    const profiles = await listProfiles(context.db, c.get('account').id);
    const kinds = await unavailable();
    return c.json({ result: profiles.map((profile) => presentProfile(profile, kinds)) });
  });

  app.post('/v1/profiles/', authorized('profiles:write', operations.create), async (c) => {
    const kinds = await unavailable();
    const profile = await createProfile(context, c.get('account').id, c.get('payload'));
    return c.json({ result: presentWrittenProfile(profile, kinds) }, 201);
  });

  app.get('/v1/profiles/:id/', authorized('profiles:read', operations.get), async (c) => {
    const profile = await requireProfile(context.db, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentProfile(profile, await unavailable()) });
  });

  app.put('/v1/profiles/:id/', authorized('profiles:write', operations.update), async (c) => {
    const kinds = await unavailable();
    const profile = await updateProfile(
      context,
      c.get('account').id,
      c.req.param('id'),
      c.get('payload'),
    );
    return c.json({ result: presentWrittenProfile(profile, kinds) });
  });

  app.delete('/v1/profiles/:id/', authorized('profiles:write', operations.delete), async (c) => {
    const kinds = await unavailable();
    const profile = await deleteProfile(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentProfile(profile, kinds) });
  });

  return app;
}
