import { UnavailableError } from '../../error.ts';
import { decodeBolt11 } from '../bolt11.ts';
import { withinTime } from '../../within-time.ts';
import { LndError } from '../lnd/failure.ts';
import type { LndPayer, PaymentState, PayRequest } from '../lnd/payer.ts';
import * as answers from './answers.ts';
import type { ClnPayment } from './answers.ts';
import { readClnChannels } from './node.ts';
import type { ClnRest } from './rest.ts';

/** How long the node looks for a route. */
const RETRY_SECONDS = 60;
/** The clocks of the node and of this service may differ by this much. */
const MARGIN_SECONDS = 120;
/** After this time the node looks for a route no more. */
const SEARCH_MS = (RETRY_SECONDS + MARGIN_SECONDS) * 1_000;

export interface ClnPayerOptions {
  rest: ClnRest;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
  /** Milliseconds of a clock that is never set. Default: `performance.now`. */
  steady?: () => number;
}

/**
 * The calls of a Core Lightning node for paying, in LND's terms. The node itself may begin a second
 * payment of a hash while the first one looks for a route and is not listed yet. So a hash that it
 * lists is never handed over again, and one that it does not list only after that search has ended.
 */
export function createClnPayer({
  rest,
  now = Date.now,
  steady = () => performance.now(),
}: ClnPayerOptions): LndPayer {
  /** Hashes for which the node still looks for a route, and lists no payment yet. */
  const running = new Set<string>();
  const searches = createSearches(steady);

  /**
   * The node lists a payment as failed between two of its own attempts, too. Only after the time in
   * which it tries is that certain.
   */
  async function track(paymentHash: string, hasEnded = false): Promise<PaymentState | null> {
    const body = { payment_hash: paymentHash };
    const { pays } = await rest.call('listpays', body, answers.paymentList);
    if (pays.some((pay) => pay.payment_hash !== paymentHash))
      throw new UnavailableError('The node returned another payment than the one asked for');
    // A failed one says nothing about another one of the same request.
    const payment =
      pays.find(({ status }) => status === 'complete') ??
      pays.find(({ status }) => status === 'pending') ??
      pays.at(-1);
    if (payment === undefined)
      return running.has(paymentHash) ? searchOnly(paymentHash) : searches.refused(paymentHash);
    const isOld = now() > payment.created_at * 1_000 + SEARCH_MS;
    const isOver = hasEnded || (isOld && !searches.mayRun(paymentHash));
    return translated(payment, isOver);
  }

  /** @returns the node's error; null when it paid */
  async function handOver(request: PayRequest, paymentHash: string): Promise<unknown> {
    running.add(paymentHash);
    try {
      await xpay(rest, request);
      searches.end(paymentHash);
      return null;
    } catch (error) {
      if (error instanceof LndError) searches.end(paymentHash);
      return error;
    } finally {
      running.delete(paymentHash);
    }
  }

  return {
    async pay(request, waitMs) {
      const { paymentHash } = decodeBolt11(request.paymentRequest);
      const known = await track(paymentHash);
      if (known !== null) return known;
      const isFirst = searches.begin(paymentHash, request.mayBeBegun === true);
      const ended = handOver(request, paymentHash);
      const error = await withinTime<unknown>(
        () => ended,
        waitMs,
        () => {
          if (isFirst) void ended.then((late) => searches.keep(paymentHash, late));
          return null;
        },
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

/** Resolves when the payment has ended. */
async function xpay(
  rest: ClnRest,
  { paymentRequest, amountMsat, feeLimitMsat }: PayRequest,
): Promise<void> {
  const body = {
    invstring: paymentRequest,
    ...(amountMsat !== null && { amount_msat: Number(amountMsat) }),
    maxfee: Number(feeLimitMsat),
    retry_for: RETRY_SECONDS,
  };
  // A held payment takes as long as its recipient wants.
  await rest.call('xpay', body, answers.paid, { waitMs: SEARCH_MS });
}

/** Remembers the calls without an answer, whose searches for a route may go on. */
function createSearches(steady: () => number) {
  const begun = new Map<string, number>();
  /** Hashes whose only call ended with a refusal that no caller waited for. */
  const refused = new Set<string>();

  function mayRun(paymentHash: string): boolean {
    const at = begun.get(paymentHash);
    return at !== undefined && steady() < at + SEARCH_MS;
  }

  return {
    mayRun,
    /**
     * @returns whether no call before this one can have begun the payment
     * @throws UnavailableError while an earlier search may run
     */
    begin(paymentHash: string, mayBeBegun: boolean): boolean {
      const isFirst = !mayBeBegun && !begun.has(paymentHash);
      // Of another process only this is certain: it had called before the hash is seen here.
      if (mayBeBegun && !begun.has(paymentHash)) begun.set(paymentHash, steady());
      if (mayRun(paymentHash))
        throw new UnavailableError('The node may still look for a route of an earlier attempt');
      begun.set(paymentHash, steady());
      return isFirst;
    },
    /** The node answered: what it began is listed. */
    end: (paymentHash: string): void => void begun.delete(paymentHash),
    keep(paymentHash: string, error: unknown): void {
      if (error instanceof LndError) refused.add(paymentHash);
    },
    refused: (paymentHash: string): PaymentState | null =>
      refused.has(paymentHash) ? neverBegun(paymentHash) : null,
  };
}

const unlisted = (paymentHash: string) => ({
  payment_hash: paymentHash,
  payment_preimage: '',
  value_msat: 0n,
  fee_msat: 0n,
  failure_reason: '',
  payment_index: 0,
});

/** A payment of which the node has no part yet. */
const searchOnly = (paymentHash: string): PaymentState => ({
  ...unlisted(paymentHash),
  status: 'IN_FLIGHT',
  isSearchOnly: true,
});

/** The node ended its only search with a refusal, and lists no part: it never began. */
const neverBegun = (paymentHash: string): PaymentState => ({
  ...unlisted(paymentHash),
  status: 'FAILED',
});

const STATUS = { pending: 'IN_FLIGHT', complete: 'SUCCEEDED', failed: 'FAILED' } as const;

function translated(payment: ClnPayment, isOver: boolean): PaymentState {
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
