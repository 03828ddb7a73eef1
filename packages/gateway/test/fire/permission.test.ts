import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/account/permission.ts';
import { loadConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { call } from '../../src/http/test-call.ts';
import { testContext, type TestContext } from '../../src/test-context.ts';
import { databaseDigest } from '../database-digest.ts';
import { household, type Household } from './household.ts';
import { requestOf, routesOf } from './requests.ts';

let context: TestContext;
let app: ReturnType<typeof createApp>;
let home: Household;
let stranger: Household;
beforeAll(async () => {
  const limits = { RATE_LIMIT_RPS: '100000', RATE_LIMIT_BURST: '100000' };
  context = await testContext({ config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent', ...limits }) });
  app = createApp(context);
  home = await household(context, app, 'Home');
  stranger = await household(context, app, 'Stranger');
});
afterAll(() => context.close());

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('whatever route', () => {
  it('is closed to a key that has every permission but its own, and nothing is changed', async () => {
    const digest = await databaseDigest(context.db);
    for (const route of routesOf(app)) {
      const key = await home.addKey(PERMISSIONS.filter((permission) => permission !== route.permission));
      const before = await digest();
      const { path, payload } = await requestOf(route, home);
      const { status, body } = await call(app, key, route.method, path, payload);
      expect([route.name, status, body.reason]).toEqual([route.name, 403, 'PermissionDenied']);
      expect(await digest(), route.name).toBe(before);
    }
  });

  it('knows nothing of another account’s resources: they are as unknown as what nobody has, and nothing is changed', async () => {
    const digest = await databaseDigest(context.db);
    const before = await digest();
    for (const route of routesOf(app).filter(({ hasId }) => hasId)) {
      const key = route.permission === 'payouts:approve' ? home.approver : home.key;
      const answers = [];
      for (const id of [(await requestOf(route, stranger)).path.split('/')[3]!, UNKNOWN]) {
        const { path, payload } = await requestOf(route, home, 0, id);
        const { status, body } = await call(app, key, route.method, path, payload);
        answers.push({ status, reason: body.reason, message: body.message });
      }
      expect([route.name, answers[0]]).toEqual([route.name, answers[1]]);
      expect([route.name, answers[0]?.status, answers[0]?.reason]).toEqual([route.name, 404, 'NotFound']);
    }
    expect(await digest()).toBe(before);
  });

  it('takes no reference to another account’s resources, wherever one is named', async () => {
    const digest = await databaseDigest(context.db);
    const before = await digest();
    const theirs = Object.values(stranger.ids);
    for (const route of routesOf(app)) {
      const { payload } = await requestOf(route, home, 1);
      for (const [name, value] of Object.entries(payload)) {
        const foreign = foreignOf(value);
        if (foreign === undefined) continue;
        const key = route.permission === 'payouts:approve' ? home.approver : home.key;
        const { path } = await requestOf(route, home);
        const { status, body } = await call(app, key, route.method, path, { ...payload, [name]: foreign });
        if (status === 200) expect(JSON.stringify(body), `${route.name} ${name}`).not.toContain([foreign].flat()[0]);
        else expect([route.name, name, body.reason]).toEqual([route.name, name, expect.stringMatching(/^(NotFound|ValidationError)$/)]);
      }
    }
    expect(await digest()).toBe(before);
    expect(theirs.length).toBeGreaterThan(0);
  });

  it('filters by another account’s resources find nothing', async () => {
    for (const route of routesOf(app)) {
      for (const name of route.operation?.filters ?? []) {
        const noun = { invoice_id: 'invoices', profile_id: 'profiles', account_id: 'accounts', wallet_id: 'wallets' }[name];
        if (noun === undefined) continue;
        const { path, payload } = await requestOf(route, home);
        const { status, body } = await call(app, home.key, route.method, path, { ...payload, [name]: stranger.ids[noun] });
        if (status === 200) expect([route.name, name, body.result]).toEqual([route.name, name, []]);
        else expect([route.name, name, status]).toEqual([route.name, name, 404]);
      }
    }
  });
});

/** The stranger's in place of ours; undefined for what is no reference. */
function foreignOf(value: unknown): string | string[] | undefined {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    const swapped = value.map((item) => [foreignOf(item) ?? item].flat()[0]!);
    return swapped.some((item, at) => item !== value[at]) ? swapped : undefined;
  }
  const noun = Object.keys(home.ids).find((name) => home.ids[name] === value);
  if (noun !== undefined) return stranger.ids[noun];
  const chain = [...home.wallets].find(([, id]) => id === value)?.[0];
  return chain === undefined ? undefined : stranger.wallets.get(chain);
}
