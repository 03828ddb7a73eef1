import { describe, expect, test } from 'vitest';
import { REASONS } from './error.ts';
import { EMAIL_EVENTS, EVENTS, resourceOf } from './event.ts';
import { INVOICE_STATUSES, TRANSACTION_STATUSES } from './status.ts';

describe('names of the API', () => {
  test('has sixteen events and the three of refunds, each of one resource', () => {
    expect(EVENTS).toHaveLength(20);
    expect(EVENTS.map((event) => event.startsWith(`${resourceOf(event)}_`))).not.toContain(false);
    expect(EMAIL_EVENTS).toHaveLength(10);
  });

  test('has five invoice statuses and seven transaction statuses', () => {
    expect(INVOICE_STATUSES).toEqual(['new', 'pending', 'paid', 'complete', 'expired']);
    expect(TRANSACTION_STATUSES).toHaveLength(7);
  });

  test('has unique reasons in PascalCase', () => {
    for (const reason of REASONS) expect(reason).toMatch(/^([A-Z][a-z]+)+$/);
    expect(new Set(REASONS).size).toBe(REASONS.length);
  });
});
