import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import vectors from '../../test/vectors/late.json' with { type: 'json' };
import { formatAmount, parseAmount } from '../amount/amount.ts';
import { type CheckoutFacts, type InvoiceFacts, stageOf, type TransactionFacts } from './stage.ts';
import { isLate } from './invoice-tally.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');

describe('late payments and overpayments', () => {
  test.each(vectors.cases)(
    '$why',
    ({ payments, stage, notes, paid, remaining, late, overpaid_coins, late_coins }) => {
      const transactions = payments.map((payment, index) =>
        payed(payment.amount, payment.minute, { late_rate: payment.late_rate, index }),
      );
      const state = stageOf(facts({ transactions }));
      expect(state).toMatchObject({ stage, notes, paid, remaining, late });
      expect(state.payments['btc']).toMatchObject({ overpaid: overpaid_coins, late: late_coins });
    },
  );

  test('do not count the part that goes back to the buyer', () => {
    const back = (amount: string, refunded: string, minute: number) => {
      const { amount: came, ...rest } = payed(amount, minute);
      return { ...rest, amount: { ...came, refunded: { amount: refunded, currency: 'BTC' } } };
    };
    const half = stageOf(facts({ transactions: [back('0.001', '0.001', 5)] }));
    const nothing = stageOf(facts({ transactions: [] }));
    expect([half.stage, half.paid]).toEqual([nothing.stage, '0']);
    const late = stageOf(facts({ transactions: [back('0.002', '0.002', 16)] }));
    expect([late.stage, late.late]).toEqual([nothing.stage, '0']);
    const whole = stageOf(facts({ transactions: [back('0.003', '0.001', 5)] }));
    const exact = stageOf(facts({ transactions: [payed('0.002', 5)] }));
    expect([whole.stage, whole.paid, whole.notes]).toEqual([exact.stage, exact.paid, exact.notes]);
  });

  test('report the excess for the coin of the excess payment', () => {
    const ltc: InvoiceFacts = {
      ...invoice(),
      id: 'ltc',
      kind: 'LTC',
      amount: {
        requested: { amount: '100', currency: 'USD' },
        invoiced: { amount: '1', currency: 'LTC' },
      },
    };
    const second = { ...payed('1', 10, { index: 1 }), kind: 'LTC', invoice: { id: 'ltc' } };
    const state = stageOf(
      facts({ invoices: [invoice(), ltc], transactions: [payed('0.001', 5), second] }),
    );
    expect(state.notes).toEqual(['overpaid', 'paid_twice']);
    expect([state.payments['btc']?.overpaid, state.payments['ltc']?.overpaid]).toEqual([null, '1']);
  });

  test('stage is late beside an earlier quote that is still valid, but not beside a later quote', () => {
    const beside = (minute: number): InvoiceFacts => ({
      ...invoice(),
      id: 'other',
      created_at: iso(minute),
      expires_at: iso(90),
    });
    const transactions = [payed('0.001', 16)];
    expect(stageOf(facts({ invoices: [invoice(), beside(3)], transactions })).stage).toBe('late');
    expect(stageOf(facts({ invoices: [invoice(), beside(20)], transactions })).stage).toBe('pay');
    expect(
      stageOf(facts({ invoices: [invoice(), beside(3), beside(20)], transactions })).stage,
    ).toBe('pay');
  });

  test('an accepted late payment does not count once it is replaced, failed or held', () => {
    for (const [status, stage] of [
      ['replaced', 'expired'],
      ['failed', 'expired'],
      ['quarantined', 'held'],
    ] as const)
      expect(
        stageOf(
          facts({ transactions: [{ ...payed('0.001', 16, { late_rate: '100000' }), status }] }),
        ).stage,
      ).toBe(stage);
  });

  test('an accepted late payment waits for its confirmations', () => {
    for (const [status, stage] of [
      ['pending', 'seen'],
      ['confirmed', 'paid'],
    ] as const)
      expect(
        stageOf(
          facts({ transactions: [{ ...payed('0.001', 16, { late_rate: '100000' }), status }] }),
        ).stage,
      ).toBe(stage);
  });

  test('the excess is exact to the last digit that wallets show', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 10n ** 5n, max: 10n ** 12n }),
        fc.bigInt({ min: 2n, max: 10n }),
        (price, times) => {
          // Prices in units of 10^-8, as invoices have them.
          const units = price * 10n ** 10n;
          const amount = {
            requested: { amount: '100', currency: 'USD' },
            invoiced: { amount: formatAmount(units), currency: 'BTC' },
          };
          const transactions = [payed(formatAmount(units * times), 5)];
          const { payments } = stageOf(
            facts({ invoices: [{ ...invoice(), amount }], transactions }),
          );
          expect(parseAmount(payments['btc']?.overpaid ?? '0')).toBe(units * (times - 1n));
        },
      ),
    );
  });
});

describe('a payment is late', () => {
  test('from the instant at which the quote expires', () => {
    expect(isLate(invoice(), payed('1', 14.999))).toBe(false);
    expect(isLate(invoice(), payed('1', 15))).toBe(true);
  });

  test('by the quote at its arrival, even if another quote followed', () => {
    const quote = { requested: '100', invoiced: '0.001' };
    const quotes = [
      { ...quote, starts_at: iso(0), expires_at: iso(15) },
      { ...quote, starts_at: iso(20), expires_at: iso(35) },
    ];
    const renewed = { ...invoice(), quotes, expires_at: iso(35) };
    expect([5, 17, 25, 40].map((minute) => isLate(renewed, payed('1', minute)))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test('never for a reusable address or in another coin', () => {
    const open = {
      ...invoice(),
      amount: { requested: { amount: '0', currency: 'USD' }, invoiced: null },
    };
    expect(isLate(open, payed('1', 99))).toBe(false);
    expect(isLate(invoice(), { ...payed('1', 99), kind: 'LTC' })).toBe(false);
  });
});

function facts(changes: Partial<CheckoutFacts>): CheckoutFacts {
  return {
    order: { amount: '100', currency: 'USD' },
    invoices: [invoice()],
    transactions: [],
    serverTime: NOON + 30 * 60_000,
    ...changes,
  };
}

function invoice(): InvoiceFacts {
  return {
    id: 'btc',
    kind: 'BTC',
    status: 'new',
    network: 'mainnet',
    created_at: iso(0),
    expires_at: iso(15),
    amount: {
      requested: { amount: '100', currency: 'USD' },
      invoiced: { amount: '0.001', currency: 'BTC' },
    },
  };
}

function payed(
  amount: string,
  minute: number,
  { late_rate = null, index = 0 }: { late_rate?: string | null; index?: number } = {},
): TransactionFacts {
  return {
    kind: 'BTC',
    txid: `t${index}`,
    status: 'complete',
    created_at: iso(minute),
    confirmations: 6,
    invoice: { id: 'btc' },
    amount: { paid: { amount, currency: 'BTC' } },
    late_rate,
  };
}

function iso(minute: number): string {
  return new Date(NOON + minute * 60_000).toISOString();
}
