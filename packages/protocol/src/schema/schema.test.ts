import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import amounts from '../../test/vectors/amount.json' with { type: 'json' };
import type { Checkout } from '../checkout/checkout.ts';
import { decodePayload, encodePayload } from '../wire/signature.ts';
import { amountInput, amountText } from './fields/amount.ts';
import { invoiceCallback, transactionCallback } from './callback.ts';
import { checkout } from './checkout.ts';
import { createInvoice, invoice } from './invoice.ts';
import { order } from './order.ts';
import { pageOf } from './fields/pagination.ts';
import { createPayoutRecipient } from './payout.ts';
import { profile, profileCurrency } from './profile.ts';
import { createRefund } from './refund.ts';
import { shopEvent } from './shop-event.ts';
import type { ShopEvent } from '../wire/shop-event.ts';
import { transaction } from './transaction.ts';
import { wallet } from './wallet.ts';

/** An invoice with the mandatory members only. */
const BARE = {
  id: 'i',
  kind: 'BTC',
  created_at: '2026-11-21T12:00:00.000000+00:00',
  profile_id: 'p',
  address: 'bc1q',
  network: 'mainnet',
  status: 'new',
  amount: {
    requested: { amount: '10', currency: 'USD' },
    invoiced: { amount: '0.0001', currency: 'BTC' },
    paid: null,
  },
};

describe('amounts', () => {
  test.each(amounts.format)('accepts %s', (text) => {
    expect(amountText.safeParse(text).success).toBe(true);
  });

  test.each(amounts.invalid)('refuses %j', (text) => {
    expect(amountText.safeParse(text).success).toBe(false);
    expect(amountInput.safeParse(text).success).toBe(false);
  });

  test('in a request can be JSON numbers, without losing a digit', () => {
    const json =
      '{"request":"/","nonce":1,"a":10,"b":0.10,"c":0.1000000000000000055511151231257827,"d":2.0e-5,"e":-1,"f":1e999999,"g":"1e3"}';
    const { payload } = decodePayload(Buffer.from(json).toString('base64'));
    expect(amountInput.parse(payload['a'])).toBe('10');
    expect(amountInput.parse(payload['b'])).toBe('0.10');
    expect(amountInput.parse(payload['d'])).toBe('0.00002');
    for (const refused of ['c', 'e', 'f', 'g'])
      expect(amountInput.safeParse(payload[refused]).success).toBe(false);
  });

  test.each([
    ['1e3', 'without an exponent'],
    ['2.0E-5', 'without an exponent'],
    ['abc', 'must be a decimal amount: up to 18 digits, a point, up to 18 decimals'],
  ])('of %j are refused with the reason', (text, reason) => {
    expect(amountInput.safeParse(text).error?.issues[0]?.message).toContain(reason);
  });
});

test.each([
  [['ETH_USTD'], 'must be one of the kinds, such as ETH_USDT'],
  [['eth_usdt'], 'must be "ETH_USDT", in capitals'],
  [['GOLD'], 'must be one of BTC, '],
])('an order of the kinds %j is refused with what is meant, or with all of them', (kinds, rule) => {
  const issue = order.safeParse({ order_id: 'A', amount: '1', currency: 'USD', kinds }).error
    ?.issues[0];
  expect(issue?.message.slice(0, rule.length)).toBe(rule);
});

describe('invoice', () => {
  test('reads omitted members as null', () => {
    expect(invoice.parse(BARE)).toMatchObject({
      expires_at: null,
      lightning: null,
      custom_fee: null,
      passthrough: null,
      transactions: [],
    });
  });

  test('can have an unknown status', () => {
    expect(invoice.parse({ ...BARE, status: 'refunded' }).status).toBe('refunded');
  });

  test.each([
    [
      'an amount that is a number',
      { amount: { ...BARE.amount, requested: { amount: 10, currency: 'USD' } } },
    ],
    ['a time that is none', { created_at: 'yesterday' }],
    ['no id', { id: null }],
    ['no amounts', { amount: null }],
  ])('is refused with %s', (_, change) => {
    expect(invoice.safeParse({ ...BARE, ...change }).success).toBe(false);
  });
});

test.each([
  ['an invoice', createInvoice, { profile_id: 'p', currency: 'USD', kind: 'BTC' }],
  ['a recipient of a payout', createPayoutRecipient, { currency: 'BTC', address: 'lnbc1' }],
  ['a refund', createRefund, { transaction_id: 't', address: 'a' }],
])('%s may have no amount, and none of null', (_, schema, members) => {
  expect(schema.safeParse(members).success).toBe(true);
  const { error } = schema.safeParse({ ...members, amount: null });
  expect(error?.issues.map(({ path }) => path)).toEqual([['amount']]);
});

describe('payload of a new invoice', () => {
  const parse = (members: Record<string, unknown>) =>
    createInvoice.safeParse(
      decodePayload(
        encodePayload(
          { request: '/v1/invoices/', profile_id: 'p', currency: 'USD', kind: 'BTC', ...members },
          1n,
        ),
      ).payload,
    );

  test('ignores unknown members', () => {
    expect(parse({ status: 'complete', account_id: 'other' }).data).toEqual({
      profile_id: 'p',
      currency: 'USD',
      kind: 'BTC',
    });
  });

  test('converts a passthrough that is not a string to its JSON text', () => {
    expect(parse({ passthrough: { order: 1 } }).data?.passthrough).toBe('{"order":1}');
    expect(parse({ passthrough: 5 }).data?.passthrough).toBe('5');
  });

  test.each([
    ['min_confirmations', 0],
    ['min_confirmations', 6],
    ['min_confirmations', '1'],
    ['invoice_expiration', 61],
    ['passthrough', 'x'.repeat(4097)],
    ['passthrough', 'a\0b'],
    ['amount', '1,5'],
    ['amount', '-1'],
    ['zero_conf_enabled', 'yes'],
    ['exchange_rate_limit', { pair: 'BTC:USD' }],
    ['exchange_rate_limit', { pair: 'BTCUSD', exchange_rate: '1', allowed_difference: '0.05' }],
  ])('refuses %s %j', (member, value) => {
    const parsed = parse({ [member]: value });
    expect(parsed.error?.issues[0]?.path[0]).toBe(member);
  });
});

