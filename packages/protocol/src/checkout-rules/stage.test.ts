import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { formatAmount, parseAmount } from '../amount/amount.ts';
import { isFinalStage, STAGES } from '../checkout/checkout.ts';
import { type CheckoutFacts, type InvoiceFacts, stageOf, type TransactionFacts } from './stage.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const order = { amount: '100', currency: 'USD' };

describe('stage', () => {
  test('is choose before a coin is chosen', () => {
    expect(stageOf({ order, invoices: [], transactions: [], serverTime: NOON })).toMatchObject({
      stage: 'choose',
      paid: '0',
      remaining: '100',
      notes: [],
    });
  });

  test('is pay while the quote is valid, for each form of the time', () => {
    const facts = { order, invoices: [btc()], transactions: [] };
    expect(stageOf({ ...facts, serverTime: at(14.99) }).stage).toBe('pay');
    expect(stageOf({ ...facts, serverTime: '2026-11-21T12:14:59.999000+00:00' }).stage).toBe('pay');
    expect(stageOf({ ...facts, serverTime: '2026-11-21T12:15:00.000000+00:00' }).stage).toBe(
      'expired',
    );
  });

  test('is expired when the invoice has this status, whatever the clock', () => {
    expect(stage({ invoices: [btc({ status: 'expired' })] })).toBe('expired');
  });

  test.each([
    ['pending', 'seen'],
    ['unconfirmed', 'seen'],
    ['confirmed', 'paid'],
    ['complete', 'complete'],
    ['quarantined', 'held'],
    ['failed', 'failed'],
    ['replaced', 'pay'],
    ['dropped', 'pay'],
    ['spontaneous', 'wait'],
  ])('with one exact payment that is %s is %s', (status, expected) => {
    expect(stage({ invoices: [btc()], transactions: [paid('btc', '0.001', status)] })).toBe(
      expected,
    );
  });

  test('is underpaid while a part is under review: only the rest beside it is due', () => {
    const part = paid('btc', '0.0006', 'quarantined');
    const facts = { order, invoices: [btc()], transactions: [part], serverTime: at(5) };
    expect(stageOf(facts)).toMatchObject({ stage: 'underpaid', paid: '0', remaining: '40' });
    const rest = paid('btc', '0.0004', 'confirmed', 2);
    expect(stageOf({ ...facts, transactions: [part, rest] })).toMatchObject({
      stage: 'held',
      paid: '40',
      remaining: '0',
    });
    const released = paid('btc', '0.0006', 'confirmed');
    expect(stageOf({ ...facts, transactions: [released, rest] })).toMatchObject({
      stage: 'paid',
      paid: '100',
      remaining: '0',
    });
  });

  test('follows the status paid before the transactions are known', () => {
    expect(stage({ invoices: [btc({ status: 'paid' })] })).toBe('paid');
    expect(
      stage({
        invoices: [btc({ status: 'complete' })],
        transactions: [paid('btc', '0.001', 'confirmed')],
      }),
    ).toBe('complete');
  });

  test('is wait for an unknown invoice status, whatever was paid', () => {
    for (const transactions of [[], [paid('btc', '0.001', 'complete')]])
      expect(stage({ invoices: [btc({ status: 'refunded' })], transactions })).toBe('wait');
  });

  test('follows the other invoice when one has an unknown status', () => {
    expect(
      stage({
        invoices: [btc({ status: 'odd' }), eth()],
        transactions: [paid('eth', '0.04', 'confirmed')],
      }),
    ).toBe('paid');
  });

  test('is never paid by an invoice in another currency than the order', () => {
    const invoice = btc({ status: 'paid', requested: { amount: '100', currency: 'JPY' } });
    expect(stage({ invoices: [invoice], transactions: [paid('btc', '0.001', 'complete')] })).toBe(
      'wait',
    );
  });

  test('waits for confirmations of every part', () => {
    const transactions = [paid('btc', '0.0004', 'complete'), paid('btc', '0.0006', 'pending')];
    expect(stage({ invoices: [btc()], transactions })).toBe('seen');
    expect(
      stage({
        invoices: [btc()],
        transactions: [transactions[0]!, paid('btc', '0.0006', 'confirmed')],
      }),
    ).toBe('paid');
  });

  test('returns to seen after a reorganisation', () => {
    expect(
      stage({
        invoices: [btc({ status: 'pending' })],
        transactions: [paid('btc', '0.001', 'pending')],
      }),
    ).toBe('seen');
  });

  test('only complete is final', () => {
    expect(STAGES.filter(isFinalStage)).toEqual(['complete']);
    expect(isFinalStage('some later stage')).toBe(false);
  });
});

