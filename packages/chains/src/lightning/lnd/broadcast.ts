import { z } from 'zod';
import type { BroadcastResult, EarlierBroadcast, LightningPlan } from '../../sender.ts';
import { decodeBolt11 } from '../bolt11.ts';
import type { LndPayment } from './answers.ts';
import { LndError } from './failure.ts';
import type { LndPayer, PaymentState } from './payer.ts';

/** How long a broadcast waits for the end of a payment, which usually takes a second. */
const WAIT_MS = 2_000;

/** The reason that every second payout of one request gets. */
export const ALREADY_PAID = 'This lightning request is already paid, or its payment is on its way';

export const lightningPlan = z.strictObject({
  family: z.literal('lightning'),
  paymentRequest: z.string().max(4_096),
  paymentHash: z.string().regex(/^[0-9a-f]{64}$/),
  amountMsat: z.string().regex(/^\d{1,20}$/),
  feeLimitMsat: z.string().regex(/^\d{1,20}$/),
});

export const readPlan = (raw: string): LightningPlan => lightningPlan.parse(JSON.parse(raw));

/**
 * Hands the request to the node. A payer pays a hash once, however often it is asked; only an
 * answer about this request is a refusal, everything else leaves the outcome open.
 */
export async function payPlan(
  payer: Pick<LndPayer, 'pay' | 'track'>,
  { paymentRequest, paymentHash, amountMsat, feeLimitMsat }: LightningPlan,
  { mayBeSent = false }: EarlierBroadcast = {},
): Promise<BroadcastResult> {
  try {
    const request = decodeBolt11(paymentRequest);
    const state = await payer.pay(
      {
        paymentRequest,
        amountMsat: request.amountMsat === null ? BigInt(amountMsat) : null,
        feeLimitMsat: BigInt(feeLimitMsat),
        mayBeBegun: mayBeSent,
      },
      WAIT_MS,
    );
    return resultOf(state);
  } catch (error) {
    if (!(error instanceof LndError)) return unknown(error);
    if (/already paid|in transition|already succeeded|in flight/i.test(error.message))
      return { result: 'failed', reason: ALREADY_PAID };
    return resultAfterError(payer, paymentHash, error);
  }
}

/**
 * The same, for a caller that may ask again at any time: the node is asked first for its payment of
 * this hash, so that a payment that ended, in whatever way, is never begun anew.
 */
export async function payPlanOnce(
  payer: Pick<LndPayer, 'pay' | 'track'>,
  plan: LightningPlan,
  earlier: EarlierBroadcast = {},
): Promise<BroadcastResult> {
  try {
    const known = await payer.track(plan.paymentHash);
    if (known !== null) return resultOf(known);
  } catch (error) {
    return unknown(error);
  }
  return payPlan(payer, plan, earlier);
}

/** Only a record of the node counts as accepted: it is stored, and never forgotten here. */
function resultOf(state: PaymentState): BroadcastResult {
  if (state.status === 'FAILED') return { result: 'failed', reason: failureOf(state) };
  return state.isSearchOnly === true ? { result: 'unknown', reason: SEARCHING } : { result: 'ok' };
}

const SEARCHING = 'The lightning node still looks for a route';

/** An error is certain only if the node has no payment of the request. */
async function resultAfterError(
  payer: Pick<LndPayer, 'track'>,
  paymentHash: string,
  { message }: LndError,
): Promise<BroadcastResult> {
  const reason = `The lightning node refuses the payment: ${message}`;
  try {
    const payment = await payer.track(paymentHash);
    return payment === null ? { result: 'failed', reason } : { result: 'unknown', reason };
  } catch (error) {
    return unknown(error);
  }
}

const unknown = (error: unknown): BroadcastResult => ({
  result: 'unknown',
  reason: error instanceof Error ? error.message : 'The node does not answer',
});

const FAILURES: Readonly<Record<string, string>> = {
  FAILURE_REASON_NO_ROUTE: 'No route to the recipient within the fee limit',
  FAILURE_REASON_TIMEOUT: 'No route to the recipient was found in time',
  FAILURE_REASON_INCORRECT_PAYMENT_DETAILS: 'The recipient refuses the payment',
  FAILURE_REASON_INSUFFICIENT_BALANCE: 'The channels of the lightning node can send too little',
  FAILURE_REASON_CANCELED: 'The payment was canceled on the node',
};

export const failureOf = ({ failure_reason }: Pick<LndPayment, 'failure_reason'>): string =>
  FAILURES[failure_reason] ?? 'The lightning node could not pay the request';
