import {
  accountSettings,
  type AccountSettings,
  type CreateSubAccount,
  subAccount,
  type SubAccount,
  type UpdateSubAccount,
} from '@crypto-checkout/protocol/schema/account';
import { listOf, resultOf } from '@crypto-checkout/protocol/schema/answer';
import {
  apiKey,
  type ApiKey as ApiKeyRecord,
  type CreateApiKey,
  type RotateApiKey,
  type UpdateApiKey,
} from '@crypto-checkout/protocol/schema/api-key';
import {
  automaticConversion,
  type AutomaticConversion,
  type CreateAutomaticConversion,
  type UpdateAutomaticConversion,
} from '@crypto-checkout/protocol/schema/automatic-conversion';
import {
  automaticFunding,
  type AutomaticFunding,
  type CreateAutomaticFunding,
  type UpdateAutomaticFunding,
} from '@crypto-checkout/protocol/schema/automatic-funding';
import {
  automaticPayout,
  type AutomaticPayout,
  type CreateAutomaticPayout,
  type UpdateAutomaticPayout,
} from '@crypto-checkout/protocol/schema/automatic-payout';
import {
  conversion,
  type Conversion,
  type CreateConversion,
  type UpdateConversion,
  wholeConversion,
  type WholeConversion,
} from '@crypto-checkout/protocol/schema/conversion';
import { exchangeRate, type ExchangeRate } from '@crypto-checkout/protocol/schema/exchange-rate';
import { type CreateProfile, profile, type Profile, type UpdateProfile } from '@crypto-checkout/protocol/schema/profile';
import { wallet, type Wallet } from '@crypto-checkout/protocol/schema/wallet';
import { type Asker, type CallOptions, pathOf, type Schema } from './ask.ts';

export type { ApiKeyRecord };

/** Reading a resource that has no pages. */
export interface Readable<Item, Listed = Item> {
  get(id: string, options?: CallOptions): Promise<Item>;
  list(options?: CallOptions): Promise<Listed[]>;
}

/** Making and changing one; writes are never sent twice, and one that fails with `outcome: 'unknown'` may have been done. */
export interface Writable<Item, Create, Update> {
  create(payload: Create, options?: CallOptions): Promise<Item>;
  /** What is left out stays. */
  update(id: string, payload: Update, options?: CallOptions): Promise<Item>;
}

export interface Deletable {
  /** Of what it had, nothing is answered: not every service says. */
  delete(id: string, options?: CallOptions): Promise<void>;
}

export interface Resources {
  /** One exchange between wallets, one at a time for a wallet and kind (§4.4). */
  conversions: Readable<WholeConversion, Conversion> & Writable<Conversion, CreateConversion, UpdateConversion> & Deletable;
  profiles: Readable<Profile> & Writable<Profile, CreateProfile, UpdateProfile> & Deletable;
  wallets: {
    get(id: string, options?: CallOptions): Promise<Wallet>;
    list(filters?: { profile_id?: string }, options?: CallOptions): Promise<Wallet[]>;
    /** In which form a bitcoin wallet gives out addresses (§2.1). Not every service has it. */
    update(id: string, payload: { address_format: 'bech32' | 'p2sh' }, options?: CallOptions): Promise<Wallet>;
  };
  automaticPayouts: Readable<AutomaticPayout> & Writable<AutomaticPayout, CreateAutomaticPayout, UpdateAutomaticPayout> & Deletable;
  automaticConversions: Readable<AutomaticConversion> &
    Writable<AutomaticConversion, CreateAutomaticConversion, UpdateAutomaticConversion> &
    Deletable;
  automaticFunding: Readable<AutomaticFunding> & Writable<AutomaticFunding, CreateAutomaticFunding, UpdateAutomaticFunding> & Deletable;
  rates: {
    get(symbol: string, options?: CallOptions): Promise<ExchangeRate>;
    list(options?: CallOptions): Promise<ExchangeRate[]>;
  };
  /** The account of the key. */
  account: { settings(options?: CallOptions): Promise<AccountSettings> };
  /** Sub accounts, for integrator keys (§4.10). */
  accounts: Readable<SubAccount> & Writable<SubAccount, CreateSubAccount, UpdateSubAccount>;
  /** §4.11; creating and changing is for integrator keys. */
  apiKeys: Readable<ApiKeyRecord> &
    Writable<ApiKeyRecord, CreateApiKey, UpdateApiKey> &
    Deletable & {
      /** A new secret; the old one works beside it for `grace_seconds`. Not every service has it. */
      rotate(id: string, payload?: RotateApiKey, options?: CallOptions): Promise<ApiKeyRecord>;
    };
}