describe('underpayment', () => {
  const part = [paid('btc', '0.0004', 'pending')];

  test('reports the rest in the order’s currency and in the coin', () => {
    const state = stageOf({ order, invoices: [btc()], transactions: part, serverTime: at(5) });
    expect(state).toMatchObject({ stage: 'underpaid', paid: '40', remaining: '60' });
    expect(state.payments['btc']).toEqual({
      due: '0.001',
      paid: '0.0004',
      remaining: '0.0006',
      rate: '100000',
      overpaid: null,
      late: null,
    });
  });

  test('reports the rate that led to the amount, not what dividing the rounded one returns', () => {
    const requested = { amount: '18.5', currency: 'USD' };
    const state = stageOf({
      order: requested,
      invoices: [btc({ requested, invoiced: '0.00019271' })],
      transactions: [paid('btc', '0.0001', 'pending')],
      serverTime: at(5),
    });
    expect(state.payments['btc']!.rate).toBe('96000');
    expect(state.transactionValues[0]!.rate).toBe('96000');
  });

  test('stays after the quote expired, because the rest can be paid with another coin', () => {
    expect(
      stageOf({
        order,
        invoices: [btc({ status: 'expired' })],
        transactions: part,
        serverTime: at(20),
      }).stage,
    ).toBe('underpaid');
  });

  test('ends with a payment in another coin, each at its own quote', () => {
    const invoices = [btc(), eth()];
    const after = [...part, paid('eth', '0.024', 'pending', 6)];
    const before = stageOf({ order, invoices, transactions: part, serverTime: at(5) });
    expect(before.payments['eth']?.remaining).toBe('0.024');
    expect(stageOf({ order, invoices, transactions: after, serverTime: at(7) })).toMatchObject({
      stage: 'seen',
      remaining: '0',
      notes: [],
    });
    expect(stage({ invoices, transactions: [...part, paid('eth', '0.0238', 'pending', 6)] })).toBe(
      'seen',
    );
    expect(stage({ invoices, transactions: [...part, paid('eth', '0.0236', 'pending', 6)] })).toBe(
      'underpaid',
    );
  });

  test('ends with an invoice for the rest', () => {
    const rest = eth({ requested: { amount: '60', currency: 'USD' }, invoiced: '0.024' });
    expect(
      stage({
        invoices: [btc({ status: 'expired' }), rest],
        transactions: [paid('btc', '0.0004', 'complete'), paid('eth', '0.024', 'confirmed', 10)],
      }),
    ).toBe('paid');
  });

  test('ends when the reported rest is paid, whatever the quotes', () => {
    const positive = fc.bigInt({ min: 1n, max: 10n ** 27n });
    fc.assert(
      fc.property(
        positive,
        positive,
        fc.integer({ min: 1, max: 99 }),
        (btcPrice, ethPrice, percent) => {
          const invoices = [
            btc({ invoiced: formatAmount(btcPrice) }),
            eth({ invoiced: formatAmount(ethPrice) }),
          ];
          const first = formatAmount((btcPrice * BigInt(percent)) / 100n + 1n);
          const acceptance = { negative_difference: '0', positive_difference: '0.5' };
          const facts = {
            order,
            invoices,
            transactions: [paid('btc', first, 'pending')],
            serverTime: at(5),
            acceptance,
          };
          const { remaining } = stageOf(facts).payments['eth']!;
          const rest =
            parseAmount(remaining!) === 0n ? [] : [paid('eth', remaining!, 'pending', 6)];
          expect(
            stageOf({ ...facts, transactions: [...facts.transactions, ...rest] }),
          ).toMatchObject({ stage: 'seen', remaining: '0' });
        },
      ),
    );
  });

  test('rounds the rest of a stablecoin up to the decimals of its price', () => {
    const order = { amount: '9.52', currency: 'USD' };
    const invoices = [
      btc({ requested: order, invoiced: '0.0002' }),
      invoice('usdt', 'USDT-TRX', '9.53', { requested: order }),
    ];
    const facts = {
      order,
      invoices,
      transactions: [paid('btc', '0.0001', 'pending')],
      serverTime: at(5),
    };
    expect(stageOf(facts).payments['usdt']?.remaining).toBe('4.77');
    expect(stageOf({ ...facts, stablecoinPrecision: 4 }).payments['usdt']?.remaining).toBe('4.765');
  });

  test('reports the invoiced amount of an invoice for the rest', () => {
    // 99.995 USD are left, and no service makes an invoice for half a cent.
    const rest = eth({ requested: { amount: '99.99', currency: 'USD' }, invoiced: '0.0399961' });
    const facts = {
      order,
      invoices: [btc(), rest],
      transactions: [paid('btc', '0.00000015', 'pending')],
      serverTime: at(5),
    };
    expect(stageOf(facts).payments['eth']?.remaining).toBe('0.0399961');
  });

  test('within the tolerance is accepted', () => {
    expect(stage({ invoices: [btc()], transactions: [paid('btc', '0.000995', 'confirmed')] })).toBe(
      'paid',
    );
    expect(
      stage({ invoices: [btc()], transactions: [paid('btc', '0.00099499', 'confirmed')] }),
    ).toBe('underpaid');
    const strict = { negative_difference: '0', positive_difference: '0' };
    expect(
      stage({
        invoices: [btc()],
        transactions: [paid('btc', '0.00099999', 'confirmed')],
        acceptance: strict,
      }),
    ).toBe('underpaid');
    expect(
      stage({
        invoices: [btc()],
        transactions: [paid('btc', '0.001', 'confirmed')],
        acceptance: strict,
      }),
    ).toBe('paid');
  });

  test('counts the transaction’s value before the custom fee', () => {
    const transaction = paid('btc', '0.0009', 'confirmed');
    transaction.amount.paid_total = { amount: '0.001', currency: 'BTC' };
    expect(stage({ invoices: [btc()], transactions: [transaction] })).toBe('paid');
  });
});

