import { Hono } from 'hono';
import type { Context } from '../context.ts';
import type { Env } from '../http/env.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { publicProofKey } from './proof-key.ts';
import { listProofKeys } from './proof-key-store.ts';

const MAX_AGE_SECONDS = 300;

/** The public keys of an account: unsigned, because anyone may check a proof or a receipt. */
export function routes({ db }: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/.well-known/crypto-checkout-keys/:id/', async (c) => {
    const id = /^(.+)\.json$/.exec(c.req.param('id'))?.[1] ?? '';
    const keys = isUuid(id) ? await listProofKeys(db, id) : [];
    // The next key is not published: pages get it from the operator before it signs anything.
    const shown = keys.filter(({ state }) => state !== 'next').toReversed();
    if (shown.length === 0) throw new ServiceError('NotFound', 'There are no keys at this path.');
    return c.json({ keys: shown.map(publicProofKey) }, 200, {
      'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
      'Access-Control-Allow-Origin': '*',
    });
  });

  return app;
}
