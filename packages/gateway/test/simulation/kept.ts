import type { Step } from './steps.ts';

/** Steps that once broke a rule: they are played in every run, whatever steps a seed makes today. */
export const KEPT: readonly { because: string; seed: number; steps: readonly Step[] }[] = [
  {
    because: 'a payout that was confirmed left its block, and could never get into another: its money stayed held',
    seed: 207_780_737,
    steps: [
      { do: 'pay out', order: { kind: 'BTC', percent: 1, recipients: 1, number: 727_995_620, capped: false }, lazy: true },
      { do: 'outlook', risk: null, safe: true },
      { do: 'mine', chain: 0, blocks: 2, lazy: true },
      { do: 'pay out', order: { kind: 'BTC', percent: 120, recipients: 2, number: 503_688_575, capped: false, recipientPays: true } },
      { do: 'reorganise', chain: 0, depth: 2, drop: true },
      { do: 'fail', transaction: 6 },
    ],
  },
];