describe('renewed quotes', () => {
  const quotes = [
    { requested: '100', invoiced: '0.001', starts_at: iso(0), expires_at: iso(15) },
    { requested: '100', invoiced: '0.002', starts_at: iso(20), expires_at: iso(35) },
  ];
  const renewed = btc({ invoiced: '0.002', expires_at: iso(35), quotes });

  test.each([
    ['at the first price, seen while it ran', '0.001', 10, 'paid'],
    ['at the first price, seen after it ran out', '0.001', 16, 'pay'],
    ['at the first price, seen under the second', '0.001', 21, 'underpaid'],
    ['at the second price', '0.002', 21, 'paid'],
  ])('%s', (_, amount, minute, expected) => {
    const facts = {
      invoices: [renewed],
      transactions: [paid('btc', amount, 'confirmed', minute)],
      serverTime: at(22),
    };
    expect(stage(facts)).toBe(expected);
  });

  test('end at the invoice’s expiry, so that an extended one lasts', () => {
    const invoice = btc({ expires_at: iso(30), quotes: [quotes[0]!] });
    expect(
      stage({
        invoices: [invoice],
        transactions: [paid('btc', '0.001', 'confirmed', 20)],
        serverTime: at(21),
      }),
    ).toBe('paid');
  });
});

describe('late payment', () => {
  const late = [paid('btc', '0.001', 'confirmed', 16)];

  test('does not count', () => {
    const state = stageOf({
      order,
      invoices: [btc({ status: 'expired' })],
      transactions: late,
      serverTime: at(17),
    });
    expect(state).toMatchObject({ stage: 'late', paid: '0', remaining: '100', late: '100' });
  });

  test('is reported beside a partial payment in time', () => {
    const transactions = [paid('btc', '0.0004', 'complete'), paid('btc', '0.0006', 'pending', 16)];
    expect(
      stage({ invoices: [btc({ status: 'expired' })], transactions, serverTime: at(17) }),
    ).toBe('late');
  });

  test('allows a payment with a coin that was chosen afterwards', () => {
    const other = eth({ created_at: iso(20), expires_at: iso(40) });
    expect(
      stage({
        invoices: [btc({ status: 'expired' }), other],
        transactions: late,
        serverTime: at(26),
      }),
    ).toBe('pay');
  });

  test('for a paid order is a second payment', () => {
    const transactions = [...late, paid('eth', '0.04', 'confirmed', 5)];
    const state = stageOf({
      order,
      invoices: [btc({ status: 'expired' }), eth()],
      transactions,
      serverTime: at(17),
    });
    expect(state).toMatchObject({ stage: 'paid', notes: ['overpaid', 'paid_twice'] });
  });
});

