import type { Context } from '../context.ts';
import type { TestKey } from '../http/test-call.ts';
import { createAccount } from './create.ts';
import { createKey, keySecret, type KeyOwner } from './create-key.ts';
import type { KeyRow } from './key-store.ts';
import { API_KEY_PERMISSIONS } from './permission.ts';
import type { AccountRow } from './store.ts';

export interface MadeKey extends TestKey {
  row: KeyRow;
}

/** A key of an account in clear: with every permission but approving, unless told otherwise. */
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

/** An account of its own, with an integrator key and an ordinary one. */
export async function testIntegrator(context: Context, name: string): Promise<{ account: AccountRow; integrator: MadeKey; api: MadeKey }> {
  const account = await createAccount(context, {}, { name });
  const integrator = await testKey(context, { accountId: account.id, isIntegratorKey: true }, { name: `${name} integrator` });
  return { account, integrator, api: await testKey(context, { accountId: account.id }) };
}
