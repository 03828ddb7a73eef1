import type { NodeFault } from './simulated-gateway.ts';
import { seeded, type Random } from './random.ts';

/**
 * One event of the simulation. Numbers select among the resources that exist at that moment, so a
 * sequence stays valid when steps are removed. After a step the worker runs, unless the step sets
 * `skipWorker`.
 */
export type Step = (
  | {
      do: 'create invoice';
      kind: string;
      amount: string | null;
      confirmations?: number;
      fee?: string;
      expiration?: number;
      zeroConf?: true;
    }
  | {
      do: 'pay';
      invoice: number;
      percent: number | null;
      outputs: number;
      other?: 'token' | 'tag' | 'no tag';
    }
  | { do: 'pay late'; invoice: number; percent: number }
  | { do: 'mine'; chain: number; blocks: number }
  | { do: 'reorganise'; chain: number; depth: number; drop: boolean }
  | { do: 'replace'; transaction: number; paysUs: boolean }
  | { do: 'drop'; transaction: number }
  | { do: 'fail'; transaction: number }
  | { do: 'renew invoice'; invoice: number; extend: boolean }
  | { do: 'advance clock'; seconds: number }
  | { do: 'change rates'; percent: number | null }
  | { do: 'change fees'; times: number }
  | { do: 'create payout'; order: PayoutOrder }
  | { do: 'repeat payout'; payout: number; isIdentical: boolean }
  | { do: 'approve or reject'; payout: number; approve: boolean }
  | { do: 'approve and reject'; payout: number }
  | { do: 'reject while processing'; payout: number }
  | { do: 'change settings'; reserve: boolean; addressDelaySeconds: number }
  | { do: 'change checks'; risk: 'nothing' | 'high' | null; isZeroConfSafe: boolean }
  | { do: 'quarantine'; transaction: number; release: boolean }
  | { do: 'create conversion'; from: Coin; to: Coin; percent: number; approve: boolean }
  | { do: 'approve conversion'; conversion: number; approve: boolean | null }
  | {
      do: 'create automatic rule';
      type: 'payout' | 'conversion' | 'funding';
      from: Coin;
      to: Coin;
      keep: string;
      max: string;
      enable: boolean;
    }
  | { do: 'change node'; chain: number; fault: NodeFault | null }
  | { do: 'crash worker'; steps: number }
  | { do: 'crash during payout request'; steps: number; order: PayoutOrder }
  | { do: 'crash during invoice request'; steps: number }
  | { do: 'request refund'; transaction: number; isProven: boolean; crashAfter?: number }
  | { do: 'decide refund'; refund: number; decision: 'approve' | 'reject' | 'both' }
  | { do: 'concurrent requests'; orders: PayoutOrder[] }
  | { do: 'invalid request'; variant: number; invoice: number }
) & { skipWorker?: true };

export type Coin = 'BTC' | 'ETH' | 'ETH_USDT' | 'XRP' | 'TON';
const COINS: readonly Coin[] = ['BTC', 'ETH', 'ETH_USDT', 'XRP', 'TON'];
/** Coins by the chain number of a step. */
const COIN_BY_CHAIN: readonly Coin[] = ['BTC', 'ETH', 'XRP', 'TON'];

export interface PayoutOrder {
  kind: Coin;
  /** Percentage of the available balance. */
  percent: number;
  recipients: 1 | 2;
  /** Derives unique recipients. */
  number: number;
  capped: boolean;
  scheduled?: number;
  recipientPays?: true;
}

const DEPTHS = [1, 1, 2, 6, 8, 13];
const BLOCKS = [1, 1, 1, 2, 6, 12];
const SECONDS = [1, 60, 300, 901, 901, 3_700, 90_000];

/** @param last the previous step */
type StepFactory = (random: Random, last: Step | undefined) => Step;

type Makers = readonly (readonly [weight: number, make: StepFactory])[];

