import {
  accountSettings,
  type AccountSettings,
  type CreateSubAccount,
  subAccount,
  type SubAccount,
  type UpdateSubAccount,
} from '@crypto-checkout/protocol/schema/account';
import { listOf, resultOf } from '@crypto-checkout/protocol/schema/fields/answer';
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
import { networkFee, type NetworkFee } from '@crypto-checkout/protocol/schema/network-fee';
import {
  type CreateProfile,
  profile,
  type Profile,
  type UpdateProfile,
} from '@crypto-checkout/protocol/schema/profile';
import { wallet, type Wallet } from '@crypto-checkout/protocol/schema/wallet';
import { type Requester, type CallOptions, pathOf, type Schema } from './requester.ts';

export type { ApiKeyRecord };

/** Reads of a resource without pages. */
export interface Readable<Item, Listed = Item> {
  get(id: string, options?: CallOptions): Promise<Item>;
  list(options?: CallOptions): Promise<Listed[]>;
}

/**
 * Writes of a resource. They are never retried; after a failure with `outcome: 'unknown'` the write
 * may have been executed.
 */
export interface Writable<Item, Create, Update> {
  create(payload: Create, options?: CallOptions): Promise<Item>;
  /** Omitted members keep their values. */
  update(id: string, payload: Update, options?: CallOptions): Promise<Item>;
}

export interface Deletable {
  /** Returns nothing: the body of a deletion differs between services. */
  delete(id: string, options?: CallOptions): Promise<void>;
}

export interface Resources {
  /** Single conversions between wallets, one at a time per wallet and kind. */
  conversions: Readable<WholeConversion, Conversion> &
    Writable<Conversion, CreateConversion, UpdateConversion> &
    Deletable;
  profiles: Readable<Profile> & Writable<Profile, CreateProfile, UpdateProfile> & Deletable;
  wallets: {
    get(id: string, options?: CallOptions): Promise<Wallet>;
    list(filters?: { profile_id?: string }, options?: CallOptions): Promise<Wallet[]>;
    /** Sets the address format of a bitcoin wallet. Not every service supports it. */
    update(
      id: string,
      payload: { address_format: 'bech32' | 'p2sh' },
      options?: CallOptions,
    ): Promise<Wallet>;
  };
  automaticPayouts: Readable<AutomaticPayout> &
    Writable<AutomaticPayout, CreateAutomaticPayout, UpdateAutomaticPayout> &
    Deletable;
  automaticConversions: Readable<AutomaticConversion> &
    Writable<AutomaticConversion, CreateAutomaticConversion, UpdateAutomaticConversion> &
    Deletable;
  automaticFunding: Readable<AutomaticFunding> &
    Writable<AutomaticFunding, CreateAutomaticFunding, UpdateAutomaticFunding> &
    Deletable;
  rates: {
    get(symbol: string, options?: CallOptions): Promise<ExchangeRate>;
    list(options?: CallOptions): Promise<ExchangeRate[]>;
  };
  /** The usual network fee of a payment in each coin, and its usual time. */
  networkFees: { list(options?: CallOptions): Promise<NetworkFee[]> };
  /** The account of the key. */
  account: { settings(options?: CallOptions): Promise<AccountSettings> };
  /** Sub-accounts, for integrator keys. */
  accounts: Readable<SubAccount> & Writable<SubAccount, CreateSubAccount, UpdateSubAccount>;
  /** API keys. Only integrator keys may create and change them. */
  apiKeys: Readable<ApiKeyRecord> &
    Writable<ApiKeyRecord, CreateApiKey, UpdateApiKey> &
    Deletable & {
      /**
       * Creates a new secret; the old one stays valid for `grace_seconds`. Not every service
       * supports it.
       */
      rotate(id: string, payload?: RotateApiKey, options?: CallOptions): Promise<ApiKeyRecord>;
    };
}

