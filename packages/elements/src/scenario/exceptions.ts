import { CONFIRMING, EXPIRED, PAID, PAY, SEEN } from './paying.ts';
import type { Scene } from './scene.ts';

const MORE = [{ percent: 130, status: 'confirmed', confirmations: 2 }];
const A_LITTLE_MORE = [{ percent: 101, status: 'confirmed', confirmations: 2 }];
const LATE = [{ percent: 100, as: 'late' as const }];

/** Payments that take another course. */
export const EXCEPTIONS = {
  expired: { about: 'The time to pay runs out', steps: [PAY, EXPIRED] },
  'expired-renew': {
    about: 'The time runs out, and the buyer asks for a new price',
    steps: [
      PAY,
      { ...EXPIRED, until: 'renew' },
      { ...PAY, at: 960 },
      { ...SEEN, at: 1000 },
      { ...PAID, at: 2200 },
    ],
  },
  late: {
    about: 'The money comes after the price ran out',
    steps: [PAY, EXPIRED, { stage: 'late', arrivals: LATE, at: 1500 }],
  },
  'late-accepted': {
    about: 'Late money is accepted at the price of its arrival',
    steps: [
      PAY,
      EXPIRED,
      { stage: 'late', arrivals: LATE, at: 1500 },
      {
        stage: 'paid',
        notes: ['late_accepted'],
        arrivals: [{ percent: 100, status: 'confirmed', confirmations: 2, as: 'late' }],
        at: 2800,
      },
    ],
  },
  refunded: {
    about: 'Late money goes back to the buyer',
    steps: [
      PAY,
      EXPIRED,
      { stage: 'late', arrivals: LATE, refund: 'waiting', at: 1500 },
      { stage: 'expired', arrivals: LATE, refund: 'requested', at: 4000 },
      { stage: 'expired', arrivals: LATE, refund: 'approved', at: 4300 },
      { stage: 'expired', arrivals: LATE, refund: 'paid', at: 4900 },
    ],
  },
  overpaid: {
    about: 'More than the amount arrives',
    steps: [
      PAY,
      { stage: 'seen', notes: ['overpaid'], arrivals: [{ percent: 130 }], refund: 'waiting' },
      { stage: 'paid', notes: ['overpaid'], arrivals: MORE, refund: 'waiting', at: 1230 },
    ],
  },
  'overpaid-little': {
    about: 'A little more arrives: less than its refund would cost',
    steps: [
      PAY,
      SEEN,
      { stage: 'paid', notes: ['overpaid', 'small_refund'], arrivals: A_LITTLE_MORE, at: 1230 },
    ],
  },
  held: {
    about: 'The shop looks at the payment first',
    steps: [PAY, SEEN, { stage: 'held', arrivals: [{ percent: 100, status: 'quarantined' }] }],
  },
  replaced: {
    about: 'The wallet replaces the payment by another one',
    steps: [
      PAY,
      SEEN,
      { stage: 'pay', notes: ['replaced'], arrivals: [{ percent: 100, status: 'replaced' }] },
    ],
  },
  dropped: {
    about: 'The network forgets the payment',
    steps: [
      PAY,
      SEEN,
      { stage: 'pay', notes: ['dropped'], arrivals: [{ percent: 100, status: 'dropped' }] },
    ],
  },
  failed: {
    about: 'The network refuses the payment',
    steps: [PAY, SEEN, { stage: 'failed', arrivals: [{ percent: 100, status: 'failed' }] }],
    kind: 'ETH',
  },
  'wrong-coin': {
    about: 'Another coin arrives at the address',
    steps: [
      PAY,
      {
        stage: 'pay',
        notes: ['wrong_coin'],
        arrivals: [{ percent: 100, confirmations: 1, as: 'wrong' }],
      },
    ],
    kind: 'ETH',
  },
  'paid-twice': {
    about: 'The order is paid once more',
    steps: [
      PAY,
      SEEN,
      PAID,
      {
        stage: 'paid',
        notes: ['overpaid', 'paid_twice'],
        arrivals: [...(PAID.arrivals ?? []), { percent: 100, confirmations: 1 }],
        at: 1300,
      },
    ],
  },
  reorganised: {
    about: 'The network takes a confirmation back for a while',
    steps: [
      PAY,
      CONFIRMING,
      PAID,
      { ...SEEN, notes: ['reversed'], at: 1300 },
      { ...PAID, at: 2500 },
    ],
  },
  reusable: {
    about: 'An address for any amount, as often as one likes',
    steps: [
      { stage: 'pay', notes: ['reusable'] },
      { stage: 'seen', notes: ['reusable'], arrivals: [{ percent: 100 }] },
      {
        stage: 'paid',
        notes: ['reusable'],
        arrivals: [{ percent: 100, status: 'confirmed', confirmations: 2 }],
      },
    ],
    reusable: true,
  },
  unknown: {
    about: 'A stage that only a newer server has',
    steps: [PAY, { stage: 'under_review', arrivals: [{ percent: 100 }] }],
  },
} satisfies Record<string, Scene>;