/** Weights of the steps. Bugs are more likely when related steps meet, so each seed has a theme. */
const THEMES: readonly Makers[] = [
  [
    [10, createStep],
    [22, payStep],
    [8, (r) => ({ do: 'pay late', invoice: r.below(10), percent: r.pick([30, 100, 100]) })],
    [8, refundStep],
    [6, decideStep],
    [20, (r) => ({ do: 'mine', chain: r.below(4), blocks: r.pick(BLOCKS) })],
    [
      9,
      (r) => ({ do: 'reorganise', chain: r.below(4), depth: r.pick(DEPTHS), drop: r.chance(30) }),
    ],
    [4, (r) => ({ do: 'replace', transaction: r.below(8), paysUs: r.chance(60) })],
    [2, (r) => ({ do: 'drop', transaction: r.below(8) })],
    [3, (r) => ({ do: 'fail', transaction: r.below(8) })],
    [5, (r) => ({ do: 'renew invoice', invoice: r.below(10), extend: r.chance(40) })],
    [7, (r) => ({ do: 'advance clock', seconds: r.pick(SECONDS) })],
    [
      4,
      (r) => ({
        do: 'change checks',
        risk: r.pick(['nothing', 'nothing', 'high', null]),
        isZeroConfSafe: r.chance(50),
      }),
    ],
    [5, (r) => ({ do: 'quarantine', transaction: r.below(6), release: r.chance(45) })],
    [2, (r) => ({ do: 'crash during invoice request', steps: r.below(12) })],
    [6, (r) => ({ do: 'invalid request', variant: r.below(100), invoice: r.below(10) })],
  ],
  [
    [16, (r) => ({ do: 'create payout', order: randomPayout(r) })],
    [4, (r) => ({ do: 'repeat payout', payout: r.below(6), isIdentical: r.chance(60) })],
    [6, (r) => ({ do: 'approve or reject', payout: r.below(6), approve: r.chance(70) })],
    [2, (r) => ({ do: 'approve and reject', payout: r.below(6) })],
    [5, (r) => ({ do: 'reject while processing', payout: r.below(3) })],
    [
      6,
      (r) => ({
        do: 'change settings',
        reserve: r.chance(60),
        addressDelaySeconds: r.pick([0, 0, 3_600]),
      }),
    ],
    [
      5,
      (r) => ({
        do: 'change node',
        chain: r.below(4),
        fault: r.pick(['down', 'lost_request', 'lost_response', 'lost_response', null]),
      }),
    ],
    [8, (r) => ({ do: 'crash worker', steps: r.below(60) })],
    [3, (r) => ({ do: 'crash during payout request', steps: r.below(30), order: randomPayout(r) })],
    [
      2,
      (r) => ({
        do: 'concurrent requests',
        orders: Array.from({ length: 4 }, () => randomPayout(r)),
      }),
    ],
  ],
  [
    [
      6,
      (r) => ({
        do: 'create conversion',
        from: r.pick(COINS),
        to: r.pick(COINS),
        percent: r.pick([1, 30, 100, 120]),
        approve: r.chance(60),
      }),
    ],
    [
      3,
      (r) => ({
        do: 'approve conversion',
        conversion: r.below(4),
        approve: r.pick([true, true, false, null]),
      }),
    ],
    [6, automateStep],
    [5, refundStep],
    [4, decideStep],
    [2, (r) => ({ do: 'change rates', percent: r.pick([null, 90, 97, 100, 103, 150]) })],
    [2, changeFees],
  ],
];
const MAKERS: Makers = THEMES.flat();
/** Percentage of steps from the seed's theme. Every fourth seed has no theme. */
const THEME_PERCENT = 55;

/** Likely follow-ups of a step in percent. Even chain numbers select the latest paid chain. */
const FOLLOW_UPS: Readonly<Partial<Record<Step['do'], Makers>>> = {
  pay: [
    [45, (r) => ({ do: 'mine', chain: 0, blocks: r.pick(BLOCKS) })],
    [6, (r) => ({ do: 'replace', transaction: r.below(3), paysUs: r.chance(60) })],
    [5, () => ({ do: 'quarantine', transaction: 0, release: false })],
    [4, (r) => ({ do: 'fail', transaction: r.below(3) })],
    [8, (r) => ({ do: 'advance clock', seconds: r.pick([901, 3_700, 90_000]) })],
  ],
  mine: [
    [18, (r) => ({ do: 'reorganise', chain: 0, depth: r.pick(DEPTHS), drop: r.chance(30) })],
    [6, (r) => ({ do: 'quarantine', transaction: 0, release: r.chance(30) })],
    [6, () => ({ do: 'mine', chain: 0, blocks: 12 })],
    [8, refundStep],
  ],
  'pay late': [[70, () => ({ do: 'mine', chain: 0, blocks: 12 })]],
  'request refund': [
    [50, decideStep],
    [8, (r) => ({ do: 'reorganise', chain: 0, depth: r.pick(DEPTHS), drop: r.chance(30) })],
    [5, () => ({ do: 'quarantine', transaction: 0, release: false })],
  ],
  'decide refund': [
    [45, () => ({ do: 'mine', chain: 0, blocks: 12 })],
    [10, (r) => ({ do: 'crash worker', steps: r.below(60) })],
  ],
  reorganise: [[40, (r) => ({ do: 'mine', chain: 0, blocks: r.pick(BLOCKS) })]],
  'create payout': [
    [6, changeFees],
    [25, (r) => ({ do: 'mine', chain: 0, blocks: r.pick(BLOCKS) })],
    [15, (r) => ({ do: 'approve or reject', payout: r.below(6), approve: r.chance(60) })],
    [6, (r) => ({ do: 'fail', transaction: r.below(3) })],
    [6, (r) => ({ do: 'drop', transaction: r.below(3) })],
    [8, (r) => ({ do: 'reject while processing', payout: r.below(3) })],
  ],
  'change node': [
    [
      60,
      (r, last) => ({
        do: 'create payout',
        order: {
          ...randomPayout(r),
          capped: false,
          kind: COIN_BY_CHAIN[last?.do === 'change node' ? last.chain : 0]!,
        },
      }),
    ],
  ],
  'change settings': [[50, (r) => ({ do: 'create payout', order: randomPayout(r) })]],
  'create conversion': [
    [
      25,
      (r) => ({
        do: 'approve conversion',
        conversion: 0,
        approve: r.pick([true, true, false, null]),
      }),
    ],
  ],
  'create automatic rule': [[70, () => ({ do: 'advance clock', seconds: 3_700 })]],
  'advance clock': [
    [15, (r) => ({ do: 'renew invoice', invoice: r.below(10), extend: r.chance(40) })],
  ],
};

