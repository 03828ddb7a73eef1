import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
import {
  apiKey,
  createApiKey,
  rotateApiKey,
  updateApiKey,
} from '@crypto-checkout/protocol/schema/api-key';
import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { authorized } from '../../http/authorized.ts';
import type { Env } from '../../http/env.ts';
import { ServiceError } from '../../http/error.ts';
import type { Operation } from '../../http/operation.ts';
import { validate } from '../../http/payload.ts';
import { createKey } from './create-key.ts';
import { requireIntegrator } from '../integrator.ts';
import { findKey, listKeys, removeKey } from './key-store.ts';
import { noKey, requireChangeable, requireKey, scopeOf } from './key.ts';
import { presentKey } from './present-key.ts';
import { rotateKey } from './rotate-key.ts';
import { requireSubAccount } from '../update.ts';
import { updateKey } from './update-key.ts';

const integrators = 'For integrator keys only; applies to the keys of sub accounts.';
const answer = resultOf(apiKey);
const operations = {
  list: {
    summary: 'List API keys',
    description:
      'Lists the keys of the account. Integrator keys also list the keys of its sub accounts and receive secrets in clear; in their own account only those of keys without further permissions.',
    source: 'API keys',
    answer: listOf(apiKey),
  },
  get: { summary: 'Get an API key', source: 'API keys', answer },
  create: {
    summary: 'Create an API key',
    description: integrators,
    source: 'API keys',
    payload: createApiKey,
    answer,
    status: 201,
    reasons: ['NotFound'],
  },
  update: {
    summary: 'Update an API key',
    description: `${integrators} An omitted member is not changed, null clears it.`,
    source: 'API keys',
    payload: updateApiKey,
    answer,
  },
  delete: {
    summary: 'Delete an API key',
    description: `${integrators} The key stops working at once.`,
    source: 'API keys',
    answer,
  },
  rotate: {
    summary: 'Rotate the secret of an API key',
    description: `${integrators} The old secret stops working at once, or after \`grace_seconds\`.`,
    source: 'API keys',
    isExtension: true,
    payload: rotateApiKey,
    answer,
  },
} as const satisfies Record<string, Operation>;

/** The endpoints of API keys (docs/interface.md, "API keys"). */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/api-keys/', authorized('api-keys:read', operations.list), async (c) => {
    const { key } = c.var;
    const keys = await listKeys(context.db, scopeOf(key));
    return c.json({ result: keys.map((row) => presentKey(context, row, key)) });
  });

  app.post('/v1/api-keys/', authorized('api-keys:write', operations.create), async (c) => {
    const { key, payload } = c.var;
    requireIntegrator(key);
    const { account_id } = validate(createApiKey, payload);
    const { id: accountId } = await subAccountOf(context, key.accountId, account_id);
    const creator = await findKey(context.db, scopeOf(key), key.id);
    const created = await createKey(
      context,
      { accountId, createdBy: creator?.name ?? 'API' },
      payload,
    );
    return c.json({ result: presentKey(context, created, key) }, 201);
  });

  app.get('/v1/api-keys/:id/', authorized('api-keys:read', operations.get), async (c) => {
    const row = await requireKey(context, c.get('key'), c.req.param('id'));
    return c.json({ result: presentKey(context, row, c.get('key')) });
  });

  app.put('/v1/api-keys/:id/', authorized('api-keys:write', operations.update), async (c) => {
    const row = await requireChangeable(context, c.get('key'), c.req.param('id'));
    return c.json({
      result: presentKey(context, await updateKey(context, row, c.get('payload')), c.get('key')),
    });
  });

  app.delete('/v1/api-keys/:id/', authorized('api-keys:write', operations.delete), async (c) => {
    const row = await requireChangeable(context, c.get('key'), c.req.param('id'));
    const deleted = await removeKey(context.db, row);
    if (!deleted) throw noKey();
    return c.json({ result: presentKey(context, deleted, c.get('key')) });
  });

  app.post(
    '/v1/api-keys/:id/rotate/',
    authorized('api-keys:write', operations.rotate),
    async (c) => {
      const row = await requireChangeable(context, c.get('key'), c.req.param('id'));
      return c.json({
        result: presentKey(context, await rotateKey(context, row, c.get('payload')), c.get('key')),
      });
    },
  );

  return app;
}

async function subAccountOf(
  context: Context,
  parentId: string,
  id: string,
): Promise<{ id: string }> {
  try {
    return await requireSubAccount(context, parentId, id);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const errors = [
      { field: 'account_id', message: 'must be the id of a sub account of this account' },
    ];
    throw new ServiceError(error.reason, 'There is no sub account with this account_id.', {
      errors,
      cause: error,
    });
  }
}
