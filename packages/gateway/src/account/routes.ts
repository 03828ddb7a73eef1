import {
  accountSettings,
  createSubAccount,
  subAccount,
  updateSubAccount as updateSchema,
} from '@crypto-checkout/protocol/schema/account';
import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
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
  settings: {
    summary: 'Get the account of the key',
    source: 'Account settings',
    answer: resultOf(accountSettings),
  },
  list: {
    summary: 'List sub accounts',
    description: `${integrators} Oldest first.`,
    source: 'Sub accounts',
    answer: listOf(subAccount),
  },
  create: {
    summary: 'Create a sub account',
    description: `${integrators} Creates a wallet for each chain and a default profile. Create its keys with /v1/api-keys/.`,
    source: 'Sub accounts',
    payload: createSubAccount,
    answer: resultOf(subAccount),
    status: 201,
  },
  get: {
    summary: 'Get a sub account',
    description: integrators,
    source: 'Sub accounts',
    answer: resultOf(subAccount),
  },
  update: {
    summary: 'Update a sub account',
    description: `${integrators} An omitted member is not changed.`,
    source: 'Sub accounts',
    payload: updateSchema,
    answer: resultOf(subAccount),
  },
} as const satisfies Record<string, Operation>;

/** The endpoints of the account and its sub accounts. Those of API keys are in `key-routes.ts`. */
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
    const account = await createAccount(
      context,
      { parentId: c.get('account').id },
      c.get('payload'),
    );
    return c.json({ result: presentSubAccount(context, account) }, 201);
  });

  app.get('/v1/accounts/:id/', authorized('account:read', operations.get), async (c) => {
    requireIntegrator(c.get('key'));
    const account = await requireSubAccount(context, c.get('account').id, c.req.param('id'));
    return c.json({ result: presentSubAccount(context, account) });
  });

  app.put('/v1/accounts/:id/', authorized('account:write', operations.update), async (c) => {
    requireIntegrator(c.get('key'));
    const account = await updateSubAccount(
      context,
      c.get('account').id,
      c.req.param('id'),
      c.get('payload'),
    );
    return c.json({ result: presentSubAccount(context, account) });
  });

  return app;
}
