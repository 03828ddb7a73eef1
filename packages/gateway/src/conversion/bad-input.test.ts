import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tradeRoutes, type TradeRoutes } from '../exchange/test-routes.ts';

let shop: TradeRoutes;
let url: string;
beforeAll(async () => {
  shop = await tradeRoutes();
  await shop.fund('LTC', '1000');
  const { body } = await shop.send('POST', '/v1/conversions/', { ...shop.pair('LTC', 'BTC'), amount: '1' });
  url = `/v1/conversions/${body.result.id}/`;
});
afterAll(() => shop.close());

const NOBODY = '7f1f2b3c-0000-4000-8000-000000000000';
const LONG = 'x'.repeat(65);
type Row = [
  what: string,
  members: Record<string, unknown> | (() => Record<string, unknown>),
  status: number,
  reason: string,
  field: string,
];

/** Wrong in a change as in a new one. */
const TERMS: Row[] = [
  ['an amount that is no amount', { amount: 'one' }, 400, 'ValidationError', 'amount'],
  ['an empty amount', { amount: '' }, 400, 'ValidationError', 'amount'],
  ['a negative amount', { amount: '-1' }, 400, 'ValidationError', 'amount'],
  ['an amount with an exponent', { amount: '1e3' }, 400, 'ValidationError', 'amount'],
  ['an amount with spaces', { amount: ' 1' }, 400, 'ValidationError', 'amount'],
  ['an amount in Arabic digits', { amount: '١' }, 400, 'ValidationError', 'amount'],
  ['no amount at all', { amount: '0.00' }, 400, 'ValidationError', 'amount'],
  ['an amount finer than the coin', { amount: '0.123456789' }, 400, 'ValidationError', 'amount'],
  ['an amount of nineteen digits', { amount: '1000000000000000000' }, 400, 'ValidationError', 'amount'],
  ['an amount with nineteen decimals', { amount: '0.1000000000000000000' }, 400, 'ValidationError', 'amount'],
  ['an amount that is worth nothing', { amount: '0.00000001' }, 400, 'ValidationError', 'amount'],
  ['an amount as an object', { amount: { amount: '1' } }, 400, 'ValidationError', 'amount'],
  ['an amount as a list', { amount: ['1'] }, 400, 'ValidationError', 'amount'],
  ['an amount as a flag', { amount: true }, 400, 'ValidationError', 'amount'],
  ['an unknown kind', { to_kind: 'NOPE' }, 400, 'ValidationError', 'to_kind'],
  ['a kind in small letters', { to_kind: 'btc' }, 400, 'ValidationError', 'to_kind'],
  ['a kind that is a word of the language', { to_kind: '__proto__' }, 400, 'ValidationError', 'to_kind'],
  ['a kind that only payouts have', { to_kind: 'BTC_LIGHTNING_TO_BTC' }, 400, 'ValidationError', 'to_kind'],
  ['a kind that is too long', { to_kind: LONG }, 400, 'ValidationError', 'to_kind'],
  ['a kind that is a number', { to_kind: 5 }, 400, 'ValidationError', 'to_kind'],
  ['a kind that the wallet does not hold', { to_kind: 'ETH' }, 400, 'ValidationError', 'to_kind'],
  ['a wallet of another chain', () => ({ to_wallet: shop.wallet('ETH') }), 400, 'ValidationError', 'to_kind'],
  ['the same coin in the same wallet', () => ({ to_wallet: shop.wallet('LTC'), to_kind: 'LTC' }), 400, 'ValidationError', 'to_kind'],
  ['a wallet that is no id', { to_wallet: 'wallet' }, 404, 'NotFound', 'to_wallet'],
  ['a wallet with NUL', { to_wallet: '\0' }, 404, 'NotFound', 'to_wallet'],
  ['an empty wallet', { to_wallet: '' }, 404, 'NotFound', 'to_wallet'],
  ['a wallet of nobody', { to_wallet: NOBODY }, 404, 'NotFound', 'to_wallet'],
  ['another account’s wallet', () => ({ to_wallet: shop.foreignWallet }), 404, 'NotFound', 'to_wallet'],
  ['a wallet as an object', () => ({ to_wallet: { id: shop.wallet('BTC') } }), 400, 'ValidationError', 'to_wallet'],
  ['an exchange of nobody', { exchange: 'nope' }, 404, 'NotFound', 'exchange'],
  ['an exchange that is a word of the language', { exchange: 'constructor' }, 404, 'NotFound', 'exchange'],
  ['an exchange that is a number', { exchange: 1 }, 400, 'ValidationError', 'exchange'],
  ['an exchange that is too long', { exchange: LONG }, 400, 'ValidationError', 'exchange'],
  ['a flag in words', { is_approved: 'true' }, 400, 'ValidationError', 'is_approved'],
  ['a flag as a number', { is_approved: 1 }, 400, 'ValidationError', 'is_approved'],
];

