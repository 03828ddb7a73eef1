import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  membersOf,
  requireRefused,
  tradeRoutes,
  type RefusedRow,
  type TradeRoutes,
} from './exchange-routes.ts';

export interface RuleRoutes {
  path: string;
  /** The resource in permission names. */
  resource: string;
  schema: z.ZodType;
  /** Additional fields of the answers. */
  more: Record<string, unknown>;
  /** The side that is unique per wallet and kind. */
  side: 'from' | 'to';
}

const TERMS = { keep_amount: '1.50', min_amount: '0.10', max_amount: 2 };
const UNKNOWN_ID = '7f1f2b3c-0000-4000-8000-000000000000';
const LONG = 'x'.repeat(65);

/** Tests the routes of automatic conversions and automatic fundings. */
export function describeRuleRoutes({ path, resource, schema, more, side }: RuleRoutes): void {
  let shop: TradeRoutes;
  beforeAll(async () => {
    shop = await tradeRoutes();
  });
  afterAll(() => shop.close());
  const create = (members: object = {}) =>
    shop.send('POST', path, { ...shop.pair(), ...TERMS, ...members });
  const remove = (id: string) => shop.send('DELETE', `${path}${id}/`);

  describe(path, () => {
    it('creates, reads, changes and deletes one', async () => {
      const created = await create();
      expect(created.status).toBe(201);
      const { result } = created.body;
      expect(result).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        from_wallet: { id: shop.wallet('BTC'), name: 'Bitcoin wallet' },
        from_kind: 'BTC',
        to_wallet: { id: shop.wallet('LTC'), name: 'Litecoin wallet' },
        to_kind: 'LTC',
        keep_amount: '1.50',
        min_amount: '0.10',
        max_amount: '2',
        exchange: { id: 'built-in', title: 'Built-in book' },
        is_enabled: false,
        ...more,
      });
      expect(schema.parse(result)).toEqual(result);
      const url = `${path}${result.id}/`;
      expect((await shop.send('GET', url)).body).toEqual({ result });
      expect((await shop.send('GET', path)).body).toEqual({ result: [result] });
      const changes = {
        to_wallet: shop.wallet('DOGE'),
        to_kind: 'DOGE',
        keep_amount: '0',
        min_amount: '0',
        max_amount: '7.5',
      };
      const changed = await shop.send('PUT', url, {
        ...changes,
        is_enabled: true,
        exchange: 'built-in',
      });
      const expected = {
        ...result,
        ...changes,
        to_wallet: { id: shop.wallet('DOGE'), name: 'Dogecoin wallet' },
        is_enabled: true,
      };
      expect([changed.status, changed.body]).toEqual([200, { result: expected }]);
      expect((await shop.send('PUT', url, {})).body.result).toEqual(expected);
      const gone = await shop.send('DELETE', url);
      expect([gone.status, gone.body]).toEqual([200, { result: expected }]);
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await shop.send(method, url);
        expect([method, status, body.reason]).toEqual([method, 404, 'NotFound']);
      }
    });

    it('ignores answer-only fields', async () => {
      const forged = {
        id: UNKNOWN_ID,
        created_at: '2001-01-01T00:00:00Z',
        created_by: 'me',
        account_id: UNKNOWN_ID,
        period: 'x',
        type: 'x',
      };
      const { body } = await create(forged);
      expect(body.result).toMatchObject({ ...more, is_enabled: false });
      expect(body.result.id).not.toBe(UNKNOWN_ID);
      const url = `${path}${body.result.id}/`;
      const changed = await shop.send('PUT', url, {
        ...forged,
        from_wallet: shop.wallet('ETH'),
        from_kind: 'ETH',
      });
      expect(changed.body.result).toEqual(body.result);
      await remove(body.result.id);
    });

    it('allows one per wallet and kind', async () => {
      const first = await create();
      const duplicate = await create(
        side === 'from' ? shop.pair('BTC', 'DOGE') : shop.pair('DOGE', 'LTC'),
      );
      expect([duplicate.status, duplicate.body.reason, duplicate.body.errors[0].field]).toEqual([
        409,
        'AlreadyExists',
        `${side}_kind`,
      ]);
      // The other side is not unique.
      const other = await create(
        side === 'from' ? shop.pair('DOGE', 'LTC') : shop.pair('BTC', 'DOGE'),
      );
      expect(other.status).toBe(201);
      if (side === 'to') {
        const url = `${path}${other.body.result.id}/`;
        const conflict = await shop.send('PUT', url, {
          to_wallet: shop.wallet('LTC'),
          to_kind: 'LTC',
        });
        expect([conflict.status, conflict.body.reason]).toEqual([409, 'AlreadyExists']);
      }
      await remove(first.body.result.id);
      await remove(other.body.result.id);
    });

    it('creates one of fifty concurrent requests', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => create()));
      const created = answers.filter(({ status }) => status === 201);
      expect(created).toHaveLength(1);
      for (const { status, body } of answers)
        if (status !== 201) expect([status, body.reason]).toEqual([409, 'AlreadyExists']);
      await remove(created[0]!.body.result.id);
    });

    it('rejects keys without the permission, and other accounts', async () => {
      const { body } = await create();
      await shop.requireClosed(resource, path, body.result.id, { ...shop.pair(), ...TERMS });
      await remove(body.result.id);
    });
  });

  describe('bad input', () => {
    const bad = badMembers(() => shop);
    let url: string;
    beforeAll(async () => {
      url = `${path}${(await create()).body.result.id}/`;
    });
    it.each([...bad, ...badNew(side, () => shop)])('create rejects %s', async (...row) =>
      requireRefused(shop, 'POST', path, { ...shop.pair(), ...TERMS, ...membersOf(row) }, row),
    );

    it.each(bad)('update rejects %s', async (...row) =>
      requireRefused(shop, 'PUT', url, membersOf(row), row),
    );
  });
}

