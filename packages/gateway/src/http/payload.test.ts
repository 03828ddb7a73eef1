import { createInvoice } from '@crypto-checkout/protocol/schema/invoice';
import { createPayout } from '@crypto-checkout/protocol/schema/payout';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { ServiceError } from './error.ts';
import { validate } from './payload.ts';

function refusalOf(schema: z.ZodType, value: unknown): ServiceError {
  try {
    validate(schema, value);
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('It was not refused');
}

describe('errors about a member', () => {
  const invoice = { profile_id: 'p', currency: 'EUR', kind: 'BTC' };

  it.each([
    ['is missing', { ...invoice, currency: undefined }, 'The member currency is required.'],
    [
      'is missing deeper down, where a string or a number is taken',
      { ...invoice, exchange_rate_limit: { pair: 'BTC:EUR', exchange_rate: '1' } },
      'The member exchange_rate_limit.allowed_difference is required.',
    ],
    [
      'is no amount',
      { ...invoice, amount: true },
      'The member amount must be a decimal amount: up to 18 digits, a point, up to 18 decimals, such as 19.90, not true.',
    ],
    [
      'is a negative number',
      { ...invoice, amount: -1 },
      'The member amount must be a decimal amount: up to 18 digits, a point, up to 18 decimals, such as 19.90, not -1.',
    ],
    [
      'has a comma',
      { ...invoice, amount: '19,90' },
      'The member amount must be a decimal amount: up to 18 digits, a point, up to 18 decimals, such as 19.90, not "19,90".',
    ],
    [
      'is an object',
      { ...invoice, amount: { secret: 'x' } },
      'The member amount must be a decimal amount: up to 18 digits, a point, up to 18 decimals.',
    ],
  ])('that %s', (_what, payload, message) => {
    expect(refusalOf(createInvoice, payload).message).toBe(message);
  });

  it('list each missing member', () => {
    expect(refusalOf(createPayout, { recipients: [{ amount: '1' }] }).errors).toEqual([
      { field: 'kind', message: 'is required' },
      { field: 'profile_id', message: 'is required' },
      { field: 'recipients.0.currency', message: 'is required' },
      { field: 'recipients.0.address', message: 'is required' },
    ]);
  });

  it('describe an error of the whole payload', () => {
    expect(refusalOf(createInvoice, null).message).toBe('The payload must be an object.');
  });
});
