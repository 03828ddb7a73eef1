import type {
  Checkout,
  CheckoutPayment,
  CheckoutReceived,
  CheckoutRefundable,
} from '@crypto-checkout/protocol/checkout';
import { checkout, lightning, received, xrp } from './fixture.ts';

/** One text for all members, or a different one for each. */
type Text = string | ((path: string) => string);

/**
 * A checkout with the same text and link in all members. Amounts begin with a digit, so that they
 * are drawn.
 */
export function filled(stage: string, text: Text, link: Text = 'https://shop.example/'): Checkout {
  return fill(whole(stage), '', text, link) as Checkout;
}

/** These members control the drawing. */
export const KEPT: readonly string[] = ['stage', 'server_time', 'expires_at'];
const LINKS = ['contact', 'logo', 'link', 'shop_url', 'success_url', 'onramp', 'explorer_url'];
const AMOUNTS = [
  'amount',
  'due',
  'paid',
  'remaining',
  'overpaid',
  'refunded',
  'late',
  'minimum_withdrawal',
  'rate',
  'value',
  'approx',
  'fee_usd',
];
/** Part of the page's address, which cannot contain lone surrogates. */
const OURS = ['id', 'invoice_id'];

function fill(value: unknown, path: string, text: Text, link: Text): unknown {
  if (Array.isArray(value)) {
    const all = value.map((one) => fill(one, `${path}[]`, text, link) as object | string);
    // Identifies the coin in a list.
    return path === 'coins'
      ? all.map((coin, at) =>
          Object.assign(coin, { kind: `${(coin as { kind: string }).kind}${at}` }),
        )
      : all;
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        fill(one, path ? `${path}.${name}` : name, text, link),
      ]),
    );
  const name = path.split('.').at(-1)!;
  if (typeof value !== 'string' || KEPT.includes(name)) return value;
  const say = (what: Text): string => (typeof what === 'string' ? what : what(path));
  if (LINKS.includes(name)) return say(link);
  if (OURS.includes(name)) return say(text).replace(/[\ud800-\udfff]/g, '\ufffd');
  return AMOUNTS.includes(name) ? `1${say(text)}` : say(text);
}

/** A checkout with all members; one payment counts, one is late, one is in another coin. */
function whole(stage: string): Checkout {
  const view = checkout(stage, { notes: ['a note'] });
  const own = view.payment ?? checkout('seen').payment!;
  const [counted] = received('seen', checkout('seen').payment) as [CheckoutReceived];
  const payment: CheckoutPayment = {
    ...own,
    tag: '12345',
    x_address: xrp().payment!.x_address,
    public_address: own.address,
    lightning: { ...lightning().payment!.lightning!, lnurl: 'LNURL1' },
    overpaid: '0.0001',
    late: '0.0001',
    quoted_at: own.expires_at ?? '',
    minimum_withdrawal: '1',
    proof: { kid: 'key', signature: 'signature' },
    lightning_proof: { kid: 'key', signature: 'signature' },
    signed_terms: {
      order_id: '1042',
      amount: '18.50',
      currency: 'USD',
      invoiced: '0.0001',
      expires_at: own.expires_at,
    },
    strings: { ...own.strings, tag: '12345' },
    transactions: own.transactions.length
      ? own.transactions
      : checkout('seen').payment!.transactions,
  };
  return {
    ...view,
    merchant: {
      ...view.merchant,
      contact: 'https://shop.example/help',
      logo: 'https://pay.example/merchant/logo-1.svg',
      legal: { name: 'Quay & Co. Ltd', address: '1 Quay', country: 'IE', asked: true },
    },
    coins: checkout('choose')
      .coins.slice(3, 6)
      .map((coin) => ({ ...coin, fee_usd: '1.4' })),
    payment: stage === 'choose' ? null : payment,
    received: [
      { ...counted, tag: '12345', overpaid: '0.0001', refunded: '0.0001' },
      { ...counted, late: true, rate: null, value: null },
      {
        ...counted,
        symbol: 'USDT',
        rate: null,
        value: null,
        asked: { symbol: 'BTC', network: 'Bitcoin' },
      },
    ],
    refunds: [
      {
        transaction: '5b8d',
        amount: '0.0001',
        received: '0.00009',
        kind: 'BTC',
        address: 'bc1qrefund',
        tag: '4711',
        status: 'requested',
        txid: 'ab',
        explorer_url: 'https://explorer.example/tx/ab',
      },
    ],
    refundable: [REFUNDABLE_XRP],
    replaceable: [REFUNDABLE_XRP],
    success_url: 'https://shop.example/thanks',
    onramp: 'https://ramp.example/buy',
  };
}

