import {
  type Amount,
  divide,
  formatAmount,
  multiply,
  parseAmount,
  roundUp,
} from '@crypto-checkout/protocol/amount';
import type { CheckoutPayment, CheckoutTransaction } from '@crypto-checkout/protocol/checkout';
import { type Kind, invoiceDecimals, kindOf } from '@crypto-checkout/protocol/kind';
import { paymentStrings } from '@crypto-checkout/protocol/payment-string';
import { inCoin, confirmationsNeeded, rateOf, usualSeconds } from './price.ts';
import type { Arrival, Scene, Step } from './scene.ts';
import { LNURL, TARGETS, type Target } from './target.ts';

/** Facts of a payment besides the scene. */
export interface PaymentFacts {
  scene: Scene;
  step: Step;
  kind: string;
  from: 'wallet' | 'exchange';
  /** Bitcoin's code also holds a lightning request. */
  withLightning: boolean;
  /** The order's amount; null for a reusable address. */
  price: { amount: string } | null;
  /** Current time and end of the price, in milliseconds since the epoch. */
  now: number;
  endsAt: number;
  /** Start of the current price. */
  quotedAt: number;
  /** More time was granted. */
  extended: boolean;
  /**
   * When each arrival of the step was first seen, in milliseconds since the epoch. Later steps keep
   * that time.
   */
  receivedAt: readonly number[];
}

export const UNCOUNTED = ['replaced', 'dropped', 'failed', 'quarantined'];
const counts = ({ status = '', as }: Arrival): boolean => !as && !UNCOUNTED.includes(status);

/** The payment as the server would return it in a step, without its QR code. */
export function paymentOf(facts: PaymentFacts): Omit<CheckoutPayment, 'qr'> {
  const { scene, step, from, price, now, endsAt, receivedAt } = facts;
  const kind = kindOf(facts.kind) ?? kindOf('BTC')!;
  const { arrivals = [], notes = [], stage } = step;
  const due = price && inCoin(kind, price.amount, scene.perDollar);
  const share = (some: readonly Arrival[]): Amount =>
    some.reduce((sum, { percent }) => sum + part(kind, due, percent), 0n);
  const paid = share(arrivals.filter(counts));
  const late = share(arrivals.filter(({ as }) => as === 'late'));
  const accepted = notes.includes('late_accepted') ? late : 0n;
  const remaining =
    due === null ? null : formatAmount(due > paid + accepted ? due - paid - accepted : 0n);
  const over = due !== null && notes.includes('overpaid') ? paid - due : 0n;
  // An LNURL issues a new request to each payer and does not expire itself.
  const ends = due !== null && kind.kind !== 'BTC_LIGHTNING_LNURL';
  const ended = ends && endsAt <= now;
  const target = kind.kind === 'BTC_LIGHTNING_LNURL' ? LNURL : targetOf(kind, facts);
  const { qrFull, ...strings } = stringsOf(kind, target, facts, remaining);
  return {
    invoice_id: '3f6f1a52-3a3d-4f0e-9d54-0a2f6d0c9b11',
    kind: kind.kind,
    name: kind.name,
    network: kind.network,
    symbol: kind.symbol,
    from,
    address: target.address,
    tag: target.tag ?? null,
    x_address: target.xAddress ?? null,
    public_address: target.publicAddress ?? null,
    lightning: target.lightning ?? null,
    due: due === null ? null : formatAmount(due),
    paid: formatAmount(paid + accepted),
    remaining,
    overpaid: over > 0n ? formatAmount(over) : null,
    late: late > 0n ? formatAmount(late) : null,
    minimum_withdrawal: from === 'exchange' ? (scene.minimumWithdrawal ?? null) : null,
    rate: due === null ? null : formatAmount(rateOf(kind, scene.perDollar)),
    strings: {
      qr: from === 'exchange' ? (target.xAddress ?? strings.address) : qrFull,
      ...strings,
    },
    confirmations: {
      have: haveOf(arrivals),
      need: confirmationsNeeded(kind),
      final: kind.finalConfirmations,
    },
    usual_seconds: usualSeconds(kind),
    transactions: arrivals.map((arrival, at) =>
      transactionOf(arrival, { kind, due, at, receivedAt: receivedAt[at] ?? now }),
    ),
    ...(arrivals.length > 0 && due !== null && { quoted_at: timestamp(facts.quotedAt) }),
    expires_at: ends ? timestamp(endsAt) : null,
    renewable: ended && ['expired', 'underpaid'].includes(stage),
    extendable:
      !ended && !facts.extended && ends && stage === 'pay' && !arrivals.length && from === 'wallet',
    proof: null,
    lightning_proof: null,
    signed_terms: null,
  };
}

