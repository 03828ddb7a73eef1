import { TRANSACTION_STATUSES, type TransactionStatus } from '@crypto-checkout/protocol/status';
import { describe, expect, it } from 'vitest';
import {
  checkTransactionMoves,
  isLive,
  TRANSACTION_MOVES,
  transactionState,
  type TransactionFacts,
} from './state.ts';

const fresh: TransactionFacts = {
  status: null,
  events: [],
  inMempool: true,
  confirmations: 0,
  requiredConfirmations: 2,
  finalConfirmations: 6,
  finalized: false,
  finalizedBlock: null,
  replacedBy: null,
  failure: null,
  quarantined: false,
  zeroConfirmed: false,
  credit: 'none',
  fundsAt: 'confirmed',
  aged: false,
};
const after = (status: TransactionStatus, facts: Partial<TransactionFacts> = {}) =>
  transactionState({ ...fresh, status, ...facts });

/** Facts that lead to the status before finality. */
const LEADS_TO: Readonly<Record<TransactionStatus, Partial<TransactionFacts>>> = {
  pending: {},
  unconfirmed: { aged: true },
  confirmed: { confirmations: 2 },
  complete: { confirmations: 6 },
  replaced: { replacedBy: 'other', inMempool: false },
  failed: { failure: 'reverted' },
  quarantined: { quarantined: true },
};

describe('transaction transitions', () => {
  it('are consistent', () => expect(checkTransactionMoves).not.toThrow());

  for (const from of TRANSACTION_STATUSES) {
    for (const to of TRANSACTION_STATUSES) {
      it(`${from} to ${to} respects the table`, () => {
        const { status } = after(from, LEADS_TO[to]);
        if (from === to || TRANSACTION_MOVES[from].includes(to)) return;
        expect(status).not.toBe(to);
      });
    }
  }

  it.each([
    ['pending', 'confirmed'],
    ['pending', 'complete'],
    ['pending', 'unconfirmed'],
    ['pending', 'replaced'],
    ['pending', 'failed'],
    ['pending', 'quarantined'],
    ['unconfirmed', 'confirmed'],
    ['unconfirmed', 'replaced'],
    ['confirmed', 'complete'],
    ['confirmed', 'pending'],
    ['confirmed', 'replaced'],
    ['confirmed', 'failed'],
    ['confirmed', 'quarantined'],
    ['quarantined', 'pending'],
    ['quarantined', 'confirmed'],
    ['quarantined', 'complete'],
    ['replaced', 'confirmed'],
    ['failed', 'confirmed'],
  ] as const)('leads from %s to %s', (from, to) => {
    expect(after(from, LEADS_TO[to]).status).toBe(to);
  });

  it.each(TRANSACTION_STATUSES)('never leave complete, not even with facts of %s', (to) => {
    expect(after('complete', { ...LEADS_TO[to], credit: 'available' }).status).toBe('complete');
  });
});

