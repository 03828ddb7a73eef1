import { describe, expect, it } from 'vitest';
import { NO_ORDER } from '../../orders/terms.ts';
import { ServiceInvoice } from '../../service/schema.ts';
import { mergeReadings } from './merge-readings.ts';
import { newRecord } from './record.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();

/** An invoice of which the price in force ends after these minutes. */
const invoice = (amount: string, ends: number): ServiceInvoice =>
  ServiceInvoice.parse({
    id: 'invoice',
    kind: 'BTC',
    status: 'new',
    network: 'Bitcoin Testnet',
    profile_id: 'profile',
    created_at: at(0),
    expires_at: at(ends),
    amount: {
      requested: { amount: '100', currency: 'USD' },
      invoiced: { amount, currency: 'BTC' },
    },
  });

/** The periods of all prices after these readings: amount, its end and the time of the reading. */
function periods(...readings: [amount: string, ends: number, read: number][]): string[] {
  let record = newRecord('checkout', NO_ORDER, START);
  for (const [amount, ends, read] of readings)
    record = mergeReadings(
      record,
      [{ invoice: invoice(amount, ends), transactions: null }],
      at(read),
    );
  return (record.invoices[0]?.quotes ?? []).map(
    ({ starts_at, expires_at }) =>
      `${minutes(starts_at)}-${expires_at === null ? '' : minutes(expires_at)}`,
  );
}

const minutes = (time: string): number => (Date.parse(time) - START) / 60_000;

describe('a price that another client requested', () => {
  it('starts one period before its end', () => {
    expect(periods(['0.1', 15, 0], ['0.2', 35, 25])).toEqual(['0-15', '20-35']);
  });

  it('has the length of one period after an extended price', () => {
    expect(periods(['0.1', 15, 0], ['0.1', 30, 5], ['0.2', 55, 45])).toEqual(['0-30', '40-55']);
  });

  it('starts after the end of the price before it, and not in the future', () => {
    expect(periods(['0.1', 15, 0], ['0.2', 29, 20])).toEqual(['0-15', '15-29']);
    expect(periods(['0.1', 15, 0], ['0.2', 45, 20])).toEqual(['0-15', '20-45']);
  });
});
