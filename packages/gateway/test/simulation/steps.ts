import type { Trouble } from './arena.ts';
import { seeded, type Random } from './random.ts';

/**
 * One thing that happens. Numbers choose among what is there at that moment, so that a list of steps from which some were taken away
 * still means something. After a step the worker does what is due, unless it is `lazy`.
 */
export type Step = (
  | { do: 'create'; kind: string; amount: string | null; confirmations?: number; fee?: string; expiration?: number; zeroConf?: true }
  | { do: 'pay'; invoice: number; percent: number | null; outputs: number; other?: 'token' | 'tag' | 'no tag' }
  | { do: 'pay late'; invoice: number; percent: number }
  | { do: 'mine'; chain: number; blocks: number }
  | { do: 'reorganise'; chain: number; depth: number; drop: boolean }
  | { do: 'replace'; transaction: number; paysUs: boolean }
  | { do: 'drop'; transaction: number }
  | { do: 'fail'; transaction: number }
  | { do: 'renew'; invoice: number; extend: boolean }
  | { do: 'advance'; seconds: number }
  | { do: 'price'; percent: number | null }
  | { do: 'pay out'; order: PayoutOrder }
  | { do: 'pay out again'; payout: number; same: boolean }
  | { do: 'decide'; payout: number; approve: boolean }
  | { do: 'decide both'; payout: number }
  | { do: 'reject at work'; payout: number }
  | { do: 'house'; reserve: boolean; addressDelay: number }
  | { do: 'outlook'; risk: 'nothing' | 'high' | null; safe: boolean }
  | { do: 'quarantine'; transaction: number; release: boolean }
  | { do: 'convert'; from: Coin; to: Coin; percent: number; approve: boolean }
  | { do: 'decide conversion'; conversion: number; approve: boolean | null }
  | { do: 'automate'; what: 'payout' | 'conversion' | 'funding'; from: Coin; to: Coin; keep: string; max: string; enable: boolean }
  | { do: 'node'; chain: number; trouble: Trouble | null }
  | { do: 'die at work'; steps: number }
  | { do: 'die at a request'; steps: number; order: PayoutOrder }
  | { do: 'die creating'; steps: number }
  | { do: 'storm'; orders: PayoutOrder[] }
  | { do: 'nonsense'; what: number; invoice: number }
) & { lazy?: true };

export type Coin = 'BTC' | 'ETH' | 'ETH_USDT' | 'XRP' | 'TON';
const COINS: readonly Coin[] = ['BTC', 'ETH', 'ETH_USDT', 'XRP', 'TON'];
/** By the number of a chain in a step. */
const COIN_OF: readonly Coin[] = ['BTC', 'ETH', 'XRP', 'TON'];

export interface PayoutOrder {
  kind: Coin;
  /** Of what is available. */
  percent: number;
  recipients: 1 | 2;
  /** Makes recipients that nobody else has. */
  number: number;
  capped: boolean;
  scheduled?: number;
  recipientPays?: true;
}

const DEPTHS = [1, 1, 2, 6, 8, 13];
const BLOCKS = [1, 1, 1, 2, 6, 12];
const SECONDS = [1, 60, 300, 901, 901, 3_700, 90_000];

/** @param last the step before */
type Maker = (random: Random, last: Step | undefined) => Step;

type Makers = readonly (readonly [weight: number, make: Maker])[];

/** How often what happens, of the sum of all: bugs live where several things of one kind meet, so each seed has a theme. */
const THEMES: readonly Makers[] = [
  [
    [10, createStep],
    [22, payStep],
    [4, (r) => ({ do: 'pay late', invoice: r.below(10), percent: r.pick([30, 100, 100]) })],
    [20, (r) => ({ do: 'mine', chain: r.below(4), blocks: r.pick(BLOCKS) })],
    [9, (r) => ({ do: 'reorganise', chain: r.below(4), depth: r.pick(DEPTHS), drop: r.chance(30) })],
    [4, (r) => ({ do: 'replace', transaction: r.below(8), paysUs: r.chance(60) })],
    [2, (r) => ({ do: 'drop', transaction: r.below(8) })],
    [3, (r) => ({ do: 'fail', transaction: r.below(8) })],
    [5, (r) => ({ do: 'renew', invoice: r.below(10), extend: r.chance(40) })],
    [7, (r) => ({ do: 'advance', seconds: r.pick(SECONDS) })],
    [4, (r) => ({ do: 'outlook', risk: r.pick(['nothing', 'nothing', 'high', null]), safe: r.chance(50) })],
    [5, (r) => ({ do: 'quarantine', transaction: r.below(6), release: r.chance(45) })],
    [2, (r) => ({ do: 'die creating', steps: r.below(12) })],
    [6, (r) => ({ do: 'nonsense', what: r.below(100), invoice: r.below(10) })],
  ],
  [
    [16, (r) => ({ do: 'pay out', order: orderOf(r) })],
    [4, (r) => ({ do: 'pay out again', payout: r.below(6), same: r.chance(60) })],
    [6, (r) => ({ do: 'decide', payout: r.below(6), approve: r.chance(70) })],
    [2, (r) => ({ do: 'decide both', payout: r.below(6) })],
    [5, (r) => ({ do: 'reject at work', payout: r.below(3) })],
    [6, (r) => ({ do: 'house', reserve: r.chance(60), addressDelay: r.pick([0, 0, 3_600]) })],
    [5, (r) => ({ do: 'node', chain: r.below(4), trouble: r.pick(['away', 'deaf', 'mute', 'mute', null]) })],
    [8, (r) => ({ do: 'die at work', steps: r.below(60) })],
    [3, (r) => ({ do: 'die at a request', steps: r.below(30), order: orderOf(r) })],
    [2, (r) => ({ do: 'storm', orders: Array.from({ length: 4 }, () => orderOf(r)) })],
  ],
  [
    [6, (r) => ({ do: 'convert', from: r.pick(COINS), to: r.pick(COINS), percent: r.pick([1, 30, 100, 120]), approve: r.chance(60) })],
    [3, (r) => ({ do: 'decide conversion', conversion: r.below(4), approve: r.pick([true, true, false, null]) })],
    [6, automateStep],
    [2, (r) => ({ do: 'price', percent: r.pick([null, 90, 97, 100, 103, 150]) })],
  ],
];
const MAKERS: Makers = THEMES.flat();
/** So many of a seed's steps are of its theme; those of every fourth seed are of none. */
const OF_THE_THEME = 55;