describe('value of a transaction', () => {
  const values = (facts: Partial<CheckoutFacts> & Pick<CheckoutFacts, 'invoices'>) =>
    stageOf({ order, transactions: [], serverTime: at(17), ...facts }).transactionValues;
  const none = { rate: null, value: null, late: false, overpaid: null };

  test('is in the order’s currency at its own quote, for each coin', () => {
    const rest = eth({ requested: { amount: '60', currency: 'USD' }, invoiced: '0.024' });
    const transactions = [paid('eth', '0.024', 'pending', 6), paid('btc', '0.0004', 'complete')];
    expect(values({ invoices: [btc({ status: 'expired' }), rest], transactions })).toEqual([
      { ...none, rate: '2500', value: '60' },
      { ...none, rate: '100000', value: '40' },
    ]);
  });

  test('adds up to the price when parts end between two cents', () => {
    const transactions = [
      paid('btc', '0.00050004', 'complete'),
      paid('btc', '0.00049996', 'complete', 2),
    ];
    expect(values({ invoices: [btc()], transactions }).map(({ value }) => value)).toEqual([
      '50',
      '50',
    ]);
    const nearly = [
      paid('btc', '0.0005999999999', 'complete'),
      paid('btc', '0.0003', 'complete', 2),
    ];
    expect(values({ invoices: [btc()], transactions: nearly }).map(({ value }) => value)).toEqual([
      '59.99',
      '30',
    ]);
    const halves = [
      paid('btc', '0.00050005', 'complete'),
      paid('btc', '0.00049995', 'complete', 2),
    ];
    expect(values({ invoices: [btc()], transactions: halves }).map(({ value }) => value)).toEqual([
      '50',
      '50',
    ]);
  });

  // 59.995 USD are left, and no service makes an invoice for half a cent.
  const rest = eth({ requested: { amount: '60', currency: 'USD' }, invoiced: '0.024' });
  const part = paid('btc', '0.00040005', 'complete');

  test('adds up to the price when the rest was rounded up to the next cent', () => {
    const transactions = [part, paid('eth', '0.024', 'complete', 2)];
    expect(values({ invoices: [btc(), rest], transactions }).map(({ value }) => value)).toEqual([
      '40',
      '60',
    ]);
  });

  test('adds up to the paid sum, and with the rest to the price', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300_000_000 }), { minLength: 1, maxLength: 4 }),
        (parts) => {
          const transactions = parts.map((units, at) =>
            paid('btc', formatAmount(BigInt(units) * 10n ** 6n), 'complete', at),
          );
          const { transactionValues: all, ...shown } = stageOf({
            order,
            invoices: [btc()],
            transactions,
            serverTime: at(9),
          });
          // A tolerated shortfall counts as paid.
          fc.pre(shown.stage === 'underpaid');
          const values = all.reduce((sum, { value }) => sum + parseAmount(value!), 0n);
          expect(formatAmount(values)).toBe(shown.paid);
          expect(formatAmount(values + parseAmount(shown.remaining!))).toBe('100');
        },
      ),
    );
  });

  test('reports the exact excess over the invoiced amount', () => {
    const transactions = [part, paid('eth', '0.0252', 'complete', 2)];
    const state = stageOf({ order, invoices: [btc(), rest], transactions, serverTime: at(5) });
    expect(state.transactionValues.map(({ overpaid }) => overpaid)).toEqual([null, '0.0012']);
    expect(state.payments['eth']).toMatchObject({ due: '0.024', overpaid: '0.0012' });
    // The whole of what was not asked for stays the whole.
    const again = [...transactions, paid('btc', '0.001', 'complete', 3)];
    expect(
      values({ invoices: [btc(), rest], transactions: again }).map(({ overpaid }) => overpaid),
    ).toEqual([null, '0.0012', '0.001']);
  });

  test('is null while it does not count: late, void, held, or in another coin', () => {
    const transactions = [
      paid('btc', '0.001', 'complete', 16),
      paid('btc', '0.001', 'replaced'),
      paid('btc', '0.001', 'quarantined'),
      { ...paid('btc', '0.001', 'complete'), kind: 'ETH' },
    ];
    expect(values({ invoices: [btc({ status: 'expired' })], transactions })).toEqual([
      { ...none, late: true },
      none,
      none,
      none,
    ]);
  });

  test('is that of its arrival for accepted late payments', () => {
    const transactions = [{ ...paid('btc', '0.001', 'complete', 16), late_rate: '90000' }];
    expect(values({ invoices: [btc({ status: 'expired' })], transactions })).toEqual([
      { ...none, rate: '90000', value: '90', late: true },
    ]);
  });

  test('reports the excess over the order in the coin of the payment', () => {
    const transactions = [paid('btc', '0.0015', 'complete'), paid('eth', '0.01', 'complete', 2)];
    expect(
      values({ invoices: [btc(), eth()], transactions }).map(({ overpaid }) => overpaid),
    ).toEqual(['0.0005', '0.01']);
    const late = [paid('btc', '0.001', 'complete', 16), paid('eth', '0.04', 'complete', 2)];
    expect(
      values({ invoices: [btc({ status: 'expired' }), eth()], transactions: late }).map(
        ({ overpaid }) => overpaid,
      ),
    ).toEqual(['0.001', null]);
  });

  test('is null without a price', () => {
    const address = btc({
      requested: { amount: '0', currency: 'USD' },
      invoiced: '0',
      expires_at: null,
    });
    expect(
      values({ order: null, invoices: [address], transactions: [paid('btc', '0.5', 'complete')] }),
    ).toEqual([none]);
  });
});