describe('a transaction', () => {
  it('is pending until it has the required confirmations', () => {
    expect(after('pending', { confirmations: 1 }).status).toBe('pending');
    expect(after('pending', { confirmations: 2 }).status).toBe('confirmed');
  });

  it('is complete at the final depth, even below the required confirmations', () => {
    expect(
      after('pending', { confirmations: 1, requiredConfirmations: 5, finalConfirmations: 1 })
        .status,
    ).toBe('complete');
  });

  it('never becomes unconfirmed while in a block', () => {
    expect(after('pending', { confirmations: 1, aged: true }).status).toBe('pending');
  });

  it('stays unconfirmed until confirmed', () => {
    expect(after('unconfirmed', { aged: true, confirmations: 1 }).status).toBe('unconfirmed');
    expect(after('unconfirmed', { aged: true, confirmations: 2 }).status).toBe('confirmed');
  });

  it('returns to pending after a reorganisation, regardless of its age', () => {
    expect(after('confirmed', { aged: true }).status).toBe('pending');
  });

  it('is neither replaced nor failed after leaving the mempool, and is not credited', () => {
    expect(after('pending', { inMempool: false })).toMatchObject({
      status: 'pending',
      credit: 'none',
      events: ['transaction_pending'],
    });
  });

  it('emits the events of all passed statuses, once each', () => {
    expect(transactionState({ ...fresh, confirmations: 6 }).events).toEqual([
      'transaction_pending',
      'transaction_confirmed',
      'transaction_complete',
    ]);
    expect(
      after('confirmed', {
        confirmations: 6,
        events: ['transaction_pending', 'transaction_confirmed'],
      }).events,
    ).toEqual(['transaction_complete']);
    expect(
      after('pending', {
        confirmations: 2,
        events: ['transaction_pending', 'transaction_confirmed'],
      }).events,
    ).toEqual([]);
  });

  it('emits nothing when it becomes unconfirmed', () => {
    expect(after('pending', { aged: true, events: ['transaction_pending'] })).toMatchObject({
      status: 'unconfirmed',
      events: [],
    });
  });

  it('credit is available at the final depth, where the operator wants that', () => {
    const final = { fundsAt: 'complete' } as const;
    expect(after('pending', final).credit).toBe('pending');
    expect(after('pending', { ...final, confirmations: 2 })).toMatchObject({
      status: 'confirmed',
      credit: 'pending',
    });
    expect(after('confirmed', { ...final, confirmations: 6 }).credit).toBe('available');
  });

  it('credit that is available stays so when the operator wants the final depth from now on', () => {
    const facts = { fundsAt: 'complete', confirmations: 2, credit: 'available' } as const;
    expect(after('confirmed', facts).credit).toBe('available');
  });

  it('credit of a complete payment waits for the finalized block, where the chain has one', () => {
    const facts = { fundsAt: 'final', finalizedBlock: 'funds', confirmations: 6 } as const;
    const events = ['transaction_pending'] as const;
    expect(after('confirmed', { ...facts, credit: 'pending', events })).toMatchObject({
      status: 'complete',
      credit: 'pending',
      alarm: null,
    });
    expect(after('complete', { ...facts, credit: 'pending', finalized: true }).credit).toBe(
      'available',
    );
    expect(after('confirmed', { ...facts, finalizedBlock: null }).credit).toBe('available');
    // A final depth that is reached is not taken back.
    expect(after('complete', { ...facts, credit: 'available' }).credit).toBe('available');
    // Nor is a finalized block a reason to pay out of a depth that is not final.
    expect(after('pending', { ...facts, confirmations: 2, finalized: true })).toMatchObject({
      status: 'confirmed',
      credit: 'pending',
    });
  });

  it('a payment is complete at the finalized block, where the chain has early ones', () => {
    const facts = { finalizedBlock: 'earlier', fundsAt: 'final', finalized: true } as const;
    expect(after('pending', { ...facts, confirmations: 2 })).toMatchObject({
      status: 'complete',
      credit: 'available',
    });
    expect(after('pending', { ...facts, confirmations: 0 }).status).toBe('pending');
    const lost = { ...facts, confirmations: 0, finalized: false, credit: 'available' } as const;
    expect(after('complete', lost)).toMatchObject({ status: 'complete', credit: 'frozen' });
  });

  it('credit that waits for the finalized block is frozen, with an alarm, when its block leaves', () => {
    const facts = { fundsAt: 'final', finalizedBlock: 'funds', credit: 'pending' } as const;
    const lost = after('complete', { ...facts, confirmations: 0 });
    expect(lost).toMatchObject({ status: 'complete', credit: 'frozen' });
    expect(lost.alarm).toContain('left its block');
  });

  it('credit is pending, then available, and frozen with an alarm after a final transaction is lost', () => {
    expect(after('pending').credit).toBe('pending');
    expect(after('pending', { confirmations: 2 }).credit).toBe('available');
    const events = [
      'transaction_pending',
      'transaction_confirmed',
      'transaction_complete',
    ] as const;
    const gone = after('complete', { credit: 'available', events });
    expect(gone).toMatchObject({
      credit: 'frozen',
      alarm: expect.stringContaining('frozen'),
      events: [],
    });
    expect(after('complete', { credit: 'frozen', events }).alarm).toBeNull();
    expect(after('complete', { credit: 'frozen', confirmations: 5, events }).credit).toBe('frozen');
    expect(after('complete', { credit: 'frozen', confirmations: 6, events })).toMatchObject({
      credit: 'available',
      alarm: null,
      events: [],
    });
  });

  it('is frozen with an alarm in another block, until it is final there', () => {
    expect(after('complete', { credit: 'available', confirmations: 3 })).toMatchObject({
      status: 'complete',
      credit: 'frozen',
      alarm: expect.stringContaining('frozen'),
    });
    expect(after('complete', { credit: 'available', confirmations: 6 })).toMatchObject({
      credit: 'available',
      alarm: null,
    });
  });

  it('counts while it is live', () => {
    const live = (facts: Partial<TransactionFacts>): boolean =>
      isLive({ ...fresh, status: 'pending', ...facts });
    expect(live({})).toBe(true);
    expect(live({ inMempool: false })).toBe(false);
    expect(live({ inMempool: false, confirmations: 1 })).toBe(true);
    for (const status of ['replaced', 'failed', 'quarantined'] as const)
      expect(live({ status })).toBe(false);
  });
});
