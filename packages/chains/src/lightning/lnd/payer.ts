import { base64url, hex } from '@scure/base';
import { UnavailableError } from '../../error.ts';
import { payment, type LndPayment } from './answers.ts';
import { readChannels, type Channels } from './node.ts';
import { LndError } from './failure.ts';
import type { LndStream } from './response.ts';
import type { LndCall, LndRest } from './rest.ts';

export type PaymentState = LndPayment & {
  /**
   * The node looks for a route, and has no record that the payment began: it may never begin.
   * Default: false.
   */
  isSearchOnly?: boolean;
};

/** Calls of LND that paying needs. */
export interface LndPayer {
  /**
   * Pays a request. Resolves with the payment's final state, or with its state after `waitMs`: the
   * node goes on by itself.
   */
  pay(request: PayRequest, waitMs: number): Promise<PaymentState>;
  /** @returns null if the node has no payment with this hash */
  track(paymentHash: string): Promise<PaymentState | null>;
  channels(): Promise<Channels>;
}

export interface PayRequest {
  paymentRequest: string;
  /** Null: the request states it. */
  amountMsat: bigint | null;
  feeLimitMsat: bigint;
  /** Whether an earlier process may have handed it to the node. Default: false. */
  mayBeBegun?: boolean;
}

/** How long the node looks for a route. A payment on its way is not given up. */
const TIMEOUT_SECONDS = 60;

/** The calls of a node for paying, by its REST client. */
export function createLndPayer(rest: LndRest): LndPayer {
  return {
    pay: ({ paymentRequest, amountMsat, feeLimitMsat }, waitMs) =>
      stateOf(
        rest,
        {
          method: 'POST',
          path: '/v2/router/send',
          body: {
            payment_request: paymentRequest,
            ...(amountMsat === null ? {} : { amt_msat: String(amountMsat) }),
            fee_limit_msat: String(feeLimitMsat),
            timeout_seconds: TIMEOUT_SECONDS,
          },
          answer: payment,
        },
        waitMs,
      ),
    async track(paymentHash) {
      const id = base64url.encode(hex.decode(paymentHash));
      const path = `/v2/router/track/${id}`;
      try {
        const found = await stateOf(rest, { path, answer: payment }, 0);
        if (found.payment_hash === paymentHash) return found;
      } catch (error) {
        if (isNeverInitiated(error)) return null;
        throw error;
      }
      throw new UnavailableError('The node returned another payment than the one asked for');
    },
    channels: () => readChannels(rest),
  };
}

/** gRPC's NOT_FOUND; a proxy without this path answers with the same code. */
const NOT_FOUND = 5;
const isNeverInitiated = (error: unknown): boolean =>
  error instanceof LndError && error.code === NOT_FOUND && /initiated/i.test(error.message);

export const isFinal = ({ status }: LndPayment): boolean =>
  status === 'SUCCEEDED' || status === 'FAILED';

/** Reads a stream of states until the final one, or for `waitMs` after the first one. */
function stateOf(rest: LndRest, call: LndCall<LndPayment>, waitMs: number): Promise<LndPayment> {
  return new Promise((resolve, reject) => {
    let newest: LndPayment | null = null;
    let timer: NodeJS.Timeout | undefined;
    let stream: LndStream | null = null;
    let isFinished = false;
    async function open(): Promise<void> {
      stream = await rest.stream(
        call,
        (state) => {
          newest = state;
          if (isFinal(state)) return finish(null);
          timer ??= setTimeout(() => finish(null), waitMs);
        },
        (error) => finish(error ?? new UnavailableError('The node ended the stream of a payment')),
      );
      if (isFinished && (newest === null || !isFinal(newest))) stream.close();
    }
    const noState = setTimeout(
      () => finish(new UnavailableError('The node does not show the state of the payment')),
      NO_STATE_MS,
    );
    function finish(error: Error | null): void {
      clearTimeout(timer);
      clearTimeout(noState);
      if (newest !== null) resolve(newest);
      else reject(error ?? new UnavailableError('The node does not answer'));
      isFinished = true;
      // The node ends the stream of a payment that has ended, which keeps the connection.
      if (newest === null || !isFinal(newest)) stream?.close();
    }
    open().catch(finish);
  });
}

const NO_STATE_MS = 15_000;
