import type { Amount } from '@crypto-checkout/protocol/amount';
import { withinTime } from '@crypto-checkout/chains/within-time';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { RiskFinding } from '../transaction/assessment.ts';

/** Facts about a payment when it is first seen. */
export interface PaymentFacts {
  chain: ChainId;
  network: 'mainnet' | 'testnet';
  /** `Kind.asset` of the payment. */
  asset: string;
  txid: string;
  /** Receiving address; null for lightning. */
  address: string | null;
  amount: Amount;
  /** Inputs of the transaction, which identify the sender: outpoints, or `sender:nonce`. */
  inputs: readonly string[];
}

/**
 * Analyses payments, e.g. by local rules or an HTTP service. Runs outside of any database
 * transaction. After an error or a timeout it is retried later.
 */
export interface RiskCheck {
  /** Reports whether it covers a chain. Default: all chains. */
  covers?(chain: ChainId): boolean;
  /** @returns null without an opinion; then the payment has no risk level */
  check(facts: PaymentFacts, signal: AbortSignal): Promise<RiskFinding | null>;
}

/**
 * Decides whether an unconfirmed payment is likely to confirm: sufficient fee, not replaceable, no
 * unconfirmed inputs. After an error or a timeout the payment waits for its confirmations.
 */
export interface ZeroConfCheck {
  /** Reports whether it covers a chain. Default: all chains. */
  covers?(chain: ChainId): boolean;
  isSafe(facts: PaymentFacts, signal: AbortSignal): Promise<boolean>;
}

/** Runs a check with a timeout. @throws Error when the check fails or times out */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  const controller = new AbortController();
  return withinTime(
    () => work(controller.signal),
    timeoutMs,
    () => {
      controller.abort();
      throw new Error(`No answer within ${timeoutMs} ms`);
    },
  );
}
