import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  membersOf,
  requireRefused,
  tradeRoutes,
  type RefusedRow,
  type TradeRoutes,
} from '../../test/support/exchange-routes.ts';

let shop: TradeRoutes;
let url: string;
beforeAll(async () => {
  shop = await tradeRoutes();
  await shop.fund('LTC', '1000');
  const { body } = await shop.send('POST', '/v1/conversions/', {
    ...shop.pair('LTC', 'BTC'),
    amount: '1',
  });
  url = `/v1/conversions/${body.result.id}/`;
});
afterAll(() => shop.close());

const UNKNOWN_ID = '7f1f2b3c-0000-4000-8000-000000000000';
const LONG = 'x'.repeat(65);

/** Invalid in create and update. */
const TERMS: RefusedRow[] = [
  ['a non-numeric amount', { amount: 'one' }, 400, 'ValidationError', 'amount'],
  ['an empty amount', { amount: '' }, 400, 'ValidationError', 'amount'],
  ['a negative amount', { amount: '-1' }, 400, 'ValidationError', 'amount'],
  ['an amount with an exponent', { amount: '1e3' }, 400, 'ValidationError', 'amount'],
  ['an amount with spaces', { amount: ' 1' }, 400, 'ValidationError', 'amount'],
  ['an amount in Arabic digits', { amount: '١' }, 400, 'ValidationError', 'amount'],
  ['a zero amount', { amount: '0.00' }, 400, 'ValidationError', 'amount'],
  [
    'an amount with too many decimals for the coin',
    { amount: '0.123456789' },
    400,
    'ValidationError',
    'amount',
  ],
  [
    'an amount of nineteen digits',
    { amount: '1000000000000000000' },
    400,
    'ValidationError',
    'amount',
  ],
  [
    'an amount with nineteen decimals',
    { amount: '0.1000000000000000000' },
    400,
    'ValidationError',
    'amount',
  ],
  [
    'an amount worth less than one unit',
    { amount: '0.00000001' },
    400,
    'ValidationError',
    'amount',
  ],
  ['an amount as an object', { amount: { amount: '1' } }, 400, 'ValidationError', 'amount'],
  ['an amount as a list', { amount: ['1'] }, 400, 'ValidationError', 'amount'],
  ['an amount as a boolean', { amount: true }, 400, 'ValidationError', 'amount'],
  ['an unknown kind', { to_kind: 'NOPE' }, 400, 'ValidationError', 'to_kind'],
  ['a kind in lower case', { to_kind: 'btc' }, 400, 'ValidationError', 'to_kind'],
  [
    'a kind named like an object property',
    { to_kind: '__proto__' },
    400,
    'ValidationError',
    'to_kind',
  ],
  [
    'a kind of payouts only',
    { to_kind: 'BTC_LIGHTNING_TO_BTC' },
    400,
    'ValidationError',
    'to_kind',
  ],
  ['a kind that is too long', { to_kind: LONG }, 400, 'ValidationError', 'to_kind'],
  ['a kind that is a number', { to_kind: 5 }, 400, 'ValidationError', 'to_kind'],
  ['a kind that the wallet does not hold', { to_kind: 'ETH' }, 400, 'ValidationError', 'to_kind'],
  [
    'a wallet of another chain',
    () => ({ to_wallet: shop.wallet('ETH') }),
    400,
    'ValidationError',
    'to_kind',
  ],
  [
    'the same coin in the same wallet',
    () => ({ to_wallet: shop.wallet('LTC'), to_kind: 'LTC' }),
    400,
    'ValidationError',
    'to_kind',
  ],
  ['a wallet that is not an id', { to_wallet: 'wallet' }, 404, 'NotFound', 'to_wallet'],
  ['a wallet with NUL', { to_wallet: '\0' }, 404, 'NotFound', 'to_wallet'],
  ['an empty wallet', { to_wallet: '' }, 404, 'NotFound', 'to_wallet'],
  ['an unknown wallet', { to_wallet: UNKNOWN_ID }, 404, 'NotFound', 'to_wallet'],
  [
    'another account’s wallet',
    () => ({ to_wallet: shop.foreignWallet }),
    404,
    'NotFound',
    'to_wallet',
  ],
  [
    'a wallet as an object',
    () => ({ to_wallet: { id: shop.wallet('BTC') } }),
    400,
    'ValidationError',
    'to_wallet',
  ],
  ['an unknown exchange', { exchange: 'nope' }, 404, 'NotFound', 'exchange'],
  [
    'an exchange named like an object property',
    { exchange: 'constructor' },
    404,
    'NotFound',
    'exchange',
  ],
  ['an exchange that is a number', { exchange: 1 }, 400, 'ValidationError', 'exchange'],
  ['an exchange that is too long', { exchange: LONG }, 400, 'ValidationError', 'exchange'],
  ['a boolean as a string', { is_approved: 'true' }, 400, 'ValidationError', 'is_approved'],
  ['a boolean as a number', { is_approved: 1 }, 400, 'ValidationError', 'is_approved'],
];