/** The methods for wallets, profiles, conversions, accounts and keys. */
export function resources(asker: Requester): Resources {
  const { get: _plain, ...conversions } = crud<Conversion, CreateConversion, UpdateConversion>(
    asker,
    schemas.conversion,
  );
  return {
    conversions: { ...conversions, get: getter(asker, schemas.wholeConversion) },
    profiles: crud<Profile, CreateProfile, UpdateProfile>(asker, schemas.profile),
    wallets: wallets(asker),
    automaticPayouts: crud<AutomaticPayout, CreateAutomaticPayout, UpdateAutomaticPayout>(
      asker,
      schemas.automaticPayout,
    ),
    automaticConversions: crud<
      AutomaticConversion,
      CreateAutomaticConversion,
      UpdateAutomaticConversion
    >(asker, schemas.automaticConversion),
    automaticFunding: crud<AutomaticFunding, CreateAutomaticFunding, UpdateAutomaticFunding>(
      asker,
      schemas.automaticFunding,
    ),
    rates: readable(asker, schemas.rate),
    networkFees: {
      list: async (call) =>
        (await asker.read(networkFees, '/v1/network-fees/', undefined, call)).result,
    },
    account: {
      settings: async (call) =>
        (await asker.read(settings, '/v1/account/settings/', undefined, call)).result,
    },
    accounts: accounts(asker),
    apiKeys: apiKeys(asker),
  };
}

/** The path of a resource and the schemas of its responses. */
interface ResourceSchema<Item> {
  name: string;
  one: Schema<{ result: Item }>;
  many: Schema<{ result: Item[] }>;
}

const schemas = {
  conversion: { name: 'conversions', one: resultOf(conversion), many: listOf(conversion) },
  wholeConversion: {
    name: 'conversions',
    one: resultOf(wholeConversion),
    many: listOf(wholeConversion),
  },
  profile: { name: 'profiles', one: resultOf(profile), many: listOf(profile) },
  wallet: { name: 'wallets', one: resultOf(wallet), many: listOf(wallet) },
  automaticPayout: {
    name: 'automatic-payouts',
    one: resultOf(automaticPayout),
    many: listOf(automaticPayout),
  },
  automaticConversion: {
    name: 'automatic-conversions',
    one: resultOf(automaticConversion),
    many: listOf(automaticConversion),
  },
  automaticFunding: {
    name: 'automatic-funding',
    one: resultOf(automaticFunding),
    many: listOf(automaticFunding),
  },
  rate: { name: 'exchange-rates', one: resultOf(exchangeRate), many: listOf(exchangeRate) },
  account: { name: 'accounts', one: resultOf(subAccount), many: listOf(subAccount) },
  apiKey: { name: 'api-keys', one: resultOf(apiKey), many: listOf(apiKey) },
};
const settings = resultOf(accountSettings);
const networkFees = listOf(networkFee);

function getter<Item>(
  asker: Requester,
  { name, one }: ResourceSchema<Item>,
): Readable<Item>['get'] {
  return async (id, call) => (await asker.read(one, pathOf(name, id), undefined, call)).result;
}

function readable<Item>(asker: Requester, described: ResourceSchema<Item>): Readable<Item> {
  const { name, many } = described;
  return {
    get: getter(asker, described),
    list: async (call) => (await asker.read(many, `/v1/${name}/`, undefined, call)).result,
  };
}

function crud<Item, Create extends object, Update extends object>(
  asker: Requester,
  described: ResourceSchema<Item>,
): Readable<Item> & Writable<Item, Create, Update> & Deletable {
  const { name, one } = described;
  return {
    ...readable(asker, described),
    create: async (payload, call) =>
      (await asker.create(one, `/v1/${name}/`, payload, call)).result,
    update: async (id, payload, call) =>
      (await asker.update(one, pathOf(name, id), payload, call)).result,
    delete: async (id, call) => asker.delete(pathOf(name, id), call),
  };
}

function wallets(asker: Requester): Resources['wallets'] {
  const { one, many } = schemas.wallet;
  return {
    // The only read that returns the object itself, without `result`.
    get: async (id, call) => asker.read(wallet, pathOf('wallets', id), undefined, call),
    list: async (filters, call) => (await asker.read(many, '/v1/wallets/', filters, call)).result,
    update: async (id, payload, call) =>
      (await asker.update(one, pathOf('wallets', id), payload, call)).result,
  };
}

function accounts(asker: Requester): Resources['accounts'] {
  const { delete: _never, ...rest } = crud<SubAccount, CreateSubAccount, UpdateSubAccount>(
    asker,
    schemas.account,
  );
  return rest;
}

function apiKeys(asker: Requester): Resources['apiKeys'] {
  const { one } = schemas.apiKey;
  return {
    ...crud<ApiKeyRecord, CreateApiKey, UpdateApiKey>(asker, schemas.apiKey),
    rotate: async (id, payload = {}, call) =>
      (await asker.create(one, `${pathOf('api-keys', id)}rotate/`, payload, call)).result,
  };
}
