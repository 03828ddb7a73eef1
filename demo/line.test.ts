import { expect, it } from 'vitest';
import { lineForPeople } from './line.ts';

const entry = (level: number, msg: string, fields: object = {}): string =>
  JSON.stringify({ level, time: 1, name: 'bff', ...fields, msg });

it('what a developer can put right is printed in one line to read', () => {
  const foreign = entry(
    40,
    'Pages of this origin may not use the checkout: EMBED_ORIGINS does not list it.',
    {
      origin: 'http://localhost:5173',
    },
  );
  expect(lineForPeople('bff', foreign)).toBe(
    'bff: Pages of this origin may not use the checkout: EMBED_ORIGINS does not list it. (origin http://localhost:5173)',
  );
  const webhook = entry(
    40,
    'SHOP_WEBHOOK_URL (http://localhost:1/) did not accept checkout.seen of order A-1: it answered 500',
    {
      order_id: 'A-1',
      attempts: 2,
      next_attempt_by: '2026-11-21T08:00:30.000Z',
    },
  );
  expect(lineForPeople('bff', webhook)).toMatch(
    /it answered 500 \(attempts 2, next_attempt_by 2026-11-21T08:00:30\.000Z\)$/,
  );
  const link = 'success_url rejected: it is not an absolute https URL';
  expect(lineForPeople('bff', entry(40, link, { success_url: '/thanks' }))).toBe(
    `bff: ${link} (success_url /thanks)`,
  );
  expect(
    lineForPeople('bff', entry(40, 'The setting EMBED_ORIGIN is unknown; is EMBED_ORIGINS meant?')),
  ).toContain('EMBED_ORIGIN ');
});

it('errors are printed with their stack, and the rest is not', () => {
  expect(
    lineForPeople(
      'gateway',
      entry(50, 'it failed', { err: { message: 'no', stack: 'Error: no\n    at here' } }),
    ),
  ).toBe('gateway: it failed\nError: no\n    at here');
  for (const line of [
    entry(30, 'listening'),
    entry(40, 'the service is slow'),
    'no JSON',
    'null',
    '{"level":50}',
  ])
    expect(lineForPeople('bff', line)).toBeNull();
});
