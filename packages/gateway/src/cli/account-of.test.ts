import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureFirstStart } from '../account/first-start.ts';
import { loadConfig } from '../config.ts';
import { testContext, type TestContext } from '../../test/support/context.ts';
import { accountOf } from './account-of.ts';

let context: TestContext;

beforeAll(async () => void (context = await testContext()));
afterAll(() => context.close());

it('finds the first account without changing its callback URL', async () => {
  const made = await ensureFirstStart(context);
  const config = loadConfig({
    SECRETS_KEY: '00'.repeat(32),
    CALLBACK_URL: 'https://other.example/callbacks',
  });
  expect((await accountOf({ ...context, config }, undefined)).id).toBe(made.account_id);
  const profile = await context.db
    .selectFrom('profile')
    .select('callback_url')
    .where('id', '=', made.profile_id)
    .executeTakeFirstOrThrow();
  expect(profile.callback_url).toBe(context.config.callbackUrl);
});

it('names the option that was used', async () => {
  await expect(accountOf(context, 'nope', '--parent')).rejects.toThrow(
    '--parent takes an account\'s id, not "nope". List them with: accounts list',
  );
});

it('refuses a malformed and an unknown id', async () => {
  await expect(accountOf(context, 'x')).rejects.toThrow(/takes an account's id/);
  await expect(accountOf(context, '00000000-0000-4000-8000-000000000000')).rejects.toThrow(
    /No account has the id/,
  );
});