const REFUNDABLE_XRP: CheckoutRefundable = {
  transaction: '5b8d',
  cause: 'late',
  kind: 'XRP',
  name: 'XRP',
  network: 'XRP Ledger',
  symbol: 'XRP',
  amount: '12.5',
  fee: '0.0001',
  received: '12.4999',
  ready: true,
  tagged: true,
};

export interface Case {
  stage: string;
  show: 'coins' | 'receipt' | 'onramp' | null;
  /** Further members. */
  change?(view: Checkout): Checkout;
}

const ofPayment =
  (own: Partial<CheckoutPayment>) =>
  (view: Checkout): Checkout => ({ ...view, payment: view.payment && { ...view.payment, ...own } });
const noted =
  (...notes: string[]) =>
  (view: Checkout): Checkout => ({ ...view, notes: [...view.notes, ...notes] });
const OVER = { expires_at: '2026-11-21T11:59:00.000000+00:00', renewable: true };

/** Together these cases draw every part of a checkout. */
export const CASES: Readonly<Record<string, Case>> = {
  choose: { stage: 'choose', show: null },
  'pay, by a request': { stage: 'pay', show: null },
  'pay, by a reusable request': {
    stage: 'pay',
    show: null,
    change: (view) =>
      ofPayment({ lightning: { payment_request: null, lnurl: view.payment!.lightning!.lnurl } })(
        view,
      ),
  },
  'pay, to an address': {
    stage: 'pay',
    show: null,
    change: ofPayment({ lightning: null, extendable: true }),
  },
  'pay, from an exchange': {
    stage: 'pay',
    show: null,
    change: ofPayment({ lightning: null, from: 'exchange' }),
  },
  'pay, any amount': {
    stage: 'pay',
    show: null,
    change: noted('reusable', 'test_network', 'wrong_coin', 'dropped', 'replaced'),
  },
  'other coins': { stage: 'pay', show: 'coins' },
  'buying the coins': { stage: 'pay', show: 'onramp' },
  underpaid: { stage: 'underpaid', show: null },
  'underpaid, the time is over': { stage: 'underpaid', show: null, change: ofPayment(OVER) },
  seen: { stage: 'seen', show: null, change: noted('reversed') },
  paid: { stage: 'paid', show: null, change: noted('overpaid', 'late_accepted') },
  complete: { stage: 'complete', show: null, change: noted('paid_twice') },
  receipt: { stage: 'complete', show: 'receipt' },
  'receipt of one payment': {
    stage: 'paid',
    show: 'receipt',
    change: (view) => ({
      ...ofPayment({ lightning: null, overpaid: null })(view),
      received: view.received.slice(0, 1).map((one) => ({ ...one, refunded: undefined })),
    }),
  },
  'receipt of what no payment tells': {
    stage: 'paid',
    show: 'receipt',
    change: (view) => ({ ...noted('overpaid')(view), received: [] }),
  },
  expired: { stage: 'expired', show: null },
  late: { stage: 'late', show: null },
  held: { stage: 'held', show: null },
  failed: { stage: 'failed', show: null, change: ofPayment(OVER) },
  'something new': { stage: 'something new', show: null },
};

/** The view of a case with its texts. */
export function filledCase(
  { stage, change = (view) => view }: Case,
  text: Text,
  link?: Text,
): Checkout {
  return change(filled(stage, text, link));
}
