import { TRANSACTION_STATUSES, type TransactionStatus } from '@crypto-checkout/protocol/status';
import { describe, expect, it } from 'vitest';
import { checkTransactionMoves, isLive, TRANSACTION_MOVES, transactionState, type TransactionFacts } from './state.ts';

const fresh: TransactionFacts = {
  status: null,
  events: [],
  inMempool: true,
  confirmations: 0,
  requiredConfirmations: 2,
  finalConfirmations: 6,
  replacedBy: null,
  failure: null,
  quarantined: false,
  zeroConfirmed: false,
  credit: 'none',
  aged: false,
};
const after = (status: TransactionStatus, facts: Partial<TransactionFacts> = {}) => transactionState({ ...fresh, status, ...facts });

/** Facts under which a transaction that is not final has the status. */
const LEADS_TO: Readonly<Record<TransactionStatus, Partial<TransactionFacts>>> = {
  pending: {},
  unconfirmed: { aged: true },
  confirmed: { confirmations: 2 },
  complete: { confirmations: 6 },
  replaced: { replacedBy: 'other', inMempool: false },
  failed: { failure: 'reverted' },
  quarantined: { quarantined: true },
};

describe('the table of transaction moves', () => {
  it('is sound', () => expect(checkTransactionMoves).not.toThrow());

  for (const from of TRANSACTION_STATUSES) {
    for (const to of TRANSACTION_STATUSES) {
      it(`never leads from ${from} to ${to} against the table`, () => {
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

  it.each(TRANSACTION_STATUSES)('leaves complete by nothing, not even facts of %s', (to) => {
    expect(after('complete', { ...LEADS_TO[to], credit: 'available' }).status).toBe('complete');
  });
});

describe('a transaction', () => {
  it('is pending until it has as many confirmations as the invoice wants', () => {
    expect(after('pending', { confirmations: 1 }).status).toBe('pending');
    expect(after('pending', { confirmations: 2 }).status).toBe('confirmed');
  });

  it('is complete on a chain that is final before the invoice is satisfied', () => {
    expect(after('pending', { confirmations: 1, requiredConfirmations: 5, finalConfirmations: 1 }).status).toBe('complete');
  });

  it('waits in a block as long as it must without becoming unconfirmed', () => {
    expect(after('pending', { confirmations: 1, aged: true }).status).toBe('pending');
  });

  it('stays unconfirmed until it is confirmed', () => {
    expect(after('unconfirmed', { aged: true, confirmations: 1 }).status).toBe('unconfirmed');
    expect(after('unconfirmed', { aged: true, confirmations: 2 }).status).toBe('confirmed');
  });

  it('goes back to pending after a reorganisation, however old it is', () => {
    expect(after('confirmed', { aged: true }).status).toBe('pending');
  });

  it('that left the mempool is neither replaced nor failed, and is worth nothing', () => {
    expect(after('pending', { inMempool: false })).toMatchObject({ status: 'pending', credit: 'none', events: ['transaction_pending'] });
  });

  it('tells every state that it passes through, each once', () => {
    expect(transactionState({ ...fresh, confirmations: 6 }).events).toEqual([
      'transaction_pending',
      'transaction_confirmed',
      'transaction_complete',
    ]);
    expect(after('confirmed', { confirmations: 6, events: ['transaction_pending', 'transaction_confirmed'] }).events).toEqual([
      'transaction_complete',
    ]);
    expect(after('pending', { confirmations: 2, events: ['transaction_pending', 'transaction_confirmed'] }).events).toEqual([]);
  });

  it('says nothing when it becomes unconfirmed', () => {
    expect(after('pending', { aged: true, events: ['transaction_pending'] })).toMatchObject({ status: 'unconfirmed', events: [] });
  });

  it('is pending money, then available, and frozen with an alarm when it leaves the chain after it was final', () => {
    expect(after('pending').credit).toBe('pending');
    expect(after('pending', { confirmations: 2 }).credit).toBe('available');
    const events = ['transaction_pending', 'transaction_confirmed', 'transaction_complete'] as const;
    const gone = after('complete', { credit: 'available', events });
    expect(gone).toMatchObject({ credit: 'frozen', alarm: expect.stringContaining('frozen'), events: [] });
    expect(after('complete', { credit: 'frozen', events }).alarm).toBeNull();
    expect(after('complete', { credit: 'frozen', confirmations: 5, events }).credit).toBe('frozen');
    expect(after('complete', { credit: 'frozen', confirmations: 6, events })).toMatchObject({
      credit: 'available',
      alarm: null,
      events: [],
    });
  });

  it('is frozen with an alarm also when it is in another block already, until it is final there', () => {
    expect(after('complete', { credit: 'available', confirmations: 3 })).toMatchObject({
      status: 'complete',
      credit: 'frozen',
      alarm: expect.stringContaining('frozen'),
    });
    expect(after('complete', { credit: 'available', confirmations: 6 })).toMatchObject({ credit: 'available', alarm: null });
  });

  it('counts while it may be there', () => {
    const live = (facts: Partial<TransactionFacts>): boolean => isLive({ ...fresh, status: 'pending', ...facts });
    expect(live({})).toBe(true);
    expect(live({ inMempool: false })).toBe(false);
    expect(live({ inMempool: false, confirmations: 1 })).toBe(true);
    for (const status of ['replaced', 'failed', 'quarantined'] as const) expect(live({ status })).toBe(false);
  });
});
