import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tradeRoutes, type TradeRoutes } from '../../test/support/exchange-routes.ts';

const PATH = '/v1/automatic-conversions/';
const TERMS = { keep_amount: '0', min_amount: '0', max_amount: '1000', is_enabled: true };

let shop: TradeRoutes;
beforeAll(async () => {
  shop = await tradeRoutes();
});
afterEach(async () => {
  const { body } = await shop.send('GET', PATH);
  for (const { id } of body.result) await shop.send('DELETE', `${PATH}${id}/`);
});
afterAll(() => shop.close());

const create = (from: string, to: string, more: object = {}) =>
  shop.send('POST', PATH, { ...shop.pair(from, to), ...TERMS, ...more });
const made = async (from: string, to: string, more: object = {}): Promise<string> => {
  const { status, body } = await create(from, to, more);
  expect(status).toBe(201);
  return body.result.id;
};
const refusal = expect.objectContaining({
  result: 'error',
  reason: 'InvalidState',
  errors: [expect.objectContaining({ field: 'to_kind' })],
});

describe('automatic conversions', () => {
  it.each([[['BTC', 'LTC']], [['BTC', 'LTC', 'DOGE']]])(
    'reject a rule that closes a cycle of %s',
    async (kinds) => {
      for (const [at, kind] of kinds.slice(1).entries()) await made(kinds[at]!, kind);
      const before = await shop.everything();
      const last = await create(kinds.at(-1)!, 'BTC');
      expect([last.status, last.body]).toEqual([409, refusal]);
      expect(last.body.message).toContain(`${kinds.at(-1)} to BTC`);
      expect(await shop.everything()).toEqual(before);
    },
  );

  it('allow a cycle of disabled rules, of which only one can be enabled', async () => {
    const first = await made('BTC', 'LTC', { is_enabled: false });
    const second = await made('LTC', 'BTC', { is_enabled: false });
    const enable = (id: string, is_enabled: boolean) =>
      shop.send('PUT', `${PATH}${id}/`, { is_enabled });
    expect((await enable(first, true)).status).toBe(200);
    expect([(await enable(second, true)).status, (await enable(second, true)).body]).toEqual([
      409,
      refusal,
    ]);
    expect((await enable(first, false)).status).toBe(200);
    expect((await enable(second, true)).status).toBe(200);
  });

  it('reject an update that closes a cycle', async () => {
    await made('BTC', 'LTC');
    const other = await made('LTC', 'DOGE');
    const turned = await shop.send('PUT', `${PATH}${other}/`, {
      to_wallet: shop.wallet('BTC'),
      to_kind: 'BTC',
    });
    expect([turned.status, turned.body]).toEqual([409, refusal]);
    expect((await shop.send('PUT', `${PATH}${other}/`, { keep_amount: '5' })).status).toBe(200);
  });

  it('treat two kinds of one coin as one', async () => {
    await made('BTC', 'LTC');
    expect((await create('LTC', 'BTC_LIGHTNING')).status).toBe(409);
  });

  it('never form a cycle under concurrency', async () => {
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([
        create('BTC', 'LTC'),
        create('LTC', 'DOGE'),
        create('DOGE', 'BTC'),
      ]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        201, 201, 409,
      ]);
      for (const { status, body } of answers)
        if (status === 201) await shop.send('DELETE', `${PATH}${body.result.id}/`);
    }
  });

  it('may sell a coin that an automatic funding buys', async () => {
    const path = '/v1/automatic-funding/';
    const funding = await shop.send('POST', path, { ...shop.pair('LTC', 'BTC'), ...TERMS });
    expect(funding.status).toBe(201);
    await made('BTC', 'LTC');
    await shop.send('DELETE', `${path}${funding.body.result.id}/`);
  });
});
