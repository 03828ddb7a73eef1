import { CHAINS, type ChainId, kindOf } from '@crypto-checkout/protocol/kind';
import { createSubAccount as schema } from '@crypto-checkout/protocol/schema/account';
import type { Insertable } from 'kysely';
import { configuredKinds } from '../engine/served-chains.ts';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import type { AccountTable } from '../database/tables/account.ts';
import { validate } from '../http/payload.ts';
import { PROFILE_DEFAULTS } from '../profile/create.ts';
import { type CurrencyRow, insertProfile } from '../profile/store.ts';
import { addProofKey } from './proof-key-store.ts';
import { freeSlug } from './slug.ts';
import { type AccountRow, findAccount } from './store.ts';
import { addWallets } from './wallets.ts';

export interface AccountOwner {
  /** The integrator's account; null for an account of the operator's own. Default null. */
  parentId?: string | null;
}

/**
 * Creates an account with a wallet for each chain and a default profile, as the first start does,
 * but without keys.
 * @param input the unparsed payload; `name` is required
 * @throws ServiceError `ValidationError`; then nothing was written
 * @example const { id, profiles } = await createAccount(context, {}, { name: 'Second shop' });
 */
export async function createAccount(
  context: Context,
  { parentId = null }: AccountOwner,
  input: unknown,
): Promise<AccountRow> {
  const payload = validate(schema, input);
  return transact(context.db, async (trx) => {
    const slug = parentId === null ? null : await freeSlug(trx, parentId, payload.name);
    const { accountId } = await addAccount(context, trx, { ...payload, parent_id: parentId, slug });
    return (await findAccount(trx, accountId))!;
  });
}

export interface NewAccount extends Partial<
  Pick<
    Insertable<AccountTable>,
    'parent_id' | 'slug' | 'can_add_exchange' | 'show_internal_tx' | 'whitelabel_fee'
  >
> {
  name: string;
  /** Callback address of the default profile. Default: none. */
  callbackUrl?: string;
}

/** The same inside a transaction. */
export async function addAccount(
  context: Context,
  trx: Trx,
  { callbackUrl, ...columns }: NewAccount,
): Promise<{ accountId: string; profileId: string }> {
  const { ids, secrets, chains, clock } = context;
  const created_at = timestamp(clock.now());
  const accountId = ids.uuid();
  const callback_token_sealed = secrets.seal(Buffer.from(ids.bytes(32)).toString('hex'), accountId);
  await trx
    .insertInto('account')
    .values({
      ...columns,
      id: accountId,
      is_testnet: isTestnet(context),
      callback_token_sealed,
      created_at,
    })
    .execute();
  await addProofKey(context, trx, accountId, 'current');
  const wallets = await addWallets(context, trx, accountId);
  const profileId = ids.uuid();
  const profile = {
    ...PROFILE_DEFAULTS,
    account_id: accountId,
    id: profileId,
    name: 'Default profile',
    created_at,
  };
  await insertProfile(
    trx,
    { ...profile, callback_url: callbackUrl ?? null },
    everyCurrency(chains, wallets),
  );
  return { accountId, profileId };
}

/** All accounts of a service are on one network. */
export function isTestnet({ chains }: Pick<Context, 'chains'>): boolean {
  return [...chains.values()].every(({ network }) => network === 'testnet');
}

/** Every kind of the settings: a chain whose node does not answer yet is offered later. */
function everyCurrency(
  chains: Context['chains'],
  wallets: ReadonlyMap<ChainId, string>,
): CurrencyRow[] {
  return configuredKinds({ chains }).map((kind) => ({
    kind,
    wallet_id: walletOf(kind, wallets),
    custom_fee: null,
    min_confirmations: null,
    zero_conf_max_amount: null,
  }));
}

function walletOf(kind: string, wallets: ReadonlyMap<ChainId, string>): string {
  const chain = kindOf(kind)?.chain;
  const wallet = chain && wallets.get(CHAINS[chain].walletChain);
  if (!wallet) throw new Error(`A chain offers a kind that has no wallet: ${kind}`);
  return wallet;
}
