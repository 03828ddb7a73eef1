import { expect, it } from 'vitest';
import { checkoutState } from '../checkouts/checkout-state.ts';
import { mergeReadings } from '../checkouts/repository/merge-readings.ts';
import { newRecord } from '../checkouts/repository/record.ts';
import { NO_ORDER } from '../orders/terms.ts';
import { ServiceInvoice, ServiceTransaction } from '../service/schema.ts';
import { signedInvoice } from './signed-invoice.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const time = new Date(START).toISOString();

it('a reusable address, which asks for no amount, has no receipt', () => {
  const zero = { requested: { amount: '0', currency: 'USD' } };
  const invoice = ServiceInvoice.parse({
    id: 'address',
    kind: 'BTC',
    status: 'new',
    network: 'testnet',
    profile_id: 'profile',
    created_at: time,
    amount: { ...zero, invoiced: { amount: '0', currency: 'BTC' } },
  });
  const payment = ServiceTransaction.parse({
    id: 'payment',
    kind: 'BTC',
    txid: 'aa',
    status: 'complete',
    created_at: time,
    invoice: { id: 'address' },
    amount: { paid: { amount: '0.1', currency: 'BTC' } },
  });
  const empty = newRecord('address', NO_ORDER, START);
  const record = mergeReadings(empty, [{ invoice, transactions: [payment] }], time);
  const context = { serverTime: START, profile: null };
  expect(checkoutState(record, context).stage).toBe('paid');
  expect(signedInvoice(record, context, null)).toBeUndefined();
});
