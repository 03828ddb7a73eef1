import { createApiKey } from '@crypto-checkout/protocol/schema/api-key';
import type { Context } from '../../context.ts';
import { timestamp, type Trx } from '../../database/database.ts';
import type { Db } from '../../database/database.ts';
import { validate } from '../../http/payload.ts';
import { insertKey, type KeyRow } from './key-store.ts';
import { newKey, newSecret } from '../secrets.ts';
import { requireWhitelist } from '../whitelist.ts';

export interface KeyOwner {
  accountId: string;
  /** The creator's name, for people. */
  createdBy: string;
  /**
   * Whether the key may manage sub accounts and their keys; set on the command line only. Default
   * false.
   */
  isIntegratorKey?: boolean;
}

const schema = createApiKey.omit({ account_id: true });

/**
 * Creates an API key. `keySecret` reads its secret.
 * @param input the unparsed payload; `name` and `permissions` are required
 * @throws ServiceError `ValidationError`; then nothing was written
 * @example const key = await createKey(context, { accountId, createdBy: 'operator' }, { name:
 * 'Shop', permissions: ['invoices:read'] });
 */
export async function createKey(
  context: Context,
  owner: KeyOwner,
  input: unknown,
): Promise<KeyRow> {
  return addKey(context, context.db, owner, input);
}

/** The same inside a transaction. */
export async function addKey(
  context: Context,
  trx: Db | Trx,
  owner: KeyOwner,
  input: unknown,
): Promise<KeyRow> {
  const { ids, secrets, clock } = context;
  const {
    name,
    permissions,
    max_payout = null,
    max_payout_daily = null,
    whitelist_ip,
    nonce_window,
  } = validate(schema, input);
  requireWhitelist(whitelist_ip ?? []);
  const at = timestamp(clock.now());
  const id = ids.uuid();
  return insertKey(trx, {
    account_id: owner.accountId,
    id,
    api_key: newKey(ids),
    secret_sealed: secrets.seal(newSecret(ids), id),
    name,
    created_by: owner.createdBy,
    created_at: at,
    updated_at: at,
    is_integrator_key: owner.isIntegratorKey ?? false,
    permissions,
    max_payout,
    max_payout_daily,
    whitelist_ip: whitelist_ip ?? [],
    nonce_window: nonce_window ?? false,
  });
}

/** The secret in clear; the caller must be allowed to read it. */
export function keySecret(
  { secrets }: Pick<Context, 'secrets'>,
  { secret_sealed, id }: Pick<KeyRow, 'secret_sealed' | 'id'>,
): string {
  return secrets.unseal(secret_sealed, id);
}
