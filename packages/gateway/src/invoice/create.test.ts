import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../http/error.ts';
import { createInvoice } from './create.ts';
import { testShop, type TestShop } from '../../test/support/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop();
});
afterAll(() => shop.close());

async function refusal(
  payload: Record<string, unknown>,
): Promise<{ reason: string; message: string; fields: string[] }> {
  const count = async (): Promise<unknown> => {
    const { rows } = await sql`
      select (select count(*) from invoice) as invoices, (select count(*) from quote) as quotes,
        (select count(*) from deposit_target) as targets, (select sum(next_index)::text from derivation) as indexes`.execute(
      shop.context.db,
    );
    return rows;
  };
  const before = await count();
  const base = { profile_id: shop.profileId, amount: '100', currency: 'USD', kind: 'BTC' };
  const error: unknown = await createInvoice(shop.context, shop.accountId, {
    ...base,
    ...payload,
  }).catch((caught: unknown) => caught);
  expect(await count(), 'nothing is written').toEqual(before);
  if (!(error instanceof ServiceError))
    throw new Error(`Not refused: ${JSON.stringify(payload)} ${String(error)}`);
  return {
    reason: error.reason,
    message: error.message,
    fields: (error.errors ?? []).map(({ field }) => field),
  };
}

describe('createInvoice', () => {
  it('returns every invoice field', async () => {
    const invoice = await shop.create({ notes: 'two shirts', passthrough: '{"order": 1.0}' });
    expect(invoice).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'BTC',
      created_at: '2026-11-21T06:00:00.000000+00:00',
      expires_at: '2026-11-21T06:15:00.000000+00:00',
      profile_id: shop.profileId,
      address: expect.stringMatching(/^tb1q/),
      lightning: null,
      network: 'testnet',
      status: 'new',
      amount: {
        requested: { amount: '100', currency: 'USD' },
        invoiced: { amount: '0.002', currency: 'BTC', rate_usd: '50000' },
        paid: null,
      },
      custom_fee: null,
      min_confirmations: 1,
      zero_conf_enabled: false,
      notes: 'two shirts',
      passthrough: '{"order": 1.0}',
      order_id: null,
      proof: { kid: expect.any(String), signature: expect.any(String) },
      transactions: [],
    });
    expect(await shop.get(invoice.id)).toEqual(invoice);
  });

  it('works for every receivable kind and reads back as returned', async () => {
    const usd = new Map((await shop.context.rates.current()).usd);
    const created = [...shop.context.chains.values()]
      .flatMap(({ kinds }) => kinds)
      .filter((kind) => usd.has(KINDS.find((row) => row.kind === kind)!.symbol));
    expect(created.length).toBeGreaterThan(25);
    for (const kind of created) {
      const invoice = await shop.create({
        kind,
        amount: '12.34',
        currency: 'EUR',
        passthrough: 'p',
      });
      expect(await shop.get(invoice.id), kind).toEqual(invoice);
      const lightning = kind.startsWith('BTC_LIGHTNING');
      expect(invoice.address === null, kind).toBe(lightning);
      expect(invoice.lightning !== null, kind).toBe(lightning);
    }
  });

  it('rounds up to the decimals that wallets accept', async () => {
    for (const [kind, amount, currency, invoiced] of [
      ['BTC', '0.01', 'USD', '0.0000002'],
      ['BTC', '1', 'JPY', '0.00000016'],
      ['ETH', '33.33', 'EUR', '0.016665'],
      ['ETH', '0.01', 'JPY', null],
      ['ETH', '0.000000000000000001', 'ETH', '0.00000001'],
      ['LTC', '1', 'USD', '0.0125'],
      ['DOGE', '1', 'GBP', '7.5'],
      ['XRP', '0.01', 'USD', '0.005'],
      ['XRP', '0.07', 'EUR', '0.04375'],
      ['TRX', '0.01', 'EUR', '0.05'],
      ['ETH_USDT', '1.001', 'USDT', '1.01'],
      ['ETH_USDT', '9.99', 'EUR', '12.49'],
      ['SOL', '100', 'USD', '0.66666667'],
      ['BTC', '0.12345678', 'BTC', '0.12345678'],
    ] as const) {
      if (invoiced === null) continue;
      const invoice = await shop.create({ kind, amount, currency });
      expect(invoice.amount.invoiced.amount, `${amount} ${currency} in ${kind}`).toBe(invoiced);
      expect(invoice.amount.requested).toEqual({ amount, currency });
    }
  });

  it('accepts amounts as JSON numbers and echoes them', async () => {
    expect((await shop.create({ amount: 10 })).amount.requested.amount).toBe('10');
    expect((await shop.create({ amount: '0.10' })).amount.requested.amount).toBe('0.10');
  });

  it('uses expiry, confirmations, zero-conf, fee and notes of the payload', async () => {
    const invoice = await shop.create({
      invoice_expiration: 3600,
      min_confirmations: 5,
      zero_conf_enabled: true,
      fee_amount: '0.00000001',
      notes: '',
      passthrough: '',
    });
    expect(invoice).toMatchObject({
      expires_at: '2026-11-21T07:00:00.000000+00:00',
      min_confirmations: 5,
      zero_conf_enabled: true,
      custom_fee: { amount: '0.00000001', currency: 'BTC' },
      notes: '',
      passthrough: '',
      amount: { invoiced: { amount: '0.00200001' }, paid: null, paid_total: null },
    });
  });

  it('gives fifty concurrent callers fifty addresses', async () => {
    const invoices = await Promise.all(
      Array.from({ length: 50 }, (_, at) => shop.create({ kind: at % 2 ? 'ETH' : 'POL' })),
    );
    expect(new Set(invoices.map(({ address }) => address)).size).toBe(50);
  });

  it('accepts a satisfied exchange rate limit', async () => {
    const limit = (exchange_rate: string, allowed_difference: string) => ({
      exchange_rate_limit: { pair: 'BTC:USD', exchange_rate, allowed_difference },
    });
    await shop.create(limit('50000', '0'));
    await shop.create(limit('52631.5', '0.05'));
    expect(await refusal(limit('52632', '0.05'))).toMatchObject({
      reason: 'ExchangeRateLimitExceeded',
    });
    expect(await refusal(limit('47619', '0.05'))).toMatchObject({
      reason: 'ExchangeRateLimitExceeded',
    });
    await shop.create(limit('47619.1', '0.05'));
    for (const nothing of ['0', '0.00'])
      expect(await refusal(limit(nothing, '0.05'))).toMatchObject({
        reason: 'ValidationError',
        message: 'The member exchange_rate_limit.exchange_rate must be more than zero.',
      });
    const inDollars = (exchange_rate: string) => ({
      amount: '10',
      currency: 'EUR',
      ...limit(exchange_rate, '0.001'),
    });
    expect((await shop.create(inDollars('50000'))).amount.requested).toEqual({
      amount: '10',
      currency: 'EUR',
    });
    expect(await refusal(inDollars('40000'))).toMatchObject({
      reason: 'ExchangeRateLimitExceeded',
    });
    const ton = { pair: 'TON:USD', exchange_rate: '5', allowed_difference: '9' };
    expect((await shop.create({ kind: 'TON', exchange_rate_limit: ton })).kind).toBe('TON');
  });

  it('rejects pricing without a rate, with no definite reason', async () => {
    expect(await refusal({ currency: 'KRW' })).toMatchObject({ reason: 'RateUnavailable' });
  });

  it('needs no rate for an amount in the coin itself, and none for a reusable address', async () => {
    const { rates } = shop.context;
    const none = () => Promise.reject(new ServiceError('RateUnavailable', 'No source answers.'));
    shop.context.rates = { current: none };
    try {
      const invoice = await shop.create({ kind: 'BTC', amount: '0.5', currency: 'BTC' });
      expect(invoice.amount.invoiced).toMatchObject({ amount: '0.5', currency: 'BTC' });
      expect((await shop.create({ kind: 'BTC', amount: undefined })).status).toBe('new');
      expect(await refusal({ amount: '10', currency: 'EUR' })).toMatchObject({
        reason: 'RateUnavailable',
      });
    } finally {
      shop.context.rates = rates;
    }
  });
});