const AMOUNTS = ['keep_amount', 'min_amount', 'max_amount'] as const;

/** Refused in a new rule and in a change. */
const badMembers = (shop: () => TradeRoutes): RefusedRow[] => [
  ...AMOUNTS.flatMap((field): RefusedRow[] =>
    ['one', '', '-1', '1e3', '0.123456789', '1000000000000000000', true, {}, ['1']].map((value) => [
      `${JSON.stringify(value)} as ${field}`,
      { [field]: value },
      400,
      'ValidationError',
      field,
    ]),
  ),
  [
    'zero as max_amount',
    { max_amount: '0', min_amount: '0' },
    400,
    'ValidationError',
    'max_amount',
  ],
  [
    'max_amount below min_amount',
    { max_amount: '1', min_amount: '1.1' },
    400,
    'ValidationError',
    'max_amount',
  ],
  ['an unknown kind', { to_kind: 'NOPE' }, 400, 'ValidationError', 'to_kind'],
  ['a kind that is a number', { to_kind: 5 }, 400, 'ValidationError', 'to_kind'],
  ['a kind that the wallet does not hold', { to_kind: 'ETH' }, 400, 'ValidationError', 'to_kind'],
  [
    'the same coin in the same wallet',
    () => ({ to_wallet: shop().wallet('BTC'), to_kind: 'BTC' }),
    400,
    'ValidationError',
    'to_kind',
  ],
  ['a wallet that is not an id', { to_wallet: 'x' }, 404, 'NotFound', 'to_wallet'],
  ['an unknown wallet', { to_wallet: UNKNOWN_ID }, 404, 'NotFound', 'to_wallet'],
  [
    'another account’s wallet',
    () => ({ to_wallet: shop().foreignWallet }),
    404,
    'NotFound',
    'to_wallet',
  ],
  ['a wallet that is too long', { to_wallet: LONG }, 400, 'ValidationError', 'to_wallet'],
  ['an unknown exchange', { exchange: 'nope' }, 404, 'NotFound', 'exchange'],
  [
    'an exchange that is an object',
    { exchange: { id: 'built-in' } },
    400,
    'ValidationError',
    'exchange',
  ],
  ['a boolean as a string', { is_enabled: 'true' }, 400, 'ValidationError', 'is_enabled'],
  ['a boolean as a number', { is_enabled: 0 }, 400, 'ValidationError', 'is_enabled'],
];

/** Refused in a new rule only. */
const badNew = (side: RuleRoutes['side'], shop: () => TradeRoutes): RefusedRow[] => [
  ...(['from_wallet', 'from_kind', 'to_wallet', 'to_kind', ...AMOUNTS] as const).flatMap(
    (field): RefusedRow[] => [
      [`no ${field}`, { [field]: undefined }, 400, 'ValidationError', field],
      [`null as ${field}`, { [field]: null }, 400, 'ValidationError', field],
    ],
  ),
  [
    'another account’s wallet to sell from',
    () => ({ from_wallet: shop().foreignWallet }),
    404,
    'NotFound',
    'from_wallet',
  ],
  [
    'a kind to sell that the wallet does not hold',
    { from_kind: 'DOGE' },
    400,
    'ValidationError',
    'from_kind',
  ],
  ['a second one for the wallet and kind', {}, 409, 'AlreadyExists', `${side}_kind`],
];