describe('notes', () => {
  test('overpaid beyond the tolerance only', () => {
    expect(
      notes({ invoices: [btc()], transactions: [paid('btc', '0.001005', 'pending')] }),
    ).toEqual([]);
    expect(
      notes({ invoices: [btc()], transactions: [paid('btc', '0.00100501', 'pending')] }),
    ).toEqual(['overpaid']);
  });

  test('paid twice, with two coins or with one', () => {
    const invoices = [btc(), eth()];
    expect(
      notes({
        invoices,
        transactions: [paid('btc', '0.001', 'pending'), paid('eth', '0.04', 'pending', 2)],
      }),
    ).toEqual(['overpaid', 'paid_twice']);
    expect(
      notes({
        invoices,
        transactions: [paid('btc', '0.001', 'pending'), paid('btc', '0.001', 'pending', 2)],
      }),
    ).toEqual(['overpaid', 'paid_twice']);
    expect(notes({ invoices: [btc({ status: 'paid' }), eth({ status: 'complete' })] })).toEqual([
      'overpaid',
      'paid_twice',
    ]);
  });

  test('not paid twice in two parts', () => {
    expect(
      notes({
        invoices: [btc()],
        transactions: [paid('btc', '0.0005', 'pending'), paid('btc', '0.0005', 'pending', 2)],
      }),
    ).toEqual([]);
  });

  test('a wrong coin, which does not count', () => {
    const usdt = { ...paid('eth', '1000', 'confirmed'), kind: 'ETH_USDT' };
    const state = stageOf({ order, invoices: [eth()], transactions: [usdt], serverTime: at(5) });
    expect(state).toMatchObject({ stage: 'pay', notes: ['wrong_coin'], paid: '0' });
  });

  test('no wrong coin for another form of bitcoin', () => {
    const state = stageOf({
      order,
      invoices: [btc()],
      transactions: [{ ...paid('btc', '0.001', 'confirmed'), kind: 'BTC_BECH32' }],
      serverTime: at(5),
    });
    expect(state).toMatchObject({ stage: 'paid', notes: [] });
  });

  test('replaced, until another payment covers the order', () => {
    expect(notes({ invoices: [btc()], transactions: [paid('btc', '0.001', 'replaced')] })).toEqual([
      'replaced',
    ]);
    expect(
      notes({
        invoices: [btc()],
        transactions: [paid('btc', '0.001', 'replaced'), paid('btc', '0.001', 'pending', 2)],
      }),
    ).toEqual([]);
  });

  test('the test network, before and after a coin is chosen', () => {
    expect(notes({ invoices: [btc({ network: 'testnet' })] })).toEqual(['test_network']);
    expect(notes({ invoices: [], network: 'testnet' })).toEqual(['test_network']);
    expect(notes({ invoices: [], network: 'mainnet' })).toEqual([]);
  });
});

