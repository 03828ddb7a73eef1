import { sql } from 'kysely';
import { z } from 'zod';
import { ConfigError } from '../config.ts';
import type { Context } from '../context.ts';
import { transact, type Db, type Trx } from '../database/database.ts';
import { ForbiddenDestinationError, requireStatedDestination } from '../outbound/outbound.ts';
import { addAccount, isTestnet } from './create.ts';
import { addKey } from './keys/create-key.ts';
import { addMissingWallets } from './wallets.ts';
import { addMissingProofKeys } from './proof-key-store.ts';
import {
  API_KEY_PERMISSIONS,
  APPROVE_KEY_PERMISSIONS,
  BFF_KEY_PERMISSIONS,
  type Permission,
} from './keys/permission.ts';

/** Ids that the first start created, stored in the table `setting`. */
const firstStart = z.object({
  account_id: z.string(),
  profile_id: z.string(),
  api_key_id: z.string(),
  approve_key_id: z.string(),
  bff_key_id: z.string(),
  /** The last configured callback address; the profile follows it until an address is set there. */
  callback_url: z.string(),
  order_secret_sealed: z.string(),
  shop_secret_sealed: z.string(),
});
export type FirstStart = z.infer<typeof firstStart>;

export const ORDER_SECRET = 'order_secret';
export const SHOP_SECRET = 'shop_secret';
const SETTING = 'first_start';

/**
 * Creates the account, a wallet for each chain, the default profile and three API keys in one
 * transaction, once; later starts find them, and add wallets of chains that are new.
 * @throws ConfigError when the database belongs to the other network or was sealed with another
 * key, or when CALLBACK_URL is not allowed
 */
export async function ensureFirstStart(context: Context): Promise<FirstStart> {
  const made = await transact(context.db, async (trx) => {
    const { numAffectedRows } = await sql`
      insert into setting (name, value) values (${SETTING}, 'null') on conflict do nothing`.execute(
      trx,
    );
    if (numAffectedRows === 1n) {
      const created = await createAll(context, trx);
      await save(trx, created);
      return created;
    }
    const row = await trx
      .selectFrom('setting')
      .select('value')
      .where('name', '=', SETTING)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await addMissingWallets(context, trx);
    return followCallbackUrl(context, trx, firstStart.parse(row.value));
  });
  await addMissingProofKeys(context);
  await requireSameNetwork(context.db, {
    isTestnet: isTestnet(context),
    hasNodes: [...context.chains.values()].some(({ source }) => source === 'node'),
  });
  context.secrets.unseal(made.order_secret_sealed, ORDER_SECRET);
  return made;
}

/** The result of the first start; null before it. A changed setting changes nothing here. */
export async function findFirstStart({ db }: Pick<Context, 'db'>): Promise<FirstStart | null> {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirst();
  return row === undefined ? null : firstStart.nullable().parse(row.value);
}

/** @throws ConfigError when the database was sealed with another key */
export async function requireSameSecrets(context: Pick<Context, 'db' | 'secrets'>): Promise<void> {
  const made = await findFirstStart(context);
  if (made !== null) context.secrets.unseal(made.order_secret_sealed, ORDER_SECRET);
}

async function createAll(context: Context, trx: Trx): Promise<FirstStart> {
  const { ids, secrets, config } = context;
  requireCallbackUrl(context);
  const { accountId, profileId } = await addAccount(context, trx, {
    name: 'Default account',
    callbackUrl: config.callbackUrl,
  });
  const owner = { accountId, createdBy: 'first start' };
  const key = async (
    name: string,
    permissions: readonly Permission[],
    nonce_window = false,
  ): Promise<string> => (await addKey(context, trx, owner, { name, permissions, nonce_window })).id;
  return {
    account_id: accountId,
    profile_id: profileId,
    api_key_id: await key('API', API_KEY_PERMISSIONS),
    approve_key_id: await key('Approve', APPROVE_KEY_PERMISSIONS),
    bff_key_id: await key('BFF', BFF_KEY_PERMISSIONS, true),
    callback_url: config.callbackUrl,
    order_secret_sealed: secrets.seal(hex(ids.bytes(32)), ORDER_SECRET),
    shop_secret_sealed: secrets.seal(hex(ids.bytes(32)), SHOP_SECRET),
  };
}

/** The profile follows `CALLBACK_URL` while it still has the address from there. */
async function followCallbackUrl(
  context: Context,
  trx: Trx,
  made: FirstStart,
): Promise<FirstStart> {
  const { config } = context;
  if (made.callback_url === config.callbackUrl) return made;
  const { numUpdatedRows } = await trx
    .updateTable('profile')
    .set({ callback_url: config.callbackUrl })
    .where('account_id', '=', made.account_id)
    .where('id', '=', made.profile_id)
    .where('callback_url', '=', made.callback_url)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) requireCallbackUrl(context);
  const followed = { ...made, callback_url: config.callbackUrl };
  await save(trx, followed);
  return followed;
}

/**
 * A configured address must pass the same checks as over the API, while it can still be corrected.
 * The default address is not checked: a standalone service has no BFF there.
 */
function requireCallbackUrl(context: Context): void {
  const { callbackUrl, publicUrl, outboundAllow } = context.config;
  if (callbackUrl === `${publicUrl}/callbacks`) return;
  const allowHttp = isTestnet(context);
  try {
    requireStatedDestination(new URL(callbackUrl), outboundAllow, allowHttp);
  } catch (error) {
    if (!(error instanceof ForbiddenDestinationError)) throw error;
    const opened =
      error.opening === null ? '' : ` To open it, add ${error.opening} to OUTBOUND_ALLOW.`;
    const schemes = allowHttp ? 'http or https' : 'https';
    throw new ConfigError(
      `CALLBACK_URL must be an ${schemes} URL that may be called: ${error.message}.${opened}`,
      { cause: error },
    );
  }
}

async function save(trx: Trx, made: FirstStart): Promise<void> {
  await trx
    .updateTable('setting')
    .set({ value: JSON.stringify(made) })
    .where('name', '=', SETTING)
    .execute();
}

/** Whether the database belongs to a test network; null before the first start. */
export async function isTestnetDatabase(db: Db): Promise<boolean | null> {
  const { rows } = await sql<{ is_testnet: boolean }>`
    select a.is_testnet from setting s join account a on a.id::text = s.value->>'account_id'
    where s.name = ${SETTING}`.execute(db);
  return rows[0]?.is_testnet ?? null;
}

/**
 * Before anything else is compared: keys and chains of another network differ in any case.
 * @throws ConfigError when the database belongs to the other network
 */
export async function requireSameNetwork(
  db: Db,
  { isTestnet: isTest, hasNodes }: { isTestnet: boolean; hasNodes: boolean },
): Promise<void> {
  const stored = await isTestnetDatabase(db);
  if (stored === null || stored === isTest) return;
  if (isTest && !hasNodes)
    throw new ConfigError(
      "The database belongs to a main network, but no node is set: run this with all of the gateway's settings, those of its nodes included (such as ETH_RPC_URL).",
    );
  const [database, chains] = stored
    ? ['a test network', 'a main network']
    : ['a main network', 'a test network'];
  throw new ConfigError(
    `The database belongs to ${database}, but the chains are configured for ${chains}; use another DATA_DIR or DATABASE_URL.`,
  );
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