const NEW_ONLY: Row[] = [
  ...(['from_wallet', 'from_kind', 'to_wallet', 'to_kind', 'amount'] as const).flatMap((field): Row[] => [
    [`no ${field}`, { [field]: undefined }, 400, 'ValidationError', field],
    [`null as ${field}`, { [field]: null }, 400, 'ValidationError', field],
  ]),
  ['a wallet of nobody to sell from', { from_wallet: NOBODY }, 404, 'NotFound', 'from_wallet'],
  ['another account’s wallet to sell from', () => ({ from_wallet: shop.foreignWallet }), 404, 'NotFound', 'from_wallet'],
  ['an unknown kind to sell', { from_kind: 'XYZ' }, 400, 'ValidationError', 'from_kind'],
  ['a kind to sell that the wallet does not hold', { from_kind: 'DOGE' }, 400, 'ValidationError', 'from_kind'],
  ['a second one for the wallet and kind', {}, 409, 'AlreadyExists', 'from_kind'],
];

const membersOf = (members: Row[1]): Record<string, unknown> => (typeof members === 'function' ? members() : members);

/** Refused with the reason and the member, and nothing is changed by it. */
async function requireRefused(method: string, path: string, sent: Record<string, unknown>, row: Row): Promise<void> {
  const before = await shop.everything();
  const { status, body } = await shop.send(method, path, sent);
  expect([status, body.reason, body.errors[0].field, typeof body.message]).toEqual([row[2], row[3], row[4], 'string']);
  expect(await shop.everything()).toEqual(before);
}

describe('a new conversion', () => {
  it.each([...TERMS, ...NEW_ONLY])('with %s is refused', async (...row) => {
    const sent = { ...shop.pair('LTC', 'BTC'), amount: '1', ...membersOf(row[1]) };
    await requireRefused('POST', '/v1/conversions/', sent, row);
  });
});

describe('a change', () => {
  it.each(TERMS)('to %s is refused', async (...row) => requireRefused('PUT', url, membersOf(row[1]), row));

  it('of null is none', async () => {
    const nulls = { to_wallet: null, to_kind: null, amount: null, exchange: null, is_approved: null };
    expect((await shop.send('PUT', url, nulls)).status).toBe(200);
  });
});

describe('what no longer is a draft', () => {
  it.each(['PUT', 'DELETE'])('is refused to %s', async (method) => {
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
  it('is not traded by the built-in book', async () => {
    const { chains } = shop.context;
    shop.context.chains = new Map(
      [...chains].map(([id, chain]) => [id, id === 'ethereum' ? { ...chain, source: 'node' as const } : chain]),
    );
    const without = await shop.send('POST', '/v1/conversions/', { ...shop.pair('BTC', 'ETH'), amount: '1' });
    expect([without.status, without.body.errors[0].field]).toEqual([400, 'to_kind']);
    const named = await shop.send('POST', '/v1/conversions/', { ...shop.pair('BTC', 'ETH'), amount: '1', exchange: 'built-in' });
    expect([named.status, named.body.errors[0].field]).toEqual([400, 'exchange']);
    shop.context.chains = chains;
  });
});

describe('a coin without a rate', () => {
  it('is not priced: 503, and nothing is written', async () => {
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
