import type { Context } from '../../src/context.ts';
import type { TestKey } from './call.ts';
import { createAccount } from '../../src/account/create.ts';
import { createKey, keySecret, type KeyOwner } from '../../src/account/keys/create-key.ts';
import type { KeyRow } from '../../src/account/keys/key-store.ts';
import { API_KEY_PERMISSIONS } from '../../src/account/keys/permission.ts';
import type { AccountRow } from '../../src/account/store.ts';

export interface MadeKey extends TestKey {
  row: KeyRow;
}

/**
 * Creates an API key of an account and returns its secret. Default: every permission except
 * approving.
 */
export async function testKey(
  context: Context,
  owner: Pick<KeyOwner, 'accountId' | 'isIntegratorKey'>,
  payload: Record<string, unknown> = {},
): Promise<MadeKey> {
  const row = await createKey(
    context,
    { createdBy: 'test', ...owner },
    { name: 'Test', permissions: API_KEY_PERMISSIONS, nonce_window: true, ...payload },
  );
  return { key: row.api_key, secret: keySecret(context, row), row };
}

/** Creates a separate account with an integrator key and an ordinary one. */
export async function testIntegrator(
  context: Context,
  name: string,
): Promise<{ account: AccountRow; integrator: MadeKey; api: MadeKey }> {
  const account = await createAccount(context, {}, { name });
  const integrator = await testKey(
    context,
    { accountId: account.id, isIntegratorKey: true },
    { name: `${name} integrator` },
  );
  return { account, integrator, api: await testKey(context, { accountId: account.id }) };
}
