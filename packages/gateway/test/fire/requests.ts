import type { Hono } from 'hono';
import type { Permission } from '../../src/account/permission.ts';
import { operationOf, permissionOf } from '../../src/http/authorized.ts';
import type { Env } from '../../src/http/env.ts';
import type { Operation } from '../../src/http/operation.ts';
import { declaredRoutes } from '../../src/http/routing.ts';
import { ADDRESS, type Household } from './household.ts';

/** A route under `/v1/`, as the service itself declares it: a new one is in every test that goes over all of them. */
export interface Route {
  name: string;
  method: string;
  path: string;
  permission: Permission;
  operation: Operation | null;
  /** The resource in the path, as `invoices`. */
  noun: string;
  hasId: boolean;
}

export function routesOf(app: Hono<Env>): Route[] {
  return declaredRoutes(app)
    .filter(({ path }) => path.startsWith('/v1/'))
    .map(({ method, path, handlers }) => ({
      name: `${method} ${path}`,
      method,
      path,
      permission: handlers.map(permissionOf).find((found) => found !== null)!,
      operation: handlers.map(operationOf).find((found) => found !== null) ?? null,
      noun: path.split('/')[2] ?? '',
      hasId: path.includes('/:id/'),
    }));
}

type Payload = Record<string, unknown>;

/** A request that would be granted; `number` makes it another one than before. */
export interface Request {
  path: string;
  payload: Payload;
}

/** What makes a request of a route valid. Those without a line need nothing but their path. */
const PAYLOADS: Readonly<Record<string, (home: Household, number: number) => Payload | Promise<Payload>>> = {
  'POST /v1/invoices/': ({ profileId }) => ({
    profile_id: profileId,
    amount: '10',
    currency: 'USD',
    kind: 'BTC',
    exchange_rate_limit: LIMIT,
  }),
  'POST /v1/transactions/confirmations/': ({ ids }) => ({ id: [ids['transactions']] }),
  'POST /v1/payouts/': ({ profileId }, number) => payout(profileId, number),
  'POST /v1/payouts/confirmations/': ({ ids }) => ({ id: [ids['payouts']] }),
  'PUT /v1/payouts/:id/': () => ({ approve: true }),
  'POST /v1/conversions/': (home, number) => ({ ...pair(home, number), amount: '0.2' }),
  'PUT /v1/conversions/:id/': () => ({ amount: '0.3' }),
  'POST /v1/automatic-conversions/': (home, number) => ({ ...pair(home, number), ...LIMITS }),
  'PUT /v1/automatic-conversions/:id/': (_, number) => ({ keep_amount: `0.6${number}` }),
  'POST /v1/automatic-funding/': (home, number) => ({ ...pair(home, number), ...LIMITS, ...towards(home, number) }),
  'PUT /v1/automatic-funding/:id/': (_, number) => ({ keep_amount: `0.6${number}` }),
  'POST /v1/automatic-payouts/': (home, number) => {
    const { from_wallet, from_kind } = pair(home, number);
    return { wallet: from_wallet, kind: from_kind, keep_amount: '1', recipient_address: RECIPIENTS[number % RECIPIENTS.length] };
  },
  'PUT /v1/automatic-payouts/:id/': (_, number) => ({ keep_amount: `2.${number}` }),
  'POST /v1/profiles/': ({ wallets }, number) => ({
    name: `Profile ${number}`,
    currencies: [{ kind: 'BTC', wallet_id: wallets.get('bitcoin'), custom_fee: { amount: '0.0001', currency: 'BTC' } }],
    acceptance_range: { positive_difference: '0.6', negative_difference: '0.7' },
    reserve_wallet: { kind: 'BTC', wallet: wallets.get('bitcoin') },
  }),
  'PUT /v1/profiles/:id/': ({ wallets }, number) => ({
    name: `Renamed ${number}`,
    acceptance_range: { positive_difference: '0.8', negative_difference: '0.9' },
    reserve_wallet: { kind: 'BTC', wallet: wallets.get('bitcoin') },
  }),
  'PUT /v1/wallets/:id/': () => ({ address_format: 'bech32' }),
  'POST /v1/accounts/': (_, number) => ({ name: `Branch ${number}` }),
  'PUT /v1/accounts/:id/': (_, number) => ({ name: `Renamed ${number}` }),
  'POST /v1/api-keys/': ({ ids }, number) => ({ name: `Key ${number}`, account_id: ids['accounts'], permissions: ['invoices:read'] }),
  'PUT /v1/api-keys/:id/': (_, number) => ({ name: `Renamed ${number}` }),
};

export const hasPayload = ({ name }: Route): boolean => name in PAYLOADS;

/** A request of a household for a resource of its own, or of somebody else's. */
export async function requestOf(route: Route, home: Household, number = 0, id = idOf(route, home)): Promise<Request> {
  const payload = (await PAYLOADS[route.name]?.(home, number)) ?? {};
  return { path: route.path.replace(':id', id).replace(/:symbol/, 'EUR'), payload };
}

/** @throws Error when nothing was made that the route could be about: `household.ts` has to learn it */
export function idOf({ hasId, noun, name }: Route, home: Household): string {
  const id = home.ids[noun];
  if (hasId && id === undefined) throw new Error(`Nothing of the household is there for ${name}`);
  return id ?? '';
}

const payout = (profileId: string, number: number): Payload => ({
  profile_id: profileId,
  kind: 'BTC',
  reference_id: `fire-${number}`,
  recipients: [
    {
      amount: `0.10${number % 10}`,
      currency: 'BTC',
      address: ADDRESS,
      fee_amount: '0.001',
      fee_currency: 'BTC',
      notes: 'a note',
      exchange_rate_limit: LIMIT,
    },
  ],
});

const LIMIT = { pair: 'BTC:USD', exchange_rate: '50000', allowed_difference: '0.5' };

const LIMITS = { min_amount: '0.1', max_amount: '1', keep_amount: '0.5' };

/** One per wallet and kind: another pair for each number. */
const PAIRS = [
  ['litecoin', 'LTC'],
  ['dogecoin', 'DOGE'],
  ['xrp', 'XRP'],
  ['tron', 'TRX'],
] as const;
const RECIPIENTS = [
  'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0',
  'nbd7uLzo1Lgo76fNyCunfBFhMnybPxDsZW',
  'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH',
  'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
];

function pair({ wallets }: Household, number: number) {
  const [chain, kind] = PAIRS[number % PAIRS.length]!;
  return { from_wallet: wallets.get(chain), from_kind: kind, to_wallet: wallets.get('bitcoin'), to_kind: 'BTC' };
}

/** What is filled is what there is one of. */
function towards(home: Household, number: number) {
  const { from_wallet, from_kind, to_wallet, to_kind } = pair(home, number);
  return { from_wallet: to_wallet, from_kind: to_kind, to_wallet: from_wallet, to_kind: from_kind };
}
