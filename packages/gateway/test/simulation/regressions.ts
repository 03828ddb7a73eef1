import type { Step } from './steps.ts';

/**
 * Step sequences that once broke an invariant. Every run plays them, whatever steps a seed
 * generates now.
 */
export const REGRESSIONS: readonly { title: string; seed: number; steps: readonly Step[] }[] = [
  {
    title: 'a confirmed payout fails after a reorganisation and releases its funds',
    seed: 207_780_737,
    steps: [
      {
        do: 'create payout',
        order: { kind: 'BTC', percent: 1, recipients: 1, number: 727_995_620, capped: false },
        skipWorker: true,
      },
      { do: 'change checks', risk: null, isZeroConfSafe: true },
      { do: 'mine', chain: 0, blocks: 2, skipWorker: true },
      {
        do: 'create payout',
        order: {
          kind: 'BTC',
          percent: 120,
          recipients: 2,
          number: 503_688_575,
          capped: false,
          recipientPays: true,
        },
      },
      { do: 'reorganise', chain: 0, depth: 2, drop: true },
      { do: 'fail', transaction: 6 },
    ],
  },
  {
    title: 'a complete payment that fails in a later block is not credited again',
    seed: 207_780_077,
    steps: [
      {
        do: 'create invoice',
        kind: 'BTC',
        amount: '1000',
        confirmations: 5,
        fee: '0.0001',
        expiration: 3_600,
      },
      { do: 'pay', invoice: 5, percent: null, outputs: 1 },
      { do: 'mine', chain: 0, blocks: 6 },
      { do: 'reorganise', chain: 0, depth: 6, drop: false },
      { do: 'mine', chain: 0, blocks: 2, skipWorker: true },
      { do: 'pay', invoice: 0, percent: 100, outputs: 1 },
      { do: 'fail', transaction: 0 },
    ],
  },
  {
    title: 'a complete payment in a new block is frozen until that block is final',
    seed: 5,
    steps: [
      { do: 'create invoice', kind: 'BTC', amount: '1000' },
      { do: 'pay', invoice: 5, percent: null, outputs: 1 },
      { do: 'mine', chain: 0, blocks: 6 },
      { do: 'reorganise', chain: 0, depth: 6, drop: false, skipWorker: true },
      { do: 'mine', chain: 0, blocks: 2 },
    ],
  },
  {
    title: 'a callback between two scans of one chain is compared with the state at its commit',
    seed: 207_780_156,
    steps: [
      { do: 'create invoice', kind: 'ETH', amount: '100', fee: '0.0001' },
      { do: 'change node', chain: 1, fault: 'down' },
      { do: 'reorganise', chain: 0, depth: 13, drop: false, skipWorker: true },
      { do: 'pay', invoice: 0, percent: 100, outputs: 2 },
      { do: 'mine', chain: 0, blocks: 12 },
      { do: 'pay late', invoice: 6, percent: 30 },
    ],
  },
  {
    title: 'the simulation waits for the last of three sequential automatic payouts on TON',
    seed: 300_000_614,
    steps: [
      {
        do: 'create automatic rule',
        type: 'payout',
        from: 'TON',
        to: 'TON',
        keep: '0.5',
        max: '10000',
        enable: true,
      },
      { do: 'advance clock', seconds: 3_700 },
      {
        do: 'create automatic rule',
        type: 'funding',
        from: 'XRP',
        to: 'TON',
        keep: '100',
        max: '50',
        enable: true,
      },
      { do: 'advance clock', seconds: 3_700 },
      { do: 'advance clock', seconds: 3_700, skipWorker: true },
      { do: 'change rates', percent: 90 },
    ],
  },
  {
    title: 'a queued payout on TON keeps its clearance when the address delay is raised',
    seed: 207_790_025,
    steps: [
      {
        do: 'create payout',
        order: {
          kind: 'TON',
          percent: 60,
          recipients: 1,
          number: 902_412_535,
          capped: false,
          recipientPays: true,
        },
        skipWorker: true,
      },
      {
        do: 'create payout',
        order: { kind: 'TON', percent: 30, recipients: 1, number: 673_971_838, capped: false },
      },
      { do: 'change settings', reserve: true, addressDelaySeconds: 3_600, skipWorker: true },
      { do: 'mine', chain: 0, blocks: 12, skipWorker: true },
      { do: 'create conversion', from: 'XRP', to: 'TON', percent: 100, approve: false },
    ],
  },
];
