import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { PERMISSIONS } from '../../src/account/keys/permission.ts';
import { timestamp } from '../../src/database/database.ts';
import { createApp } from '../../src/app.ts';
import type { Context } from '../../src/context.ts';
import { call, testAccount, type TestAnswer, type TestKey, testConfig } from './call.ts';
import { requireBooks } from './shop.ts';
import { tradeShop, type TradeShop } from './exchange.ts';

export interface TradeRoutes extends TradeShop {
  /** A signed request of the account's key. */
  send(method: string, path: string, members?: Record<string, unknown>): Promise<TestAnswer>;
  /** A wallet of another account. */
  foreignWallet: string;
  /** All rows that a request could have changed. */
  everything(): Promise<unknown>;
  /**
   * Expects every route of a resource to reject keys without its permission and keys of another
   * account.
   */
  requireClosed(
    resource: string,
    path: string,
    id: string,
    payload: Record<string, unknown>,
  ): Promise<void>;
}

export async function tradeRoutes(): Promise<TradeRoutes> {
  const config = testConfig({ LOG_LEVEL: 'silent' });
  const shop = await tradeShop({ overrides: { config } });
  const { context } = shop;
  const { db } = context;
  const app = createApp(context);
  const { api, api_key_id } = await testAccount(context);
  // Allows concurrent requests.
  await db
    .updateTable('api_key')
    .set({ nonce_window: true })
    .where('id', '=', api_key_id)
    .execute();
  const other = await addOtherAccount(context);
  const everything = (): Promise<unknown> => rowsOf(context);
  return {
    ...shop,
    foreignWallet: other.walletId,
    send: (method, path, members = {}) => call(app, api, method, path, members),
    everything,
    async requireClosed(resource, path, id, payload) {
      const before = await everything();
      const keys = {
        stranger: await addKey(context, other.id, PERMISSIONS),
        without: (permission: string) =>
          addKey(
            context,
            shop.accountId,
            PERMISSIONS.filter((one) => one !== permission),
          ),
      };
      await expectClosedToKeys(app, keys, { resource, path, id, payload });
      await expectUnknownIds(app, api, { path, id, payload });
      expect(await everything()).toEqual(before);
    },
  };
}

interface Target {
  resource: string;
  path: string;
  id: string;
  payload: Record<string, unknown>;
}
type App = ReturnType<typeof createApp>;

/** Expects 403 without the permission, and 404 or an empty list for a key of another account. */
async function expectClosedToKeys(
  app: App,
  keys: { stranger: TestKey; without: (permission: string) => Promise<TestKey> },
  { resource, path, id, payload }: Target,
): Promise<void> {
  const routes = [
    ['GET', path, 'read'],
    ['POST', path, 'write'],
    ['GET', `${path}${id}/`, 'read'],
    ['PUT', `${path}${id}/`, 'write'],
    ['DELETE', `${path}${id}/`, 'write'],
  ] as const;
  for (const [method, url, right] of routes) {
    const without = await keys.without(`${resource}:${right}`);
    const refused = await call(app, without, method, url, payload);
    expect([method, refused.status, refused.body.reason]).toEqual([
      method,
      403,
      'PermissionDenied',
    ]);
    const answer = await call(app, keys.stranger, method, url, payload);
    if (method === 'GET' && url === path) expect(answer.body).toEqual({ result: [] });
    else expect([method, answer.status, answer.body.reason]).toEqual([method, 404, 'NotFound']);
  }
}

/** Expects an error of the caller for every id that is not the account's. */
async function expectUnknownIds(
  app: App,
  api: TestKey,
  { path, id, payload }: Omit<Target, 'resource'>,
): Promise<void> {
  for (const unknownId of ['7f1f2b3c-0000-4000-8000-000000000000', 'x', '%00', id.toUpperCase()])
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await call(app, api, method, `${path}${unknownId}/`, payload);
      expect([unknownId, method, answer.status >= 400 && answer.status < 500]).toEqual([
        unknownId,
        method,
        true,
      ]);
    }
}

/** Another account with a wallet. */
async function addOtherAccount({
  db,
  ids,
  clock,
}: Context): Promise<{ id: string; walletId: string }> {
  const [id, walletId] = [ids.uuid(), ids.uuid()];
  const created_at = timestamp(clock.now());
  await db
    .insertInto('account')
    .values({ id, name: 'Other', is_testnet: true, callback_token_sealed: 'x', created_at })
    .execute();
  await db
    .insertInto('wallet')
    .values({ account_id: id, id: walletId, name: 'Theirs', chain: 'bitcoin', created_at })
    .execute();
  return { id, walletId };
}

async function addKey(
  { db, ids, clock, secrets }: Context,
  accountId: string,
  permissions: readonly string[],
): Promise<TestKey> {
  const id = ids.uuid();
  const made = {
    key: `ck_${randomBytes(8).toString('hex')}`,
    secret: `cs_${randomBytes(8).toString('hex')}`,
  };
  const at = timestamp(clock.now());
  await db
    .insertInto('api_key')
    .values({
      account_id: accountId,
      id,
      api_key: made.key,
      secret_sealed: secrets.seal(made.secret, id),
      name: 'a key',
      created_by: 'test',
      created_at: at,
      updated_at: at,
      permissions: [...permissions],
      nonce_window: true,
    })
    .execute();
  return made;
}

/** All rows that a request could have changed, after a check of the books. */
async function rowsOf(context: Context): Promise<unknown> {
  await requireBooks(context);
  const rows = async (table: string): Promise<unknown> =>
    (await sql`select * from ${sql.table(table)} order by 1, 2, 3`.execute(context.db)).rows;
  return Promise.all(['conversion', 'automatic_rule', 'exchange_order', 'balance'].map(rows));
}

/** A payload that is refused, with the answer. */
export type RefusedRow = [
  what: string,
  members: Record<string, unknown> | (() => Record<string, unknown>),
  status: number,
  reason: string,
  field: string,
];

export const membersOf = ([, members]: RefusedRow): Record<string, unknown> =>
  typeof members === 'function' ? members() : members;

/** Expects a rejection with reason and field, and no change. */
export async function requireRefused(
  shop: TradeRoutes,
  method: string,
  path: string,
  sent: Record<string, unknown>,
  [, , status, reason, field]: RefusedRow,
): Promise<void> {
  const before = await shop.everything();
  const answer = await shop.send(method, path, sent);
  const { body } = answer;
  expect([answer.status, body.reason, body.errors[0].field, typeof body.message]).toEqual([
    status,
    reason,
    field,
    'string',
  ]);
  expect(await shop.everything()).toEqual(before);
}
