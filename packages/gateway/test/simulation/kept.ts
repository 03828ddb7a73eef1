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
  {
    because: 'a complete payment that left its block and failed in the next one was money again as soon as that block was deep enough',
    seed: 207_780_077,
    steps: [
      { do: 'create', kind: 'BTC', amount: '1000', confirmations: 5, fee: '0.0001', expiration: 3_600 },
      { do: 'pay', invoice: 5, percent: null, outputs: 1 },
      { do: 'mine', chain: 0, blocks: 6 },
      { do: 'reorganise', chain: 0, depth: 6, drop: false },
      { do: 'mine', chain: 0, blocks: 2, lazy: true },
      { do: 'pay', invoice: 0, percent: 100, outputs: 1 },
      { do: 'fail', transaction: 0 },
    ],
  },
  {
    because: 'a complete payment was in another block before anybody looked, and stayed money that it was not deep enough for',
    seed: 5,
    steps: [
      { do: 'create', kind: 'BTC', amount: '1000' },
      { do: 'pay', invoice: 5, percent: null, outputs: 1 },
      { do: 'mine', chain: 0, blocks: 6 },
      { do: 'reorganise', chain: 0, depth: 6, drop: false, lazy: true },
      { do: 'mine', chain: 0, blocks: 2 },
    ],
  },
  {
    because:
      'a payment came between two looks at one chain: what was told after the first was compared with what is shown after the second',
    seed: 207_780_156,
    steps: [
      { do: 'create', kind: 'ETH', amount: '100', fee: '0.0001' },
      { do: 'node', chain: 1, trouble: 'away' },
      { do: 'reorganise', chain: 0, depth: 13, drop: false, lazy: true },
      { do: 'pay', invoice: 0, percent: 100, outputs: 2 },
      { do: 'mine', chain: 0, blocks: 12 },
      { do: 'pay late', invoice: 6, percent: 30 },
    ],
  },
  {
    because: 'three automatic payouts on TON waited for one another, and the end was called before the last had its turn',
    seed: 300_000_614,
    steps: [
      { do: 'automate', what: 'payout', from: 'TON', to: 'TON', keep: '0.5', max: '10000', enable: true },
      { do: 'advance', seconds: 3_700 },
      { do: 'automate', what: 'funding', from: 'XRP', to: 'TON', keep: '100', max: '50', enable: true },
      { do: 'advance', seconds: 3_700 },
      { do: 'advance', seconds: 3_700, lazy: true },
      { do: 'price', percent: 90 },
    ],
  },
  {
    because: 'a payout on TON waited for its turn when new addresses began to wait: it had been let through before',
    seed: 207_790_025,
    steps: [
      {
        do: 'pay out',
        order: { kind: 'TON', percent: 60, recipients: 1, number: 902_412_535, capped: false, recipientPays: true },
        lazy: true,
      },
      { do: 'pay out', order: { kind: 'TON', percent: 30, recipients: 1, number: 673_971_838, capped: false } },
      { do: 'house', reserve: true, addressDelay: 3_600, lazy: true },
      { do: 'mine', chain: 0, blocks: 12, lazy: true },
      { do: 'convert', from: 'XRP', to: 'TON', percent: 100, approve: false },
    ],
  },
];
