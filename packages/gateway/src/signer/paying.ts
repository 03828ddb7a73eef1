import { lightningPlan } from '@crypto-checkout/chains/lightning/lnd/broadcast';
import type {
  BroadcastResult,
  EarlierBroadcast,
  LightningPlan,
} from '@crypto-checkout/chains/sender';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import type { Logger } from 'pino';
import { z } from 'zod';
import { refused, type SignerState } from './request.ts';
import { samePlan } from './rules.ts';
import type { SignedEntry } from './signed-log.ts';

const payRequest = z.strictObject({ plan: lightningPlan });

/** Hands a plan to the lightning node; asked again, it never begins a second payment. */
export type PayLightning = (
  plan: LightningPlan,
  earlier: EarlierBroadcast,
) => Promise<BroadcastResult>;

export interface PayingOptions {
  state: Pick<SignerState, 'log'>;
  /** Absent without a lightning node. */
  payLightning: PayLightning | undefined;
  log: Pick<Logger, 'info' | 'warn'>;
}

export const NO_NODE =
  'this signer has no lightning node; start it with --lnd-url and --lnd-macaroon, or with --cln-url and --cln-rune';

const hashOf = (plan: SignedEntry['plan']): string | null =>
  plan.family === 'lightning' ? plan.paymentHash : null;

/** Returns what answers `POST /pay`. It sends nothing that is not in the log. */
export function createPaying({ state, payLightning, log }: PayingOptions) {
  const running = new Map<string, Promise<BroadcastResult>>();
  // A signer before this one may have handed them to the node, and then ended.
  const earlier: ReadonlySet<string | null> = new Set(
    state.log.entries.map(({ plan }) => hashOf(plan)),
  );

  /** Two requests at once for one payment wait for one answer of the node. */
  function payOnce(plan: LightningPlan): Promise<BroadcastResult> {
    if (payLightning === undefined) throw refused(NO_NODE);
    const { paymentHash } = plan;
    const isLogged = state.log.entries.some((entry) => samePlan(entry.plan, plan));
    if (!isLogged) throw refused(`the payment of ${paymentHash} was not signed before`);
    const begun = running.get(paymentHash);
    if (begun !== undefined) return begun;
    const payment = payLightning(plan, { mayBeSent: earlier.has(paymentHash) }).finally(() =>
      running.delete(paymentHash),
    );
    running.set(paymentHash, payment);
    return payment;
  }

  return async function answerPay(body: unknown): Promise<[status: number, body: unknown]> {
    const wanted = payRequest.safeParse(body);
    if (!wanted.success) return [400, { reason: z.prettifyError(wanted.error) }];
    const { plan } = wanted.data;
    const payment_hash = plan.paymentHash;
    try {
      const answer = await payOnce(plan);
      log.info({ event: 'payment_begun', payment_hash, result: answer.result }, 'asked to pay');
      return [200, answer];
    } catch (error) {
      if (!(error instanceof SigningRefusedError)) throw error;
      log.warn({ event: 'payment_refused', payment_hash }, error.message);
      return [403, { reason: error.message }];
    }
  };
}
