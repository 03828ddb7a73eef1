import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/account/keys/permission.ts';
import { createApp } from '../../src/app.ts';
import { call, testConfig } from '../support/call.ts';
import { testContext, type TestContext } from '../support/context.ts';
import { databaseDigest } from '../support/database-digest.ts';
import { createAccountFixture, type AccountFixture } from './account-fixture.ts';
import { requestOf, routesOf } from './requests.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let account: AccountFixture;
let otherAccount: AccountFixture;
beforeAll(async () => {
  context = await testContext({ config: testConfig({ LOG_LEVEL: 'silent' }) });
  app = createApp(context);
  account = await createAccountFixture(context, app, 'Account');
  otherAccount = await createAccountFixture(context, app, 'Other account');
});
afterAll(() => context.close());

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('every route', () => {
  it('rejects a key with all permissions except its own, and changes nothing', async () => {
    const digest = await databaseDigest(context.db);
    for (const route of routesOf(app)) {
      const key = await account.addKey(
        PERMISSIONS.filter(
          (permission) => permission !== route.permission && permission !== route.alternative,
        ),
      );
      const before = await digest();
      const { path, payload } = await requestOf(route, account);
      const { status, body } = await call(app, key, route.method, path, payload);
      expect([route.name, status, body.reason]).toEqual([route.name, 403, 'PermissionDenied']);
      expect(await digest(), route.name).toBe(before);
    }
  });

  it('answers ids of another account like unknown ids, and changes nothing', async () => {
    const digest = await databaseDigest(context.db);
    const before = await digest();
    for (const route of routesOf(app).filter(({ hasId }) => hasId)) {
      const key = route.permission === 'payouts:approve' ? account.approver : account.key;
      const answers = [];
      for (const id of [(await requestOf(route, otherAccount)).path.split('/')[3]!, UNKNOWN]) {
        const { path, payload } = await requestOf(route, account, 0, id);
        const { status, body } = await call(app, key, route.method, path, payload);
        answers.push({ status, reason: body.reason, message: body.message });
      }
      expect([route.name, answers[0]]).toEqual([route.name, answers[1]]);
      expect([route.name, answers[0]?.status, answers[0]?.reason]).toEqual([
        route.name,
        404,
        'NotFound',
      ]);
    }
    expect(await digest()).toBe(before);
  });

  it('rejects references to resources of another account', async () => {
    const digest = await databaseDigest(context.db);
    const before = await digest();
    const otherIds = Object.values(otherAccount.ids);
    for (const route of routesOf(app)) {
      const { payload } = await requestOf(route, account, 1);
      for (const [name, value] of Object.entries(payload)) {
        const foreign = foreignReference(value);
        if (foreign === undefined) continue;
        const key = route.permission === 'payouts:approve' ? account.approver : account.key;
        const { path } = await requestOf(route, account);
        const { status, body } = await call(app, key, route.method, path, {
          ...payload,
          [name]: foreign,
        });
        if (status === 200)
          expect(JSON.stringify(body), `${route.name} ${name}`).not.toContain([foreign].flat()[0]);
        else
          expect([route.name, name, body.reason]).toEqual([
            route.name,
            name,
            expect.stringMatching(/^(NotFound|ValidationError)$/),
          ]);
      }
    }
    expect(await digest()).toBe(before);
    expect(otherIds.length).toBeGreaterThan(0);
  });

  it('returns nothing for filters by resources of another account', async () => {
    for (const route of routesOf(app)) {
      for (const name of route.operation?.filters ?? []) {
        const noun = {
          invoice_id: 'invoices',
          profile_id: 'profiles',
          account_id: 'accounts',
          wallet_id: 'wallets',
        }[name];
        if (noun === undefined) continue;
        const { path, payload } = await requestOf(route, account);
        const { status, body } = await call(app, account.key, route.method, path, {
          ...payload,
          [name]: otherAccount.ids[noun],
        });
        if (status === 200) expect([route.name, name, body.result]).toEqual([route.name, name, []]);
        else expect([route.name, name, status]).toEqual([route.name, name, 404]);
      }
    }
  });
});

/** The other account's id in place of our own; undefined when the value is no reference. */
function foreignReference(value: unknown): string | string[] | undefined {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    const swapped = value.map((item) => [foreignReference(item) ?? item].flat()[0]!);
    return swapped.some((item, at) => item !== value[at]) ? swapped : undefined;
  }
  const noun = Object.keys(account.ids).find((name) => account.ids[name] === value);
  if (noun !== undefined) return otherAccount.ids[noun];
  const chain = [...account.wallets].find(([, id]) => id === value)?.[0];
  return chain === undefined ? undefined : otherAccount.wallets.get(chain);
}
