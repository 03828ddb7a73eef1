import { UnavailableError } from '../../error.ts';
import { decodeBolt11 } from '../bolt11.ts';
import { withinTime } from '../../within-time.ts';
import type { LndPayment } from '../lnd/answers.ts';
import { LndError } from '../lnd/failure.ts';
import type { LndPayer, PayRequest } from '../lnd/payer.ts';
import * as answers from './answers.ts';
import type { ClnPayment } from './answers.ts';
import { readClnChannels } from './node.ts';
import type { ClnRest } from './rest.ts';

/** How long the node looks for a route. */
const RETRY_SECONDS = 60;
/** The clocks of the node and of this service may differ by this much. */
const MARGIN_SECONDS = 120;

export interface ClnPayerOptions {
  rest: ClnRest;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

/** The calls of a Core Lightning node for paying, in LND's terms. */
export function createClnPayer({ rest, now = Date.now }: ClnPayerOptions): LndPayer {
  /** Hashes for which the node still looks for a route, and lists no payment yet. */
  const running = new Set<string>();

  /**
   * The node lists a payment as failed between two of its own attempts, too. Only after the time in
   * which it tries is that certain.
   */
  async function track(paymentHash: string, hasEnded = false): Promise<LndPayment | null> {
    const body = { payment_hash: paymentHash };
    const { pays } = await rest.call('listpays', body, answers.paymentList);
    if (pays.some((pay) => pay.payment_hash !== paymentHash))
      throw new UnavailableError('The node returned another payment than the one asked for');
    // A failed one says nothing about another one of the same request.
    const payment =
      pays.find(({ status }) => status === 'complete') ??
      pays.find(({ status }) => status === 'pending') ??
      pays.at(-1);
    if (payment === undefined) return running.has(paymentHash) ? begunOnly(paymentHash) : null;
    const isOver = hasEnded || now() / 1_000 > payment.created_at + RETRY_SECONDS + MARGIN_SECONDS;
    return translated(payment, isOver);
  }

  async function begin({ paymentRequest, amountMsat, feeLimitMsat }: PayRequest): Promise<void> {
    const body = {
      invstring: paymentRequest,
      ...(amountMsat !== null && { amount_msat: Number(amountMsat) }),
      maxfee: Number(feeLimitMsat),
      retry_for: RETRY_SECONDS,
    };
    // A held payment takes as long as its recipient wants, so the answer is not waited for.
    await rest.call('xpay', body, answers.paid, {
      waitMs: (RETRY_SECONDS + MARGIN_SECONDS) * 1_000,
    });
  }

  return {
    async pay(request, waitMs) {
      const { paymentHash } = decodeBolt11(request.paymentRequest);
      running.add(paymentHash);
      const ended = begin(request)
        .then(
          () => null,
          (error: unknown) => error,
        )
        .finally(() => running.delete(paymentHash));
      const error = await withinTime<unknown>(
        () => ended,
        waitMs,
        () => null,
      );
      const isRefused = error instanceof LndError;
      const state = await track(paymentHash, isRefused);
      if (state !== null) return state;
      if (error instanceof Error) throw error;
      throw new UnavailableError('The node does not show the state of the payment');
    },
    track: (paymentHash) => track(paymentHash),
    channels: () => readClnChannels(rest),
  };
}

/** A payment of which the node has no part yet. */
const begunOnly = (paymentHash: string): LndPayment => ({
  payment_hash: paymentHash,
  payment_preimage: '',
  value_msat: 0n,
  fee_msat: 0n,
  status: 'IN_FLIGHT',
  failure_reason: '',
  payment_index: 0,
});

const STATUS = { pending: 'IN_FLIGHT', complete: 'SUCCEEDED', failed: 'FAILED' } as const;

function translated(payment: ClnPayment, isOver: boolean): LndPayment {
  const { payment_hash, status, amount_msat, amount_sent_msat, preimage, created_index } = payment;
  const value = amount_msat ?? 0n;
  return {
    payment_hash,
    payment_preimage: preimage ?? '',
    value_msat: value,
    fee_msat:
      amount_sent_msat === undefined || amount_msat === undefined ? 0n : amount_sent_msat - value,
    status: status === 'failed' && !isOver ? 'IN_FLIGHT' : STATUS[status],
    failure_reason: '',
    payment_index: created_index ?? 0,
  };
}
