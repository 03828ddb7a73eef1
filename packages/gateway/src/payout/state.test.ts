import { PAYOUT_STATUSES, type PayoutStatus } from '@crypto-checkout/protocol/status';
import { describe, expect, it } from 'vitest';
import { checkPayoutMoves, followPath, isMove, PAYOUT_MOVES, sentPath, type SentFacts } from './state.ts';

/** §3.3 and decisions, "Payout moves"; the choices are marked in the table itself. */
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
];
const pairs = PAYOUT_STATUSES.flatMap((from) => PAYOUT_STATUSES.map((to) => [from, to] as const));

describe('the table of moves', () => {
  it('is complete and has ends', () => {
    expect(() => checkPayoutMoves()).not.toThrow();
    expect(Object.keys(PAYOUT_MOVES).toSorted()).toEqual([...PAYOUT_STATUSES].toSorted());
  });

  it.each(pairs)('from %s to %s', (from, to) => {
    const legal = LEGAL.some(([a, b]) => a === from && b === to);
    expect(isMove(from, to)).toBe(legal);
    if (legal) expect(followPath(from, [to]).status).toBe(to);
    else expect(() => followPath(from, [to])).toThrow(`can't go from ${from} to ${to}`);
  });

  it('tells what is passed, in order', () => {
    expect(followPath('new', ['pending', 'confirmed', 'complete'])).toEqual({
      status: 'complete',
      events: ['payout_pending', 'payout_confirmed', 'payout_complete'],
    });
    for (const waiting of ['draft', 'scheduled', 'new', 'awaiting_funds', 'awaiting_policies'] as const)
      expect(followPath(waiting, ['rejected']).events).toEqual(['payout_rejected']);
    expect(followPath('pending', ['unconfirmed', 'failed']).events).toEqual(['payout_failed']);
    expect(followPath('draft', ['new']).events).toEqual([]);
  });
});

describe('what the chain says', () => {
  const CHAIN = ['sent', 'block', 'reverted', 'impossible'] as const;
  const facts: SentFacts[] = PAYOUT_STATUSES.flatMap((status) =>
    CHAIN.flatMap((chain) =>
      [0, 1, 5, 6, 100].flatMap((confirmations) =>
        [false, true].map((aged): SentFacts => ({ status, chain, confirmations, finalConfirmations: 6, aged })),
      ),
    ),
  );

  it.each(facts)('of $status, $chain, $confirmations deep, aged $aged, leads along the table', (fact) => {
    const path = sentPath(fact);
    const { status } = followPath(fact.status, path);
    if (['draft', 'scheduled', 'rejected', 'complete', 'failed', 'awaiting_funds', 'awaiting_policies'].includes(fact.status))
      expect(path).toEqual([]);
    // Failed only when it is certain.
    if (status === 'failed' && fact.status !== 'failed')
      expect(fact.chain === 'impossible' || (fact.chain === 'reverted' && fact.confirmations >= 6)).toBe(true);
    if (path.includes('complete')) expect(fact.chain === 'block' && fact.confirmations >= 6).toBe(true);
    // Nothing changes when it is seen again.
    expect(sentPath({ ...fact, status })).toEqual([]);
  });

  it('does not take a confirmed payout back while it may get into a block again', () => {
    const confirmed = { status: 'confirmed', finalConfirmations: 6, aged: true } as const;
    expect(sentPath({ ...confirmed, chain: 'sent', confirmations: 0 })).toEqual([]);
    expect(sentPath({ ...confirmed, chain: 'reverted', confirmations: 5 })).toEqual([]);
    expect(sentPath({ ...confirmed, chain: 'reverted', confirmations: 6 })).toEqual(['failed']);
    expect(sentPath({ ...confirmed, chain: 'impossible', confirmations: 0 })).toEqual(['failed']);
  });
});
