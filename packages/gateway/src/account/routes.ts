import { accountSettings, createSubAccount, subAccount, updateSubAccount as updateSchema } from '@crypto-checkout/protocol/schema/account';
import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { createAccount } from './create.ts';
import { requireIntegrator } from './integrator.ts';
import { presentSettings, presentSubAccount } from './present.ts';
import { listSubAccounts } from './store.ts';
import { requireSubAccount, updateSubAccount } from './update.ts';

const integrators = 'For integrator keys only.';
const operations = {
  settings: { summary: 'Get the account of the key', source: '§4.9', answer: resultOf(accountSettings) },
  list: { summary: 'List sub accounts', description: `${integrators} Oldest first.`, source: '§4.10', answer: listOf(subAccount) },
  create: {
    summary: 'Create a sub account',
    description: `${integrators} It gets a wallet for each chain and a default profile; its keys are created with /v1/api-keys/.`,
    source: '§4.10',
    payload: createSubAccount,
    answer: resultOf(subAccount),
    status: 201,
  },
  get: { summary: 'Get a sub account', description: integrators, source: '§4.10', answer: resultOf(subAccount) },
  update: {
    summary: 'Update a sub account',
    description: `${integrators} What is left out stays.`,
    source: '§4.10',
    payload: updateSchema,
    answer: resultOf(subAccount),
  },
} as const satisfies Record<string, Operation>;

/** §4.9, account; §4.10. The keys of §4.11 are in `key-routes.ts`. */
export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();

  app.get('/v1/account/settings/', authorized('account:read', operations.settings), (c) =>
    c.json({ result: presentSettings(context, c.get('account')) }),
  );

  app.get('/v1/accounts/', authorized('account:read', operations.list), async (c) => {
    requireIntegrator(c.get('key'));
    const accounts = await listSubAccounts(context.db, c.get('account').id);
    return c.json({ result: accounts.map((account) => presentSubAccount(context, account)) });
  });

  app.post('/v1/accounts/', authorized('account:write', operations.create), async (c) => {
    requireIntegrator(c.get('key'));
    const account = await createAccount(context, { parentId: c.get('account').id }, c.get('payload'));
    return c.json({ result: presentSubAccount(context, account) }, 201);
  });

  app.get('/v1/accounts/:id/', authorized('account:read', operations.get), async (c) => {
    requireIntegrator(c.get('key'));
    const account = await requireSubAccount(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentSubAccount(context, account) });
  });

  app.put('/v1/accounts/:id/', authorized('account:write', operations.update), async (c) => {
    requireIntegrator(c.get('key'));
    const account = await updateSubAccount(context, c.get('account').id, c.req.param('id'), c.get('payload'));
    return c.json({ result: presentSubAccount(context, account) });
  });

  return app;
}