/** Generates the steps of a seed: two invoices first, then random steps. */
export function generateSteps(seed: number, length: number): Step[] {
  const random = seeded(seed);
  const theme = THEMES[seed % 4];
  const steps = [createStep(random), createStep(random)];
  while (steps.length < length) {
    const step =
      followUp(steps.at(-1)!, random) ??
      randomStep(theme && random.chance(THEME_PERCENT) ? theme : MAKERS, random);
    steps.push(random.chance(20) ? { ...step, skipWorker: true } : step);
  }
  return steps;
}

const followUp = (last: Step, random: Random): Step | undefined =>
  makerAt(random.below(100), FOLLOW_UPS[last.do] ?? [])?.(random, last);

function randomStep(makers: Makers, random: Random): Step {
  const total = makers.reduce((sum, [weight]) => sum + weight, 0);
  return makerAt(random.below(total), makers)!(random, undefined);
}

/** The maker at this position of the weights; undefined beyond their sum. */
function makerAt(place: number, makers: Makers): StepFactory | undefined {
  let left = place;
  for (const [weight, make] of makers) {
    if (left < weight) return make;
    left -= weight;
  }
  return undefined;
}

function createStep(random: Random): Step {
  const kind = random.pick(['BTC', 'BTC', 'ETH', 'ETH', 'XRP', 'BTC_LIGHTNING', 'ETH_USDT']);
  const amount = random.chance(80) ? random.pick(['100', '18.50', '1000', '0.37']) : null;
  return {
    do: 'create invoice',
    kind,
    amount,
    ...(random.chance(30) ? { confirmations: 1 + random.below(5) } : {}),
    ...(random.chance(25) ? { fee: '0.0001' } : {}),
    ...(kind === 'BTC' && random.chance(60) ? { zeroConf: true } : {}),
    ...(random.chance(30) ? { expiration: random.pick([60, 3_600, 86_400]) } : {}),
  };
}

function refundStep(random: Random): Step {
  return {
    do: 'request refund',
    transaction: random.below(4),
    isProven: random.chance(50),
    ...(random.chance(30) ? { crashAfter: random.below(30) } : {}),
  };
}

/** A payout waits beyond ten times the fee of its estimate. */
function changeFees(random: Random): Step {
  return { do: 'change fees', times: random.pick([1, 2, 5, 12]) };
}

function decideStep(random: Random): Step {
  return {
    do: 'decide refund',
    refund: random.below(3),
    decision: random.pick(['approve', 'approve', 'approve', 'reject', 'both']),
  };
}

function automateStep(random: Random): Step {
  const type = random.pick(['payout', 'conversion', 'funding'] as const);
  const keep = random.pick(['0.5', '10', '100']);
  return {
    do: 'create automatic rule',
    type,
    from: random.pick(COINS),
    to: random.pick(COINS),
    keep,
    max: random.pick(['50', '10000']),
    enable: random.chance(80),
  };
}

function payStep(random: Random): Step {
  const percent = random.pick([null, null, null, 100, 99, 50, 30, 150]);
  const step: Step = {
    do: 'pay',
    invoice: random.below(10),
    percent,
    outputs: random.pick([1, 1, 1, 2, 3]),
  };
  return random.chance(10) ? { ...step, other: random.pick(['token', 'tag', 'no tag']) } : step;
}

function randomPayout(random: Random): PayoutOrder {
  return {
    kind: random.pick(['BTC', 'BTC', 'ETH', 'ETH_USDT', 'XRP', 'TON', 'TON']),
    percent: random.pick([1, 10, 30, 30, 60, 99, 120]),
    recipients: random.pick([1, 1, 2]),
    number: random.below(1_000_000_000),
    capped: random.chance(30),
    ...(random.chance(15) ? { scheduled: random.pick([60, 3_600]) } : {}),
    ...(random.chance(20) ? { recipientPays: true } : {}),
  };
}
