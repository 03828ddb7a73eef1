import { updateApiKey as schema } from '@crypto-checkout/protocol/schema/api-key';
import type { Context } from '../../context.ts';
import { timestamp } from '../../database/database.ts';
import { validate } from '../../http/payload.ts';
import { type KeyId, type KeyRow, saveKey } from './key-store.ts';
import { noKey } from './key.ts';
import { requireWhitelist } from '../whitelist.ts';

/**
 * Changes a key's permissions and limits, from the next request on. Absent members stay, null
 * clears.
 * @throws ServiceError `ValidationError`; `NotFound` when the key was deleted
 */
export async function updateKey(context: Context, key: KeyId, input: unknown): Promise<KeyRow> {
  const { name, permissions, max_payout, max_payout_daily, whitelist_ip } = validate(schema, input);
  requireWhitelist(whitelist_ip ?? []);
  const saved = await saveKey(context.db, key, {
    updated_at: timestamp(context.clock.now()),
    ...(name === undefined ? {} : { name }),
    ...(permissions === undefined ? {} : { permissions }),
    ...(max_payout === undefined ? {} : { max_payout }),
    ...(max_payout_daily === undefined ? {} : { max_payout_daily }),
    ...(whitelist_ip === undefined ? {} : { whitelist_ip: whitelist_ip ?? [] }),
  });
  if (!saved) throw noKey();
  return saved;
}
