import { parseAmount } from '@crypto-checkout/protocol/amount';
import { INVOICE_STATUSES, type InvoiceStatus } from '@crypto-checkout/protocol/status';
import { describe, expect, it } from 'vitest';
import {
  checkInvoiceMoves,
  INVOICE_MOVES,
  invoiceState,
  type CountedPayment,
  type InvoiceFacts,
} from './state.ts';

const START = 1_000_000;
const fresh: InvoiceFacts = {
  status: 'new',
  events: [],
  hasAmount: true,
  payments: [],
  negativeDifference: parseAmount('0.5'),
  childComplete: false,
  expiresAt: START + 900_000,
  now: START,
};
const LATE = START + 900_000;

function payment(
  amount: string,
  depth: 'seen' | 'confirmed' | 'final' = 'seen',
  invoiced = '1',
): CountedPayment {
  return {
    amount: parseAmount(amount),
    invoiced: parseAmount(invoiced),
    confirmed: depth !== 'seen',
    final: depth === 'final',
  };
}

const of = (facts: Partial<InvoiceFacts>) => invoiceState({ ...fresh, ...facts });

/** Facts that lead to the status from any previous one. */
const LEADS_TO: Readonly<Record<InvoiceStatus, Partial<InvoiceFacts>>> = {
  new: {},
  pending: { payments: [payment('1')] },
  paid: { payments: [payment('1', 'confirmed')] },
  complete: { payments: [payment('1', 'final')] },
  expired: { now: LATE },
};

describe('invoice transitions', () => {
  it('are consistent', () => expect(checkInvoiceMoves).not.toThrow());

  for (const from of INVOICE_STATUSES) {
    for (const to of INVOICE_STATUSES) {
      it(`${from} to ${to} is possible exactly if the table has it`, () => {
        const { status } = of({ status: from, ...LEADS_TO[to] });
        const renewal = from === 'expired' && to === 'new';
        const legal = from === to || INVOICE_MOVES[from].includes(to);
        // Only `renew` changes an expired invoice to new; it is not computed from facts.
        if (legal && !renewal) expect(status).toBe(to);
        else expect(status).toBe(from);
      });
    }
  }
});

describe('sum of payments', () => {
  it.each([
    ['1', 'paid'],
    ['0.995', 'paid'],
    ['0.994999999999999999', 'pending'],
    ['1.5', 'paid'],
    ['0.1', 'pending'],
  ] as const)('of %s of 1 makes the invoice %s', (amount, status) => {
    expect(of({ payments: [payment(amount, 'confirmed')] }).status).toBe(status);
  });

  it('adds several payments', () => {
    expect(
      of({ payments: [payment('0.5', 'confirmed'), payment('0.495', 'confirmed')] }).status,
    ).toBe('paid');
    expect(
      of({ payments: [payment('0.5', 'confirmed'), payment('0.494', 'confirmed')] }).status,
    ).toBe('pending');
  });

  it('measures each payment against its own price', () => {
    const half = payment('1', 'confirmed', '2');
    expect(of({ payments: [half, payment('0.5', 'confirmed', '1')] }).status).toBe('paid');
    expect(of({ payments: [half, payment('0.49', 'confirmed', '1')] }).status).toBe('pending');
  });

  it('is exact where decimals would round', () => {
    const third = (): CountedPayment => payment('1', 'confirmed', '3');
    expect(of({ payments: [third(), third(), third()], negativeDifference: 0n }).status).toBe(
      'paid',
    );
  });

  it('no payment never matches, whatever the accepted range', () => {
    expect(of({ negativeDifference: parseAmount('100') }).status).toBe('new');
  });
});

describe('an invoice', () => {
  it('is paid when the confirmed payments match, despite later dust', () => {
    expect(
      of({ status: 'paid', payments: [payment('1', 'confirmed'), payment('0.00001')] }).status,
    ).toBe('paid');
    expect(of({ payments: [payment('0.6', 'confirmed'), payment('0.4')] }).status).toBe('pending');
    expect(
      of({ status: 'paid', payments: [payment('1', 'final'), payment('0.00001')] }).status,
    ).toBe('complete');
  });

  it('never expires after a matching sum in time', () => {
    expect(of({ status: 'pending', payments: [payment('1')], now: LATE + 1e9 }).status).toBe(
      'pending',
    );
    expect(
      of({ status: 'paid', payments: [payment('1', 'confirmed')], now: LATE + 1e9 }).status,
    ).toBe('paid');
  });

  it('expires exactly at expires_at', () => {
    expect(of({ now: LATE - 1 }).status).toBe('new');
    expect(of({ now: LATE }).status).toBe('expired');
  });

  it('expires from paid when the payment is lost after the expiry', () => {
    expect(of({ status: 'paid', now: LATE }).status).toBe('expired');
    expect(of({ status: 'paid' }).status).toBe('new');
  });

  it('leaves expired only by payments seen in time', () => {
    expect(of({ status: 'expired', now: LATE, payments: [payment('0.5')] }).status).toBe('expired');
    expect(of({ status: 'expired', now: LATE, payments: [payment('1')] }).status).toBe('pending');
  });

  it('without an amount emits nothing and keeps its status', () => {
    expect(of({ hasAmount: false, expiresAt: null, payments: [payment('1', 'final')] })).toEqual({
      status: 'new',
      events: [],
      matched: true,
    });
  });

  it('LNURL parent is complete when a child is', () => {
    expect(of({ expiresAt: null, childComplete: true })).toMatchObject({
      status: 'complete',
      events: ['invoice_pending', 'invoice_confirmed', 'invoice_complete'],
    });
    expect(of({ hasAmount: false, expiresAt: null, childComplete: true })).toMatchObject({
      status: 'complete',
      events: [],
    });
  });
});

describe('invoice events', () => {
  it.each([
    ['a matching sum', {}, [payment('1')], ['invoice_pending']],
    ['a sum below', {}, [payment('0.5')], []],
    [
      'a matching, confirmed sum',
      {},
      [payment('1', 'confirmed')],
      ['invoice_pending', 'invoice_confirmed'],
    ],
    [
      'a matching, final sum',
      {},
      [payment('1', 'final')],
      ['invoice_pending', 'invoice_confirmed', 'invoice_complete'],
    ],
    ['a final payment below', {}, [payment('0.5', 'final')], ['invoice_incomplete']],
    ['expiry with a sum below', { now: LATE }, [payment('0.5')], ['invoice_incomplete']],
    ['expiry without any payment', { now: LATE }, [], []],
  ] as const)('of %s', (_, facts, payments, events) => {
    expect(of({ ...facts, payments }).events).toEqual(events);
  });

  it('are sent once each', () => {
    const events = ['invoice_incomplete', 'invoice_pending', 'invoice_confirmed'] as const;
    expect(of({ events, payments: [payment('0.5')], now: LATE, status: 'pending' }).events).toEqual(
      [],
    );
    expect(of({ events, payments: [payment('1', 'final')] }).events).toEqual(['invoice_complete']);
  });

  it('end with invoice_complete', () => {
    expect(
      of({
        status: 'complete',
        events: ['invoice_complete'],
        payments: [payment('1', 'final')],
        now: LATE,
      }).events,
    ).toEqual([]);
  });
});
