import { rotateApiKey as schema } from '@crypto-checkout/protocol/schema/api-key';
import type { Context } from '../../context.ts';
import { timestamp } from '../../database/database.ts';
import { validate } from '../../http/payload.ts';
import { type KeyId, type KeyRow, saveSecret } from './key-store.ts';
import { noKey } from './key.ts';
import { newSecret } from '../secrets.ts';

/**
 * Gives a key a new secret (extension). The old one ends at once, or stays valid for
 * `grace_seconds` so that a running shop can change over; a secret before that one ends at once in
 * any case. Nonces continue.
 * @throws ServiceError `ValidationError`; `NotFound` when the key was deleted
 * @example const key = await rotateKey(context, { account_id, id }, { grace_seconds: 3600 });
 */
export async function rotateKey(
  context: Context,
  key: KeyId,
  input: unknown = {},
): Promise<KeyRow> {
  const { ids, secrets, clock } = context;
  const seconds = validate(schema, input).grace_seconds ?? 0;
  const saved = await saveSecret(context.db, key, {
    secret_sealed: secrets.seal(newSecret(ids), key.id),
    until: seconds === 0 ? null : timestamp(clock.real() + seconds * 1000),
    at: timestamp(clock.now()),
  });
  if (!saved) throw noKey();
  return saved;
}
