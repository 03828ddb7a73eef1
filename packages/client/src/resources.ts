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
  const { get: _plain, ...conversions } = crud<Conversion, CreateConversion, UpdateConversion>(asker, schemas.conversion);
  return {
    conversions: { ...conversions, get: getter(asker, schemas.wholeConversion) },
    profiles: crud<Profile, CreateProfile, UpdateProfile>(asker, schemas.profile),
    wallets: wallets(asker),
    automaticPayouts: crud<AutomaticPayout, CreateAutomaticPayout, UpdateAutomaticPayout>(asker, schemas.automaticPayout),
    automaticConversions: crud<AutomaticConversion, CreateAutomaticConversion, UpdateAutomaticConversion>(
      asker,
      schemas.automaticConversion,
    ),
    automaticFunding: crud<AutomaticFunding, CreateAutomaticFunding, UpdateAutomaticFunding>(asker, schemas.automaticFunding),
    rates: readable(asker, schemas.rate),
    account: { settings: async (call) => (await asker.read(settings, '/v1/account/settings/', undefined, call)).result },
    accounts: accounts(asker),
    apiKeys: apiKeys(asker),
  };
}

/** Where a resource is, and how its answers are read. */
interface Described<Item> {
  name: string;
  one: Schema<{ result: Item }>;
  many: Schema<{ result: Item[] }>;
}

const schemas = {
  conversion: { name: 'conversions', one: resultOf(conversion), many: listOf(conversion) },
  wholeConversion: { name: 'conversions', one: resultOf(wholeConversion), many: listOf(wholeConversion) },
  profile: { name: 'profiles', one: resultOf(profile), many: listOf(profile) },
  wallet: { name: 'wallets', one: resultOf(wallet), many: listOf(wallet) },
  automaticPayout: { name: 'automatic-payouts', one: resultOf(automaticPayout), many: listOf(automaticPayout) },
  automaticConversion: { name: 'automatic-conversions', one: resultOf(automaticConversion), many: listOf(automaticConversion) },
  automaticFunding: { name: 'automatic-funding', one: resultOf(automaticFunding), many: listOf(automaticFunding) },
  rate: { name: 'exchange-rates', one: resultOf(exchangeRate), many: listOf(exchangeRate) },
  account: { name: 'accounts', one: resultOf(subAccount), many: listOf(subAccount) },
  apiKey: { name: 'api-keys', one: resultOf(apiKey), many: listOf(apiKey) },
};
const settings = resultOf(accountSettings);

function getter<Item>(asker: Asker, { name, one }: Described<Item>): Readable<Item>['get'] {
  return async (id, call) => (await asker.read(one, pathOf(name, id), undefined, call)).result;
}

function readable<Item>(asker: Asker, described: Described<Item>): Readable<Item> {
  const { name, many } = described;
  return { get: getter(asker, described), list: async (call) => (await asker.read(many, `/v1/${name}/`, undefined, call)).result };
}

function crud<Item, Create extends object, Update extends object>(
  asker: Asker,
  described: Described<Item>,
): Readable<Item> & Writable<Item, Create, Update> & Deletable {
  const { name, one } = described;
  return {
    ...readable(asker, described),
    create: async (payload, call) => (await asker.create(one, `/v1/${name}/`, payload, call)).result,
    update: async (id, payload, call) => (await asker.update(one, pathOf(name, id), payload, call)).result,
    delete: async (id, call) => asker.delete(pathOf(name, id), call),
  };
}

function wallets(asker: Asker): Resources['wallets'] {
  const { one, many } = schemas.wallet;
  return {
    // The one read that answers the object itself (§4).
    get: async (id, call) => asker.read(wallet, pathOf('wallets', id), undefined, call),
    list: async (filters, call) => (await asker.read(many, '/v1/wallets/', filters, call)).result,
    update: async (id, payload, call) => (await asker.update(one, pathOf('wallets', id), payload, call)).result,
  };
}

function accounts(asker: Asker): Resources['accounts'] {
  const { delete: _never, ...rest } = crud<SubAccount, CreateSubAccount, UpdateSubAccount>(asker, schemas.account);
  return rest;
}

function apiKeys(asker: Asker): Resources['apiKeys'] {
  const { one } = schemas.apiKey;
  return {
    ...crud<ApiKeyRecord, CreateApiKey, UpdateApiKey>(asker, schemas.apiKey),
    rotate: async (id, payload = {}, call) => (await asker.create(one, `${pathOf('api-keys', id)}rotate/`, payload, call)).result,
  };
}
