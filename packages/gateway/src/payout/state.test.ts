import { PAYOUT_STATUSES, type PayoutStatus } from '@crypto-checkout/protocol/status';
import { describe, expect, it } from 'vitest';
import {
  checkPayoutMoves,
  followPath,
  isMove,
  PAYOUT_MOVES,
  sentPath,
  type SentFacts,
} from './state.ts';

/** docs/interface.md, "Payout transitions". */
const LEGAL: readonly (readonly [PayoutStatus, PayoutStatus])[] = [
  ['draft', 'new'],
  ['draft', 'rejected'],
  ['scheduled', 'new'],
  ['scheduled', 'rejected'],
  ['new', 'queued'],
  ['new', 'awaiting_funds'],
  ['new', 'awaiting_policies'],
  ['new', 'pending'],
  ['new', 'failed'],
  ['new', 'rejected'],
  ['queued', 'pending'],
  ['queued', 'failed'],
  ['awaiting_funds', 'new'],
  ['awaiting_funds', 'rejected'],
  ['awaiting_policies', 'new'],
  ['awaiting_policies', 'rejected'],
  ['pending', 'confirmed'],
  ['pending', 'unconfirmed'],
  ['pending', 'failed'],
  ['unconfirmed', 'confirmed'],
  ['unconfirmed', 'failed'],
  ['confirmed', 'complete'],
  ['confirmed', 'failed'],
  ['failed', 'confirmed'],
];
const pairs = PAYOUT_STATUSES.flatMap((from) => PAYOUT_STATUSES.map((to) => [from, to] as const));

describe('PAYOUT_MOVES', () => {
  it('is complete and has final statuses', () => {
    expect(() => checkPayoutMoves()).not.toThrow();
    expect(Object.keys(PAYOUT_MOVES).toSorted()).toEqual([...PAYOUT_STATUSES].toSorted());
  });

  it.each(pairs)('from %s to %s', (from, to) => {
    const legal = LEGAL.some(([a, b]) => a === from && b === to);
    expect(isMove(from, to)).toBe(legal);
    if (legal) expect(followPath(from, [to]).status).toBe(to);
    else expect(() => followPath(from, [to])).toThrow(`can't go from ${from} to ${to}`);
  });

  it('reports the events along a path, in order', () => {
    expect(followPath('new', ['pending', 'confirmed', 'complete'])).toEqual({
      status: 'complete',
      events: ['payout_pending', 'payout_confirmed', 'payout_complete'],
    });
    for (const waiting of [
      'draft',
      'scheduled',
      'new',
      'awaiting_funds',
      'awaiting_policies',
    ] as const)
      expect(followPath(waiting, ['rejected']).events).toEqual(['payout_rejected']);
    expect(followPath('pending', ['unconfirmed', 'failed']).events).toEqual(['payout_failed']);
    expect(followPath('draft', ['new']).events).toEqual([]);
  });
});

describe('sentPath', () => {
  const CHAIN = ['sent', 'block', 'reverted', 'impossible'] as const;
  const facts: SentFacts[] = PAYOUT_STATUSES.flatMap((status) =>
    CHAIN.flatMap((chain) =>
      [0, 1, 5, 6, 100].flatMap((confirmations) =>
        [false, true].map((aged): SentFacts => ({
          status,
          chain,
          confirmations,
          finalConfirmations: 6,
          aged,
        })),
      ),
    ),
  );

  it.each(facts)(
    'stays in the table: $status, $chain, $confirmations confirmations, aged $aged',
    (fact) => {
      const path = sentPath(fact);
      const { status } = followPath(fact.status, path);
      if (
        [
          'draft',
          'scheduled',
          'rejected',
          'complete',
          'awaiting_funds',
          'awaiting_policies',
        ].includes(fact.status)
      )
        expect(path).toEqual([]);
      // A failed payout changes only when its transaction is in a block after all.
      if (fact.status === 'failed' && fact.chain !== 'block') expect(path).toEqual([]);
      // `failed` only when it is certain.
      if (status === 'failed' && fact.status !== 'failed')
        expect(
          fact.chain === 'impossible' || (fact.chain === 'reverted' && fact.confirmations >= 6),
        ).toBe(true);
      if (path.includes('complete'))
        expect(fact.chain === 'block' && fact.confirmations >= 6).toBe(true);
      // The same facts again change nothing.
      expect(sentPath({ ...fact, status })).toEqual([]);
    },
  );

  it('keeps a confirmed payout while it can get into a block again', () => {
    const confirmed = { status: 'confirmed', finalConfirmations: 6, aged: true } as const;
    expect(sentPath({ ...confirmed, chain: 'sent', confirmations: 0 })).toEqual([]);
    expect(sentPath({ ...confirmed, chain: 'reverted', confirmations: 5 })).toEqual([]);
    expect(sentPath({ ...confirmed, chain: 'reverted', confirmations: 6 })).toEqual(['failed']);
    expect(sentPath({ ...confirmed, chain: 'impossible', confirmations: 0 })).toEqual(['failed']);
  });
});
