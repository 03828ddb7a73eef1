import { describe, expect, it } from 'vitest';
import {
  checkSweepMoves,
  nextSweepStatus,
  requireSweepMove,
  SWEEP_MOVES,
  SWEEP_STATUSES,
  type SweepFacts,
} from './state.ts';

const facts = (change: Partial<SweepFacts>): SweepFacts => ({
  status: 'sending',
  chain: 'block',
  confirmations: 12,
  finalConfirmations: 12,
  ...change,
});

describe('moves of a sweep', () => {
  it('form a consistent table', () => expect(checkSweepMoves).not.toThrow());

  it.each(SWEEP_STATUSES.flatMap((from) => SWEEP_STATUSES.map((to) => [from, to] as const)))(
    '%s to %s is in the table, or refused',
    (from, to) => {
      const move = (): void => requireSweepMove(from, to);
      if (SWEEP_MOVES[from].includes(to)) expect(move).not.toThrow();
      else expect(move).toThrow(`A sweep cannot move from ${from} to ${to}`);
    },
  );

  it.each(SWEEP_STATUSES)('%s stays in the table for every answer of the chain', (status) => {
    for (const chain of ['sent', 'block', 'reverted', 'impossible'] as const) {
      for (const confirmations of [0, 1, 11, 12, 100]) {
        const next = nextSweepStatus(facts({ status, chain, confirmations }));
        if (next !== null) expect(SWEEP_MOVES[status]).toContain(next);
      }
    }
  });
});

describe('a sweep', () => {
  it('waits until top-up and transfer are final', () => {
    expect(nextSweepStatus(facts({ status: 'topping_up', confirmations: 11 }))).toBeNull();
    expect(nextSweepStatus(facts({ status: 'topping_up' }))).toBe('sending');
    expect(nextSweepStatus(facts({ confirmations: 11 }))).toBeNull();
    expect(nextSweepStatus(facts({}))).toBe('complete');
  });

  it('fails only when the failure is certain', () => {
    expect(nextSweepStatus(facts({ chain: 'sent', confirmations: 0 }))).toBeNull();
    expect(nextSweepStatus(facts({ chain: 'reverted', confirmations: 11 }))).toBeNull();
    expect(nextSweepStatus(facts({ chain: 'reverted' }))).toBe('failed');
    expect(nextSweepStatus(facts({ chain: 'impossible', confirmations: 0 }))).toBe('failed');
  });

  it('keeps a final status', () => {
    expect(nextSweepStatus(facts({ status: 'complete', chain: 'impossible' }))).toBeNull();
    expect(nextSweepStatus(facts({ status: 'failed' }))).toBeNull();
  });
});