/** What is set up, held and exchanged (§4.4 to 4.11). */
export function resources(asker: Asker): Resources {
  return {
    conversions: {
      ...crud<Conversion, CreateConversion, UpdateConversion>(asker, 'conversions', conversion),
      get: getter(asker, 'conversions', wholeConversion),
    },
    profiles: crud<Profile, CreateProfile, UpdateProfile>(asker, 'profiles', profile),
    wallets: wallets(asker),
    automaticPayouts: crud<AutomaticPayout, CreateAutomaticPayout, UpdateAutomaticPayout>(asker, 'automatic-payouts', automaticPayout),
    automaticConversions: crud<AutomaticConversion, CreateAutomaticConversion, UpdateAutomaticConversion>(
      asker,
      'automatic-conversions',
      automaticConversion,
    ),
    automaticFunding: crud<AutomaticFunding, CreateAutomaticFunding, UpdateAutomaticFunding>(asker, 'automatic-funding', automaticFunding),
    rates: readable(asker, 'exchange-rates', exchangeRate),
    account: { settings: async (call) => (await asker.read(settings, '/v1/account/settings/', undefined, call)).result },
    accounts: accounts(asker),
    apiKeys: apiKeys(asker),
  };
}

type ItemSchema<Item> = Parameters<typeof resultOf>[0] & Schema<Item>;

function getter<Item>(asker: Asker, name: string, schema: ItemSchema<Item>): Readable<Item>['get'] {
  const one = resultOf(schema) as unknown as Schema<{ result: Item }>;
  return async (id, call) => (await asker.read(one, pathOf(name, id), undefined, call)).result;
}

function readable<Item>(asker: Asker, name: string, schema: ItemSchema<Item>): Readable<Item> {
  const many = listOf(schema) as unknown as Schema<{ result: Item[] }>;
  return {
    get: getter(asker, name, schema),
    list: async (call) => (await asker.read(many, `/v1/${name}/`, undefined, call)).result,
  };
}

function crud<Item, Create extends object, Update extends object>(
  asker: Asker,
  name: string,
  schema: ItemSchema<Item>,
): Readable<Item> & Writable<Item, Create, Update> & Deletable {
  const one = resultOf(schema) as unknown as Schema<{ result: Item }>;
  return {
    ...readable(asker, name, schema),
    create: async (payload, call) => (await asker.create(one, `/v1/${name}/`, payload, call)).result,
    update: async (id, payload, call) => (await asker.update(one, pathOf(name, id), payload, call)).result,
    delete: async (id, call) => asker.delete(pathOf(name, id), call),
  };
}

const settings = resultOf(accountSettings);
const manyWallets = listOf(wallet);
const oneWallet = resultOf(wallet);
const oneKey = resultOf(apiKey);

function wallets(asker: Asker): Resources['wallets'] {
  return {
    // The one read that answers the object itself (§4).
    get: async (id, call) => asker.read(wallet, pathOf('wallets', id), undefined, call),
    list: async (filters, call) => (await asker.read(manyWallets, '/v1/wallets/', filters, call)).result,
    update: async (id, payload, call) => (await asker.update(oneWallet, pathOf('wallets', id), payload, call)).result,
  };
}

function accounts(asker: Asker): Resources['accounts'] {
  const { delete: _never, ...rest } = crud<SubAccount, CreateSubAccount, UpdateSubAccount>(asker, 'accounts', subAccount);
  return rest;
}

function apiKeys(asker: Asker): Resources['apiKeys'] {
  return {
    ...crud<ApiKeyRecord, CreateApiKey, UpdateApiKey>(asker, 'api-keys', apiKey),
    rotate: async (id, payload = {}, call) => (await asker.create(oneKey, `${pathOf('api-keys', id)}rotate/`, payload, call)).result,
  };
}