/** What often comes next, in percent: bugs live where one thing meets another. Every second number stands for the chain that was paid on last. */
const FOLLOW_UPS: Readonly<Partial<Record<Step['do'], Makers>>> = {
  pay: [
    [45, (r) => ({ do: 'mine', chain: 0, blocks: r.pick(BLOCKS) })],
    [6, (r) => ({ do: 'replace', transaction: r.below(3), paysUs: r.chance(60) })],
    [5, () => ({ do: 'quarantine', transaction: 0, release: false })],
    [4, (r) => ({ do: 'fail', transaction: r.below(3) })],
    [8, (r) => ({ do: 'advance', seconds: r.pick([901, 3_700, 90_000]) })],
  ],
  mine: [
    [18, (r) => ({ do: 'reorganise', chain: 0, depth: r.pick(DEPTHS), drop: r.chance(30) })],
    [6, (r) => ({ do: 'quarantine', transaction: 0, release: r.chance(30) })],
    [6, () => ({ do: 'mine', chain: 0, blocks: 12 })],
  ],
  reorganise: [[40, (r) => ({ do: 'mine', chain: 0, blocks: r.pick(BLOCKS) })]],
  'pay out': [
    [25, (r) => ({ do: 'mine', chain: 0, blocks: r.pick(BLOCKS) })],
    [15, (r) => ({ do: 'decide', payout: r.below(6), approve: r.chance(60) })],
    [6, (r) => ({ do: 'fail', transaction: r.below(3) })],
    [6, (r) => ({ do: 'drop', transaction: r.below(3) })],
    [8, (r) => ({ do: 'reject at work', payout: r.below(3) })],
  ],
  node: [
    [60, (r, last) => ({ do: 'pay out', order: { ...orderOf(r), capped: false, kind: COIN_OF[last?.do === 'node' ? last.chain : 0]! } })],
  ],
  house: [[50, (r) => ({ do: 'pay out', order: orderOf(r) })]],
  convert: [[25, (r) => ({ do: 'decide conversion', conversion: 0, approve: r.pick([true, true, false, null]) })]],
  automate: [[70, () => ({ do: 'advance', seconds: 3_700 })]],
  advance: [[15, (r) => ({ do: 'renew', invoice: r.below(10), extend: r.chance(40) })]],
};

/** The steps of a seed: two invoices to begin with, then whatever comes. */
export function stepsOf(seed: number, length: number): Step[] {
  const random = seeded(seed);
  const theme = THEMES[seed % 4];
  const steps = [createStep(random), createStep(random)];
  while (steps.length < length) {
    const step = followUp(steps.at(-1)!, random) ?? anyOf(theme && random.chance(OF_THE_THEME) ? theme : MAKERS, random);
    steps.push(random.chance(20) ? { ...step, lazy: true } : step);
  }
  return steps;
}

const followUp = (last: Step, random: Random): Step | undefined => makerAt(random.below(100), FOLLOW_UPS[last.do] ?? [])?.(random, last);

function anyOf(makers: Makers, random: Random): Step {
  const total = makers.reduce((sum, [weight]) => sum + weight, 0);
  return makerAt(random.below(total), makers)!(random, undefined);
}

/** The one whose part of the whole it is; none beyond the last. */
function makerAt(place: number, makers: Makers): Maker | undefined {
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
    do: 'create',
    kind,
    amount,
    ...(random.chance(30) ? { confirmations: 1 + random.below(5) } : {}),
    ...(random.chance(25) ? { fee: '0.0001' } : {}),
    ...(kind === 'BTC' && random.chance(60) ? { zeroConf: true } : {}),
    ...(random.chance(30) ? { expiration: random.pick([60, 3_600, 86_400]) } : {}),
  };
}

function automateStep(random: Random): Step {
  const what = random.pick(['payout', 'conversion', 'funding'] as const);
  const keep = random.pick(['0.5', '10', '100']);
  return {
    do: 'automate',
    what,
    from: random.pick(COINS),
    to: random.pick(COINS),
    keep,
    max: random.pick(['50', '10000']),
    enable: random.chance(80),
  };
}

function payStep(random: Random): Step {
  const percent = random.pick([null, null, null, 100, 99, 50, 30, 150]);
  const step: Step = { do: 'pay', invoice: random.below(10), percent, outputs: random.pick([1, 1, 1, 2, 3]) };
  return random.chance(10) ? { ...step, other: random.pick(['token', 'tag', 'no tag']) } : step;
}

function orderOf(random: Random): PayoutOrder {
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
