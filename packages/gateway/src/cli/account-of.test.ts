import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureFirstStart } from '../account/first-start.ts';
import { loadConfig } from '../config.ts';
import { testContext, type TestContext } from '../test-context.ts';
import { accountOf } from './account-of.ts';

let context: TestContext;

beforeAll(async () => void (context = await testContext()));
afterAll(() => context.close());

it('finds the first account without moving its profile to a callback address that only the command line has', async () => {
  const made = await ensureFirstStart(context);
  const config = loadConfig({ SECRETS_KEY: '00'.repeat(32), CALLBACK_URL: 'https://other.example/callbacks' });
  expect((await accountOf({ ...context, config }, undefined)).id).toBe(made.account_id);
  const profile = await context.db.selectFrom('profile').select('callback_url').where('id', '=', made.profile_id).executeTakeFirstOrThrow();
  expect(profile.callback_url).toBe(context.config.callbackUrl);
});

it('names the option that was used', async () => {
  await expect(accountOf(context, 'nope', '--parent')).rejects.toThrow(
    '--parent takes an account\'s id, not "nope"; accounts list shows them.',
  );
});

it('refuses what is no id, and one that nobody has', async () => {
  await expect(accountOf(context, 'x')).rejects.toThrow(/takes an account's id/);
  await expect(accountOf(context, '00000000-0000-4000-8000-000000000000')).rejects.toThrow(/There is no account/);
});