describe('order', () => {
  test('has at most the decimals of its currency', () => {
    expect(
      order.safeParse({ order_id: '1', amount: '10.5', currency: 'JPY' }).error?.issues[0]?.message,
    ).toMatch(/at most 0 decimals in JPY/);
    expect(order.safeParse({ order_id: '1', amount: 10, currency: 'JPY' }).data?.amount).toBe('10');
    expect(order.safeParse({ order_id: '1', amount: 12.5, currency: 'USD' }).data?.amount).toBe(
      '12.5',
    );
    expect(order.safeParse({ order_id: '1', amount: '10.00', currency: 'JPY' }).success).toBe(true);
  });

  test.each([
    ['order_id', ''],
    ['order_id', 5],
    ['amount', '0'],
    ['amount', 'x'],
    ['amount', -1.5],
    ['amount', 1e21],
    ['currency', 'XXX'],
    ['kinds', ['BTC2']],
    ['kinds', []],
  ])('refuses %s %j', (member, value) => {
    const parsed = order.safeParse({
      order_id: '1',
      amount: '10',
      currency: 'USD',
      [member]: value,
    });
    expect(parsed.error?.issues[0]?.path[0]).toBe(member);
  });
});

describe('the buyer’s view', () => {
  const view: Checkout = {
    id: 'c',
    stage: 'choose',
    notes: ['test_network'],
    version: 1,
    network: 'testnet',
    server_time: '2026-11-21T12:00:00.000000+00:00',
    expires_at: null,
    merchant: {
      name: 'Shop',
      contact: null,
      logo: 'https://pay.example/merchant/logo-1.svg',
      legal: { name: 'Shop Ltd', address: '1 Quay', country: 'IE', asked: true },
    },
    order: { order_id: '1', description: null, amount: { amount: '10', currency: 'USD' } },
    coins: [
      {
        kind: 'BTC',
        name: 'Bitcoin',
        network: 'Bitcoin',
        symbol: 'BTC',
        approx: '0.0001',
        fee_usd: '2.1',
        seconds: 600,
        gas: null,
      },
    ],
    payment: null,
    received: [],
    shop_url: null,
    success_url: null,
    onramp: null,
  };

  test('is accepted unchanged', () => {
    expect(checkout.parse(view)).toEqual(view);
  });

  test.each([
    { passthrough: 'x' },
    { order: { ...view.order, secret: 'x' } },
    { merchant: { name: 'Shop', contact: null, logo: null, legal: null, profile_id: 'p' } },
  ])('is refused with an additional member: %j', (more) => {
    expect(checkout.safeParse({ ...view, ...more }).success).toBe(false);
  });
});

test('the other resources read omitted members as null', () => {
  const { status: _, ...embedded } = BARE;
  const bare = {
    id: 't',
    kind: 'BTC',
    txid: 'x',
    invoice: embedded,
    amount: { paid: { amount: '1', currency: 'BTC' } },
    created_at: BARE.created_at,
    confirmations: 0,
    status: 'pending',
    network: 'mainnet',
  };
  expect(transaction.parse(bare)).toMatchObject({
    amount: { paid: { quotes: {} } },
    currency_rates: {},
    risk_level: null,
    executed_at: null,
  });
  expect(transaction.parse({ ...bare, invoice: null }).invoice).toBeNull();
  expect(
    wallet.parse({
      id: 'w',
      name: 'BTC',
      balances: { available: '0', pending: '0', currency: 'BTC' },
    }).token_balances,
  ).toEqual([]);
  expect(
    profile.parse({ id: 'p', account_id: 'a', name: 'x', invoice_expiration: 900, currencies: [] }),
  ).toMatchObject({
    acceptance_range: { negative_difference: '0.5' },
    stablecoin_precision: 2,
  });
  for (const unavailable of [true, false, null, undefined]) {
    const coin = { kind: 'BTC', wallet_id: 'w', min_confirmations: 1, unavailable };
    expect(profileCurrency.parse(coin).unavailable).toBe(unavailable);
  }
  const pagination = {
    num_pages: 1,
    count: 0,
    page: 1,
    next_page: null,
    previous_page: null,
    per_page: 25,
  };
  expect(pageOf(invoice).parse({ pagination, result: [BARE] }).result).toHaveLength(1);
  const envelope = { callback_id: 'c', signature: 's' };
  expect(
    invoiceCallback.safeParse({ ...envelope, callback_status: 'invoice_pending', result: BARE })
      .success,
  ).toBe(true);
  expect(
    transactionCallback.safeParse({
      ...envelope,
      callback_status: 'transaction_pending',
      result: bare,
    }).success,
  ).toBe(true);
  expect(
    transactionCallback.safeParse({ ...envelope, callback_status: 'invoice_pending', result: bare })
      .success,
  ).toBe(false);
});

test('the schema of a shop event has each member of its type', () => {
  expectTypeOf<z.infer<typeof shopEvent>>().toEqualTypeOf<ShopEvent>();
  expect(shopEvent.safeParse({ event: 'checkout.paid' }).error?.issues.length).toBeGreaterThan(5);
});