/** The address; with a request beside it until a payment is seen. */
function targetOf({ chain }: Kind, { withLightning, from, step }: PaymentFacts): Target {
  const isWhole = withLightning && from === 'wallet' && !step.arrivals?.length;
  const { lightning } = TARGETS.lightning;
  return chain === 'bitcoin' && isWhole && lightning
    ? { ...TARGETS[chain], lightning }
    : TARGETS[chain];
}

/** The timestamp as the server formats it. */
export const timestamp = (at: number): string =>
  new Date(at).toISOString().replace('Z', '000+00:00');

const haveOf = (arrivals: readonly Arrival[]): number => {
  const counted = arrivals.filter(
    ({ status = '', as }) => as !== 'wrong' && !UNCOUNTED.includes(status),
  );
  return counted.length ? Math.min(...counted.map(({ confirmations = 0 }) => confirmations)) : 0;
};

function stringsOf(
  kind: Kind,
  target: Target,
  { endsAt, scene }: PaymentFacts,
  amount: string | null,
) {
  const all = paymentStrings({
    kind: kind.kind,
    address: target.address,
    tag: target.tag ?? null,
    xAddress: target.xAddress ?? null,
    publicAddress: target.publicAddress ?? null,
    lightning: target.lightning ?? null,
    amount,
    network: 'testnet',
    expiresAt: scene.reusable ? null : timestamp(endsAt),
  });
  return {
    qrFull: all.qrFull,
    link: all.link,
    address: all.address,
    amount: all.amount,
    tag: all.tag,
  };
}

/** A share of the amount due; for a reusable address, of one coin. */
const part = (kind: Kind, due: Amount | null, percent: number): Amount =>
  roundUp(
    divide(
      multiply(due ?? parseAmount('0.05'), parseAmount(String(percent)), 'up'),
      parseAmount('100'),
      'up',
    ),
    invoiceDecimals(kind),
  );

interface Place {
  kind: Kind;
  due: Amount | null;
  receivedAt: number;
  /** Index of the transaction, from 0. */
  at: number;
}

function transactionOf(
  { percent, status = 'pending', confirmations = 0 }: Arrival,
  { kind, due, receivedAt, at }: Place,
): CheckoutTransaction {
  const txid = txidOf(kind, at);
  return {
    txid,
    status,
    amount: formatAmount(part(kind, due, percent)),
    confirmations,
    created_at: timestamp(receivedAt),
    explorer_url: kind.chain === 'lightning' ? null : `https://explorer.example/tx/${txid}`,
  };
}

const TXID = '387a2e9e74f6b160f8f01cf0a04a208cc0867060f1f813c0f3126f4af2f5953';
const SIGNATURE =
  '5wHu1qwD7q4J2cTqvDh1qTZ9yFkdm9UZ7mYyE1sYpLkTgCjvVQ8f7Xq1QbZCq3mJ5pKfRrUuR9zvY6s4aWcXtN2';

/** A transaction id in the format of the chain. */
function txidOf({ chain, paymentString }: Kind, at: number): string {
  if (chain === 'solana') return `${SIGNATURE}${at + 1}`;
  const txid = `${TXID}${at.toString(16)}`;
  if (chain === 'xrp') return txid.toUpperCase();
  return paymentString.startsWith('evm') ? `0x${txid}` : txid;
}