describe('invalid payloads', () => {
  const text = (length: number): string => 'x'.repeat(length);
  const cases: [member: string, values: unknown[]][] = [
    ['profile_id', [undefined, null, 1, {}]],
    [
      'amount',
      [
        '',
        'abc',
        '-1',
        '+1',
        '1e3',
        '1.',
        '.5',
        ' 1',
        '1 ',
        '0x10',
        '1,5',
        '0',
        '0.00',
        '1.001',
        '1234567890123456789',
        -1,
        1.5,
        true,
        null,
        {},
        [],
      ],
    ],
    ['currency', [undefined, null, '', 'usd', 'XXX', 5, {}]],
    ['kind', [undefined, null, '', 'btc', 'NOPE', '__proto__', 5, {}]],
    ['passthrough', [text(4097), 'a\0b', '\ud800', 5, true]],
    ['notes', [text(4097), 'a\0b', 'x\udc00', 5, {}]],
    ['fee_amount', ['', '-1', 'abc', '0.000000001', {}, true]],
    ['min_confirmations', [0, 6, -1, 1.5, '2', '1.5', true, {}]],
    ['zero_conf_enabled', ['true', 1, {}]],
    ['invoice_expiration', [0, 1, 901, '900', -900, {}]],
    ['exchange_rate_limit', ['x', 5, [], {}]],
  ];
  for (const [member, values] of cases) {
    for (const value of values) {
      it(`rejects ${member} ${JSON.stringify(value)?.slice(0, 30) ?? 'omitted'}`, async () => {
        const { reason, fields } = await refusal({ [member]: value });
        if (member === 'profile_id' && typeof value === 'string')
          return expect(reason).toBe('NotFound');
        expect(reason).toBe('ValidationError');
        expect(
          fields.every((field) => field === member || field.startsWith(`${member}.`)),
          fields.join(),
        ).toBe(true);
        expect(fields.length).toBeGreaterThan(0);
      });
    }
  }

  it.each(['', 'x', '00000000-0000-4000-8000-000000000000', '\0'])(
    'rejects the unknown profile_id %j',
    async (profile_id) => {
      expect((await refusal({ profile_id })).reason).toBe('NotFound');
    },
  );

  it.each([
    [{ pair: 'BTCUSD', exchange_rate: '1', allowed_difference: '0.1' }, 'exchange_rate_limit.pair'],
    [
      { pair: 'NOPE:USD', exchange_rate: '1', allowed_difference: '0.1' },
      'exchange_rate_limit.pair',
    ],
    [
      { pair: 'ETH:USD', exchange_rate: '1', allowed_difference: '9999999' },
      'exchange_rate_limit.pair',
    ],
    [
      { pair: 'BTC:XXX', exchange_rate: '1', allowed_difference: '9999999' },
      'exchange_rate_limit.pair',
    ],
    [
      { pair: 'BTC:ETH', exchange_rate: '20', allowed_difference: '9999999' },
      'exchange_rate_limit.pair',
    ],
    [
      { pair: 'BTC:USD', exchange_rate: 'x', allowed_difference: '0.1' },
      'exchange_rate_limit.exchange_rate',
    ],
    [{ pair: 'BTC:USD', exchange_rate: '1' }, 'exchange_rate_limit.allowed_difference'],
    [{ exchange_rate: '1', allowed_difference: '0.1' }, 'exchange_rate_limit.pair'],
  ])('rejects the limit %j', async (exchange_rate_limit, field) => {
    expect(await refusal({ exchange_rate_limit })).toMatchObject({
      reason: 'ValidationError',
      fields: [field],
    });
  });

  it('rejects zero-conf on chains other than bitcoin', async () => {
    for (const kind of ['ETH', 'LTC', 'BTC_LIGHTNING']) {
      expect(await refusal({ kind, zero_conf_enabled: true })).toMatchObject({
        reason: 'ValidationError',
        fields: ['zero_conf_enabled'],
      });
    }
  });

  it('rejects more decimals than the currency has', async () => {
    for (const [amount, currency] of [
      ['1.001', 'USD'],
      ['1.1', 'JPY'],
      ['0.000000001', 'BTC'],
      ['1.0000001', 'XRP'],
    ] as const) {
      expect(await refusal({ amount, currency })).toMatchObject({
        reason: 'ValidationError',
        fields: ['amount'],
      });
    }
  });

  it('rejects an amount with more than 18 digits in the coin', async () => {
    expect(
      await refusal({ amount: '999999999999999999', currency: 'BTC', kind: 'XRP' }),
    ).toMatchObject({
      reason: 'ValidationError',
      fields: ['amount'],
    });
  });

  it.each([
    ['kind', 'btc ', 'must be one of the coin kinds, such as BTC, not "btc "'],
    ['kind', 'ETH-USDT', 'must be one of the coin kinds, such as ETH_USDT, not "ETH-USDT"'],
    ['currency', 'usd', 'must be one of the currencies, such as USD, not "usd"'],
    ['currency', 'Dollars', 'must be one of the currencies, not "Dollars"'],
  ])('names what is allowed instead of the %s %j', async (member, value, message) => {
    await expect(shop.create({ [member]: value })).rejects.toMatchObject({
      reason: 'ValidationError',
      errors: [{ field: member, message }],
    });
  });

  it('rejects a kind whose node does not answer yet, and says so', async () => {
    const chains = shop.context.chains as Map<ChainId, ChainAdapter>;
    const litecoin = chains.get('litecoin')!;
    chains.set('litecoin', { ...litecoin, kinds: [], configuredKinds: ['LTC'] });
    const { reason, message } = await refusal({ kind: 'LTC' });
    chains.set('litecoin', litecoin);
    expect({ reason, message }).toEqual({
      reason: 'CurrencyNotEnabled',
      message:
        "The profile doesn't support selected payment currency: LTC. Its network can't be reached now.",
    });
  });

  it('rejects a kind that is not enabled, with the message that clients match', async () => {
    await shop.context.db.deleteFrom('profile_currency').where('kind', '=', 'DOGE').execute();
    const { reason, message } = await refusal({ kind: 'DOGE' });
    expect(reason).toBe('CurrencyNotEnabled');
    expect(message).toContain("doesn't support selected payment currency");
    const unknown = await refusal({ kind: 'JAMBO-SOL' });
    expect(unknown.reason).toBe('CurrencyNotEnabled');
    expect(unknown.message).toContain(
      "doesn't support selected payment currency: JAMBO-SOL. JAMBO-SOL stays disabled until an operator sets",
    );
  });

  it('ignores unknown fields and answer-only fields', async () => {
    const invoice = await shop.create({
      status: 'complete',
      paid_total: '5',
      account_id: 'x',
      id: 'y',
      wallet_id: 'z',
      address: 'mine',
    });
    expect(invoice).toMatchObject({ status: 'new', amount: { paid: null } });
    expect(invoice.address).toMatch(/^tb1q/);
  });
});

describe('sandbox rates', () => {
  it('keep invoiced × rate at or above the requested amount', async () => {
    for (let cents = 1; cents < 300; cents += 37) {
      const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
      const { amount: asked } = await shop.create({ kind: 'SOL', amount });
      const worth = (parseAmount(asked.invoiced.amount) * parseAmount('150')) / 10n ** 18n;
      expect(worth >= parseAmount(amount)).toBe(true);
      expect(worth - parseAmount(amount) < parseAmount('0.0000015')).toBe(true);
    }
  });
});
