import type { Scene, Step } from './scene.ts';

export const CHOOSE: Step = { stage: 'choose', at: 0, until: 'payment' };
export const PAY: Step = { stage: 'pay', at: 28, until: 5 };
export const SEEN: Step = { stage: 'seen', arrivals: [{ percent: 100 }] };
export const CONFIRMING: Step = {
  stage: 'seen',
  arrivals: [{ percent: 100, confirmations: 1 }],
  at: 640,
};
export const PAID: Step = {
  stage: 'paid',
  arrivals: [{ percent: 100, status: 'confirmed', confirmations: 2 }],
  at: 1230,
};
export const COMPLETE: Step = {
  stage: 'complete',
  arrivals: [{ percent: 100, status: 'complete', confirmations: 6 }],
  at: 3700,
};
/** The price holds for fifteen minutes from the choice of a coin. */
export const EXPIRED: Step = { stage: 'expired', at: 930 };

const HALF = [{ percent: 50, confirmations: 1 }];
const UNDERPAID: Step = { stage: 'underpaid', arrivals: HALF, until: 5 };

/** The ordinary course of a payment. */
export const PAYING = {
  buy: {
    about: 'All of it: choose a coin, then pay, seen, confirmed, paid, final',
    steps: [CHOOSE, PAY, SEEN, CONFIRMING, PAID, COMPLETE],
  },
  choose: { about: 'The coins to choose from', steps: [CHOOSE] },
  'one-coin': { about: 'The only coin is offered', steps: [CHOOSE], kinds: ['BTC'] },
  'no-coins': { about: 'No coin can be used', steps: [CHOOSE], kinds: [] },
  pay: { about: 'A payment is asked for', steps: [PAY] },
  ending: { about: 'The price soon runs out; more time can be had', steps: [{ ...PAY, at: 832 }] },
  underpaid: { about: 'Half of it arrives', steps: [PAY, UNDERPAID] },
  'underpaid-paid': {
    about: 'Half of it arrives, then the rest',
    steps: [
      PAY,
      UNDERPAID,
      { stage: 'seen', arrivals: [...HALF, { percent: 50 }] },
      {
        stage: 'paid',
        arrivals: [
          { percent: 50, status: 'confirmed', confirmations: 3 },
          { percent: 50, status: 'confirmed', confirmations: 2 },
        ],
        at: 1230,
      },
    ],
  },
  'underpaid-late': {
    about: 'Half of it arrives, the price runs out, and the rest comes late',
    steps: [
      PAY,
      UNDERPAID,
      { stage: 'underpaid', arrivals: HALF, at: 930, until: 5 },
      { stage: 'late', arrivals: [...HALF, { percent: 50, as: 'late' }], at: 1500 },
    ],
  },
  seen: { about: 'The payment is seen', steps: [PAY, SEEN] },
  confirming: { about: 'The payment has one confirmation of two', steps: [PAY, SEEN, CONFIRMING] },
  paid: { about: 'The order is paid', steps: [PAY, SEEN, CONFIRMING, PAID] },
  complete: {
    about: 'The order is paid, and nothing can change that',
    steps: [PAY, SEEN, CONFIRMING, PAID, COMPLETE],
  },
  return: {
    about: 'Paid, and the shop wants the buyer back',
    steps: [PAY, SEEN, PAID],
    view: { success_url: 'https://shop.example/thanks' },
  },
} satisfies Record<string, Scene>;