const NEW_ONLY: RefusedRow[] = [
  ...(['from_wallet', 'from_kind', 'to_wallet', 'to_kind', 'amount'] as const).flatMap(
    (field): RefusedRow[] => [
      [`no ${field}`, { [field]: undefined }, 400, 'ValidationError', field],
      [`null as ${field}`, { [field]: null }, 400, 'ValidationError', field],
    ],
  ),
  ['an unknown wallet to sell from', { from_wallet: UNKNOWN_ID }, 404, 'NotFound', 'from_wallet'],
  [
    'another account’s wallet to sell from',
    () => ({ from_wallet: shop.foreignWallet }),
    404,
    'NotFound',
    'from_wallet',
  ],
  ['an unknown kind to sell', { from_kind: 'XYZ' }, 400, 'ValidationError', 'from_kind'],
  [
    'a kind to sell that the wallet does not hold',
    { from_kind: 'DOGE' },
    400,
    'ValidationError',
    'from_kind',
  ],
  ['a second one for the wallet and kind', {}, 409, 'AlreadyExists', 'from_kind'],
];

describe('POST /v1/conversions/', () => {
  it.each([...TERMS, ...NEW_ONLY])('rejects %s', async (...row) => {
    const sent = { ...shop.pair('LTC', 'BTC'), amount: '1', ...membersOf(row) };
    await requireRefused(shop, 'POST', '/v1/conversions/', sent, row);
  });
});

describe('PUT /v1/conversions/<ID>/', () => {
  it.each(TERMS)('rejects %s', async (...row) =>
    requireRefused(shop, 'PUT', url, membersOf(row), row),
  );

  it('treats null as unchanged', async () => {
    const nulls = {
      to_wallet: null,
      to_kind: null,
      amount: null,
      exchange: null,
      is_approved: null,
    };
    expect((await shop.send('PUT', url, nulls)).status).toBe(200);
  });
});

describe('a conversion that is not a draft', () => {
  it.each(['PUT', 'DELETE'])('rejects %s', async (method) => {
    shop.exchange.answer = async () => ({ state: 'unknown', reason: 'silence' });
    await shop.send('PUT', url, { is_approved: true });
    await shop.trade();
    for (const members of [{}, { is_approved: false }, { amount: '2' }]) {
      const { status, body } = await shop.send(method, url, members);
      expect([status, body.reason]).toEqual([409, 'InvalidState']);
    }
  });
});

describe('a coin of a real chain', () => {
  it('is not traded by the built-in exchange', async () => {
    const { chains } = shop.context;
    shop.context.chains = new Map(
      [...chains].map(([id, chain]) => [
        id,
        id === 'ethereum' ? { ...chain, source: 'node' as const } : chain,
      ]),
    );
    const without = await shop.send('POST', '/v1/conversions/', {
      ...shop.pair('BTC', 'ETH'),
      amount: '1',
    });
    expect([without.status, without.body.errors[0].field]).toEqual([400, 'to_kind']);
    const named = await shop.send('POST', '/v1/conversions/', {
      ...shop.pair('BTC', 'ETH'),
      amount: '1',
      exchange: 'built-in',
    });
    expect([named.status, named.body.errors[0].field]).toEqual([400, 'exchange']);
    shop.context.chains = chains;
  });
});

describe('a coin without a rate', () => {
  it('is not priced: answers 503 and writes nothing', async () => {
    const before = await shop.everything();
    const { status, body } = await shop.send('POST', '/v1/conversions/', {
      ...shop.pair('ETH', 'BTC'),
      from_kind: 'ETH_SHFL',
      amount: '1',
    });
    expect([status, body.reason]).toEqual([503, undefined]);
    expect(await shop.everything()).toEqual(before);
  });
});
