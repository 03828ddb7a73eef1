import { conversion, wholeConversion } from '@crypto-checkout/protocol/schema/conversion';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tradeRoutes, type TradeRoutes } from '../../test/support/exchange-routes.ts';

let shop: TradeRoutes;
beforeAll(async () => {
  shop = await tradeRoutes();
  await shop.fund('BTC', '10');
});
afterAll(() => shop.close());

const PATH = '/v1/conversions/';
const UNSET = { transaction: null, payout: null };

describe('/v1/conversions/', () => {
  it('creates, reads, changes and deletes a draft', async () => {
    const made = await shop.send('POST', PATH, { ...shop.pair(), amount: '0.10' });
    expect(made.status).toBe(201);
    const { result } = made.body;
    expect(result).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: '2026-11-21T06:00:00.000000+00:00',
      created_by: 'API',
      from_wallet: { id: shop.wallet('BTC'), name: 'Bitcoin wallet' },
      from_kind: 'BTC',
      to_wallet: { id: shop.wallet('LTC'), name: 'Litecoin wallet' },
      to_kind: 'LTC',
      amount: '0.10',
      to_amount: '62.5',
      exchange: { id: 'built-in', title: 'Built-in book' },
      status: 'draft',
      is_approved: false,
      approved_by: null,
    });
    expect(conversion.parse(result)).toEqual(result);
    const url = `${PATH}${result.id}/`;
    const got = await shop.send('GET', url);
    expect([got.status, got.body]).toEqual([200, { result: { ...result, ...UNSET } }]);
    expect(wholeConversion.parse(got.body.result)).toEqual(got.body.result);
    expect((await shop.send('GET', PATH)).body).toEqual({ result: [result] });

    const changes = {
      to_wallet: shop.wallet('ETH'),
      to_kind: 'ETH_USDT',
      amount: 2,
      exchange: 'built-in',
      is_approved: true,
    };
    const changed = await shop.send('PUT', url, changes);
    const expected = {
      ...result,
      to_wallet: { id: shop.wallet('ETH'), name: 'Ethereum (ERC20) wallet' },
      to_kind: 'ETH_USDT',
      amount: '2',
      to_amount: '100000',
      is_approved: true,
      approved_by: 'API',
    };
    expect([changed.status, changed.body]).toEqual([200, { result: expected }]);
    expect((await shop.send('PUT', url, {})).body.result).toEqual(expected);
    expect((await shop.send('PUT', url, { is_approved: false })).body.result).toMatchObject({
      is_approved: false,
      approved_by: null,
    });

    const gone = await shop.send('DELETE', url);
    expect([gone.status, gone.body.result.id]).toEqual([200, result.id]);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await shop.send(method, url);
      expect([method, status, body.reason]).toEqual([method, 404, 'NotFound']);
    }
    expect((await shop.send('GET', PATH)).body).toEqual({ result: [] });
  });

  it('ignores answer-only fields', async () => {
    const forged = {
      id: '7f1f2b3c-0000-4000-8000-000000000000',
      created_at: '2001-01-01T00:00:00Z',
      created_by: 'me',
      to_amount: '1000000',
      status: 'complete',
      approved_by: 'me',
      transaction: 'x',
      payout: 'x',
      error: 'x',
      hold: 'spent',
      origin: 'payout',
    };
    const { body } = await shop.send('POST', PATH, { ...shop.pair(), amount: '1', ...forged });
    expect(body.result).toMatchObject({
      created_by: 'API',
      status: 'draft',
      to_amount: '625',
      is_approved: false,
      approved_by: null,
    });
    expect(body.result.id).not.toBe(forged.id);
    const url = `${PATH}${body.result.id}/`;
    const changed = await shop.send('PUT', url, {
      ...forged,
      from_kind: 'LTC',
      from_wallet: shop.wallet('LTC'),
    });
    expect(changed.body.result).toEqual(body.result);
    await shop.send('DELETE', url);
  });

  it('returns a complete conversion, and the error of a failed one', async () => {
    const { body } = await shop.send('POST', PATH, {
      ...shop.pair(),
      amount: '1',
      is_approved: true,
    });
    await shop.trade();
    const url = `${PATH}${body.result.id}/`;
    expect((await shop.send('GET', url)).body.result).toMatchObject({
      status: 'complete',
      to_amount: '625',
      ...UNSET,
    });
    for (const method of ['PUT', 'DELETE']) {
      const late = await shop.send(method, url, { amount: '2' });
      expect([late.status, late.body.reason]).toEqual([409, 'InvalidState']);
    }
    shop.exchange.answer = async () => ({ state: 'failed', reason: 'closed' });
    const second = await shop.send('POST', PATH, {
      ...shop.pair(),
      amount: '1',
      is_approved: true,
    });
    await shop.trade();
    shop.exchange.answer = null;
    const list = (await shop.send('GET', PATH)).body.result as { id: string }[];
    expect(list[0]).toMatchObject({ id: second.body.result.id, status: 'failed', error: 'closed' });
  });

  it('allows one open conversion per wallet and kind', async () => {
    const first = await shop.send('POST', PATH, { ...shop.pair(), amount: '1' });
    const again = await shop.send('POST', PATH, { ...shop.pair('BTC', 'ETH'), amount: '2' });
    expect([again.status, again.body.reason]).toEqual([409, 'AlreadyExists']);
    const other = await shop.send('POST', PATH, { ...shop.pair('LTC', 'BTC'), amount: '2' });
    expect(other.status).toBe(201);
    await shop.send('DELETE', `${PATH}${first.body.result.id}/`);
    const free = await shop.send('POST', PATH, { ...shop.pair('BTC', 'ETH'), amount: '2' });
    expect(free.status).toBe(201);
    for (const { body } of [other, free]) await shop.send('DELETE', `${PATH}${body.result.id}/`);
  });

  it('rejects keys without the permission, and other accounts', async () => {
    const { body } = await shop.send('POST', PATH, { ...shop.pair(), amount: '1' });
    await shop.requireClosed('conversions', PATH, body.result.id, { ...shop.pair(), amount: '1' });
    await shop.send('DELETE', `${PATH}${body.result.id}/`);
  });
});
