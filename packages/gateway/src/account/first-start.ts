import { CHAINS, type ChainId, kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { z } from 'zod';
import { ConfigError } from '../config.ts';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { API_KEY_PERMISSIONS, APPROVE_KEY_PERMISSIONS, BFF_KEY_PERMISSIONS, type Permission } from './permission.ts';

/** What the first start made, kept in the table `setting`. */
const firstStart = z.object({
  account_id: z.string(),
  profile_id: z.string(),
  api_key_id: z.string(),
  approve_key_id: z.string(),
  bff_key_id: z.string(),
  /** What the configuration said last; the profile follows it until somebody sets another address there. */
  callback_url: z.string(),
  order_secret_sealed: z.string(),
  shop_secret_sealed: z.string(),
});
export type FirstStart = z.infer<typeof firstStart>;

export const ORDER_SECRET = 'order_secret';
export const SHOP_SECRET = 'shop_secret';
const SETTING = 'first_start';

/**
 * Makes the account, a wallet per chain, the default profile and three API keys, once: all in one transaction, and any later
 * start finds them.
 * @throws ConfigError when the database belongs to the other network, or was sealed with another key
 */
export async function ensureFirstStart(context: Context): Promise<FirstStart> {
  const made = await transact(context.db, async (trx) => {
    const { numAffectedRows } = await sql`
      insert into setting (name, value) values (${SETTING}, 'null') on conflict do nothing`.execute(trx);
    if (numAffectedRows === 1n) {
      const created = await createAll(context, trx);
      await save(trx, created);
      return created;
    }
    const row = await trx.selectFrom('setting').select('value').where('name', '=', SETTING).forUpdate().executeTakeFirstOrThrow();
    return followCallbackUrl(context, trx, firstStart.parse(row.value));
  });
  await requireSameNetwork(context, made.account_id);
  context.secrets.unseal(made.order_secret_sealed, ORDER_SECRET);
  return made;
}

async function createAll(context: Context, trx: Trx): Promise<FirstStart> {
  const { ids, secrets, config, clock } = context;
  const at = timestamp(clock.now());
  const accountId = ids.uuid();
  await trx
    .insertInto('account')
    .values({
      id: accountId,
      name: 'Default account',
      is_testnet: isTestnet(context),
      callback_token_sealed: secrets.seal(hex(ids.bytes(32)), accountId),
      created_at: at,
    })
    .execute();
  const profileId = await createProfile(context, trx, accountId, at);
  const key = (name: string, permissions: readonly Permission[], nonceWindow = false): Promise<string> =>
    createKey(context, trx, { accountId, name, permissions, nonceWindow, at });
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

/** Every kind that a chain can receive now is enabled, paid into the wallet of its chain (lightning into bitcoin's). */
async function createProfile({ ids, chains, config }: Context, trx: Trx, accountId: string, at: string): Promise<string> {
  const wallets = new Map<ChainId, string>();
  for (const chain of new Set([...chains.keys()].map((id) => CHAINS[id].walletChain))) wallets.set(chain, ids.uuid());
  const profileId = ids.uuid();
  for (const [chain, id] of wallets) {
    const wallet = { account_id: accountId, id, name: `${CHAINS[chain].name} wallet`, chain, created_at: at };
    await trx.insertInto('wallet').values(wallet).execute();
  }
  await trx
    .insertInto('profile')
    .values({
      account_id: accountId,
      id: profileId,
      name: 'Default profile',
      invoice_expiration: 900,
      addresses_expiration: 604_800,
      callback_url: config.callbackUrl,
      created_at: at,
    })
    .execute();
  const currencies = [...chains.values()].flatMap((adapter) => adapter.kinds).map((kind) => ({ kind, wallet_id: walletOf(kind, wallets) }));
  if (currencies.length > 0) {
    const rows = currencies.map((currency) => ({ account_id: accountId, profile_id: profileId, min_confirmations: 1, ...currency }));
    await trx.insertInto('profile_currency').values(rows).execute();
  }
  return profileId;
}

function walletOf(kind: string, wallets: ReadonlyMap<ChainId, string>): string {
  const chain = kindOf(kind)?.chain;
  const wallet = chain && wallets.get(CHAINS[chain].walletChain);
  if (!wallet) throw new Error(`A chain offers a kind that has no wallet: ${kind}`);
  return wallet;
}

interface NewKey {
  accountId: string;
  name: string;
  permissions: readonly Permission[];
  nonceWindow: boolean;
  at: string;
}

async function createKey({ ids, secrets }: Context, trx: Trx, { accountId, name, permissions, nonceWindow, at }: NewKey): Promise<string> {
  const id = ids.uuid();
  await trx
    .insertInto('api_key')
    .values({
      account_id: accountId,
      id,
      // The prefixes let scanners find a key that leaked.
      api_key: `ck_${hex(ids.bytes(16))}`,
      secret_sealed: secrets.seal(`cs_${hex(ids.bytes(32))}`, id),
      name,
      created_by: 'first start',
      created_at: at,
      updated_at: at,
      permissions: [...permissions],
      nonce_window: nonceWindow,
    })
    .execute();
  return id;
}

/** The profile goes with `CALLBACK_URL` while it still has the address that came from there. */
async function followCallbackUrl({ config }: Context, trx: Trx, made: FirstStart): Promise<FirstStart> {
  if (made.callback_url === config.callbackUrl) return made;
  await trx
    .updateTable('profile')
    .set({ callback_url: config.callbackUrl })
    .where('account_id', '=', made.account_id)
    .where('id', '=', made.profile_id)
    .where('callback_url', '=', made.callback_url)
    .execute();
  const followed = { ...made, callback_url: config.callbackUrl };
  await save(trx, followed);
  return followed;
}

async function save(trx: Trx, made: FirstStart): Promise<void> {
  await trx
    .updateTable('setting')
    .set({ value: JSON.stringify(made) })
    .where('name', '=', SETTING)
    .execute();
}

function isTestnet({ chains }: Context): boolean {
  return [...chains.values()].every(({ network }) => network === 'testnet');
}

async function requireSameNetwork(context: Context, accountId: string): Promise<void> {
  const account = await context.db.selectFrom('account').select('is_testnet').where('id', '=', accountId).executeTakeFirstOrThrow();
  if (account.is_testnet === isTestnet(context)) return;
  const [database, chains] = account.is_testnet ? ['a test network', 'a main network'] : ['a main network', 'a test network'];
  throw new ConfigError(
    `The database belongs to ${database}, but the chains are configured for ${chains}; use another DATA_DIR or DATABASE_URL.`,
  );
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
