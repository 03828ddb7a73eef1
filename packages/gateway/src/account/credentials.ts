import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { callbackToken } from './callback-token.ts';
import { listProofKeys } from './proof-key-store.ts';
import { type FirstStart, ORDER_SECRET, SHOP_SECRET } from './first-start.ts';

/**
 * Writes `credentials.json` and `bff.json` (0600) into the data folder from the database, at every
 * start: files that were deleted, or missed by a killed start, are restored.
 * @param gatewayUrl address that the service listens on
 */
export async function writeCredentials(
  context: Context,
  made: FirstStart,
  gatewayUrl: string,
): Promise<void> {
  const { config, secrets } = context;
  const api = await readKey(context, made.account_id, made.api_key_id);
  const approve = await readKey(context, made.account_id, made.approve_key_id);
  const bff = await readKey(context, made.account_id, made.bff_key_id);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  if (bff)
    writeWhole(join(config.dataDir, 'bff.json'), { api_key: bff.key, api_secret: bff.secret });
  writeWhole(join(config.dataDir, 'credentials.json'), {
    gateway_url: gatewayUrl,
    public_url: config.publicUrl,
    shop_url: config.shopUrl,
    ...(api ? { api_key: api.key, api_secret: api.secret } : {}),
    ...(approve ? { approve_key: approve.key, approve_secret: approve.secret } : {}),
    callback_token: await callbackToken(context, context.db, made.account_id),
    profile_id: made.profile_id,
    ...(await proofKeys(context, made.account_id)),
    account_id: made.account_id,
    order_secret: secrets.unseal(made.order_secret_sealed, ORDER_SECRET),
    shop_secret: secrets.unseal(made.shop_secret_sealed, SHOP_SECRET),
  });
}

/** The public keys that a page pins as `proof-key`: one, or two during a rotation. */
async function proofKeys({ db }: Context, accountId: string): Promise<{ proof_key?: string }> {
  const keys = await listProofKeys(db, accountId);
  const pinned = keys.filter(({ state }) => state !== 'previous');
  return pinned.length === 0 ? {} : { proof_key: pinned.map((key) => key.public_key).join(' ') };
}

/** Deleted keys are left out. */
async function readKey(
  { db, secrets }: Context,
  accountId: string,
  id: string,
): Promise<{ key: string; secret: string } | null> {
  const row = await db
    .selectFrom('api_key')
    .select(['api_key', 'secret_sealed'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? { key: row.api_key, secret: secrets.unseal(row.secret_sealed, id) } : null;
}

/** Readers see the old file or the new one, never half of one. */
function writeWhole(file: string, content: object): void {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const fresh = `${file}.new-${process.pid}`;
  const handle = openSync(fresh, 'w', 0o600);
  writeSync(handle, text);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(fresh, file);
}
