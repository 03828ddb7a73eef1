import type { Hono } from 'hono';
import type { Permission } from '../../src/account/keys/permission.ts';
import { alternativeOf, operationOf, permissionOf } from '../../src/http/authorized.ts';
import type { Env } from '../../src/http/env.ts';
import type { Operation } from '../../src/http/operation.ts';
import { declaredRoutes } from '../../src/http/routing.ts';
import { ADDRESS, LITECOIN_ADDRESS, type AccountFixture } from './account-fixture.ts';

/** A route under `/v1/` as the app declares it, so new routes are tested without a change here. */
export interface Route {
  name: string;
  method: string;
  path: string;
  permission: Permission;
  /** Another permission that is enough; null for none. */
  alternative: Permission | null;
  operation: Operation | null;
  /** The path segment of the resource, such as `invoices`. */
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
      alternative: handlers.map(alternativeOf).find((found) => found !== null) ?? null,
      operation: handlers.map(operationOf).find((found) => found !== null) ?? null,
      noun: path.split('/')[2] ?? '',
      hasId: path.includes('/:id/'),
    }));
}

type Payload = Record<string, unknown>;

/** A request that succeeds. Each `number` returns a different one. */
export interface Request {
  path: string;
  payload: Payload;
}

/** Valid payloads by route. A route without an entry needs its path only. */
const PAYLOADS: Readonly<
  Record<string, (account: AccountFixture, number: number) => Payload | Promise<Payload>>
> = {
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
  'POST /v1/refunds/': ({ refundable }, number) => ({
    // The first two are for the requests that change a refund or a transaction.
    transaction_id: refundable[2 + (number % (refundable.length - 2))],
    address: LITECOIN_ADDRESS,
  }),
  'PUT /v1/refunds/:id/': () => ({ is_approved: false }),
  'POST /v1/transactions/:id/offer-refund/': () => ({ amount: '0.0001' }),
  'POST /v1/conversions/': (account, number) => ({ ...pair(account, number), amount: '0.2' }),
  'PUT /v1/conversions/:id/': () => ({ amount: '0.3' }),
  'POST /v1/automatic-conversions/': (account, number) => ({ ...pair(account, number), ...LIMITS }),
  'PUT /v1/automatic-conversions/:id/': (_, number) => ({ keep_amount: `0.6${number}` }),
  'POST /v1/automatic-funding/': (account, number) => ({
    ...pair(account, number),
    ...LIMITS,
    ...swappedPair(account, number),
  }),
  'PUT /v1/automatic-funding/:id/': (_, number) => ({ keep_amount: `0.6${number}` }),
  'POST /v1/automatic-payouts/': (account, number) => {
    const { from_wallet, from_kind } = pair(account, number);
    return {
      wallet: from_wallet,
      kind: from_kind,
      keep_amount: '1',
      recipient_address: RECIPIENTS[number % RECIPIENTS.length],
    };
  },
  'PUT /v1/automatic-payouts/:id/': (_, number) => ({ keep_amount: `2.${number}` }),
  'POST /v1/profiles/': ({ wallets }, number) => ({
    name: `Profile ${number}`,
    currencies: [
      {
        kind: 'BTC',
        wallet_id: wallets.get('bitcoin'),
        custom_fee: { amount: '0.0001', currency: 'BTC' },
      },
    ],
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
  'POST /v1/api-keys/': ({ ids }, number) => ({
    name: `Key ${number}`,
    account_id: ids['accounts'],
    permissions: ['invoices:read'],
  }),
  'PUT /v1/api-keys/:id/': (_, number) => ({ name: `Renamed ${number}` }),
};

export const hasPayload = ({ name }: Route): boolean => name in PAYLOADS;

/** A request of an account for one of its own resources, or for another id. */
export async function requestOf(
  route: Route,
  account: AccountFixture,
  number = 0,
  id = idOf(route, account),
): Promise<Request> {
  const payload = (await PAYLOADS[route.name]?.(account, number)) ?? {};
  return { path: route.path.replace(':id', id).replace(/:symbol/, 'EUR'), payload };
}

/** @throws Error without a resource for the route: add it to `account-fixture.ts` */
export function idOf({ hasId, noun, name }: Route, account: AccountFixture): string {
  const id = account.ids[noun];
  if (hasId && id === undefined) throw new Error(`No resource for ${name}`);
  return id ?? '';
}

const payout = (profileId: string, number: number): Payload => ({
  profile_id: profileId,
  kind: 'BTC',
  reference_id: `order-${number}`,
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

/** Rules are unique per wallet and kind, so each number gets another pair. */
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

function pair({ wallets }: AccountFixture, number: number) {
  const [chain, kind] = PAIRS[number % PAIRS.length]!;
  return {
    from_wallet: wallets.get(chain),
    from_kind: kind,
    to_wallet: wallets.get('bitcoin'),
    to_kind: 'BTC',
  };
}

/** Funding rules are unique per target: swaps the sides. */
function swappedPair(account: AccountFixture, number: number) {
  const { from_wallet, from_kind, to_wallet, to_kind } = pair(account, number);
  return { from_wallet: to_wallet, from_kind: to_kind, to_wallet: from_wallet, to_kind: from_kind };
}