describe('reusable address', () => {
  const address = btc({
    requested: { amount: '0', currency: 'USD' },
    invoiced: '0',
    expires_at: null,
  });

  test.each([
    [[], 'pay'],
    [[paid('btc', '0.5', 'pending')], 'seen'],
    [[paid('btc', '0.5', 'complete'), paid('btc', '0.1', 'pending', 3)], 'seen'],
    [[paid('btc', '0.5', 'complete')], 'paid'],
  ] as const)('shows its newest payment and is never complete (%#)', (transactions, expected) => {
    const state = stageOf({ order: null, invoices: [address], transactions, serverTime: at(5) });
    expect(state).toMatchObject({ stage: expected, notes: ['reusable'], remaining: null });
    expect(state.payments['btc']).toMatchObject({ due: null, remaining: null, rate: null });
  });
});

describe('a checkout of one invoice', () => {
  test('uses the invoice’s requested amount as the order’s', () => {
    const state = stageOf({
      order: null,
      invoices: [btc()],
      transactions: [paid('btc', '0.0004', 'pending')],
      serverTime: at(5),
    });
    expect(state).toMatchObject({ stage: 'underpaid', remaining: '60' });
  });

  test('of an LNURL never expires, and completes with the invoice’s status', () => {
    const lnurl = btc({ kind: 'BTC_LIGHTNING_LNURL', expires_at: null });
    expect(
      stageOf({ order: null, invoices: [lnurl], transactions: [], serverTime: at(1e6) }).stage,
    ).toBe('pay');
    expect(
      stageOf({
        order: null,
        invoices: [{ ...lnurl, status: 'complete' }],
        transactions: [],
        serverTime: at(9),
      }).stage,
    ).toBe('complete');
  });
});

test('every combination of statuses has a stage, and more confirmations never lower it', () => {
  const RANK = ['pay', 'underpaid', 'seen', 'paid', 'complete'];
  const status = fc.constantFrom('pending', 'confirmed', 'complete');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), status), { minLength: 1, maxLength: 5 }),
      (parts) => {
        const facts = (final: boolean) => ({
          invoices: [btc()],
          transactions: parts.map(([share, own], index) =>
            paid(
              'btc',
              formatAmount(parseAmount('0.0001') * BigInt(share)),
              final ? 'complete' : own,
              index,
            ),
          ),
        });
        expect(RANK.indexOf(stage(facts(true)))).toBeGreaterThanOrEqual(
          RANK.indexOf(stage(facts(false))),
        );
      },
    ),
  );
});

function stage(facts: Partial<CheckoutFacts> & Pick<CheckoutFacts, 'invoices'>): string {
  return stageOf({ order, transactions: [], serverTime: at(8), ...facts }).stage;
}

function notes(facts: Partial<CheckoutFacts> & Pick<CheckoutFacts, 'invoices'>): string[] {
  return stageOf({ order, transactions: [], serverTime: at(8), ...facts }).notes;
}

type Changes = Partial<Omit<InvoiceFacts, 'amount'>> & {
  requested?: { amount: string; currency: string };
  invoiced?: string;
};

function btc(changes: Changes = {}): InvoiceFacts {
  return invoice('btc', 'BTC', '0.001', changes);
}

function eth(changes: Changes = {}): InvoiceFacts {
  return invoice('eth', 'ETH', '0.04', changes);
}

function invoice(
  id: string,
  kind: string,
  price: string,
  { requested, invoiced, ...changes }: Changes,
): InvoiceFacts {
  return {
    id,
    kind,
    status: 'new',
    network: 'mainnet',
    created_at: iso(0),
    expires_at: iso(15),
    amount: {
      requested: requested ?? order,
      invoiced: { amount: invoiced ?? price, currency: kind },
    },
    ...changes,
  };
}

function paid(invoiceId: string, amount: string, status: string, minute = 1): TransactionFacts {
  const currency = invoiceId.toUpperCase();
  return {
    kind: currency,
    txid: `${invoiceId}-${minute}`,
    status,
    created_at: iso(minute),
    confirmations: 0,
    invoice: { id: invoiceId },
    amount: { paid: { amount, currency } },
  };
}

function at(minute: number): number {
  return NOON + minute * 60_000;
}

function iso(minute: number): string {
  return new Date(at(minute)).toISOString();
}
