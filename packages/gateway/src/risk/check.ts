import type { Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { RiskLevel } from '@crypto-checkout/protocol/status';

/** What is known of a payment when it is first seen. */
export interface PaymentFacts {
  chain: ChainId;
  network: 'mainnet' | 'testnet';
  /** `Kind.asset` of what came. */
  asset: string;
  txid: string;
  /** Ours, to which it was paid; null for lightning. */
  address: string | null;
  amount: Amount;
  /** What the transaction spends, which is where the money comes from: outpoints, or `sender:nonce`. */
  inputs: readonly string[];
}

export interface RiskFinding {
  level: RiskLevel;
  /** Shown to the merchant as `risk_data`. */
  data: Readonly<Record<string, unknown>>;
  /** Whether the payment is held until somebody releases it. */
  quarantine: boolean;
}

/**
 * Analyses payments: a list of our own, or a company that is asked over HTTP. Asked outside of every database transaction; one that
 * throws or takes too long has said nothing, and is asked again later.
 */
export interface RiskCheck {
  /** Whether it says anything about a chain's payments; the others are not asked about. Default: every chain's. */
  covers?(chain: ChainId): boolean;
  /** @returns null when it has no opinion; then the payment has no level */
  check(facts: PaymentFacts, signal: AbortSignal): Promise<RiskFinding | null>;
}

/**
 * Says whether a payment that is in no block yet will be in one: pays enough, can't be replaced, spends nothing that is itself
 * unconfirmed. One that throws or takes too long has failed, and the payment waits for its blocks.
 */
export interface ZeroConfCheck {
  /** Whether it knows a chain; on the others no check is done. Default: all of them. */
  covers?(chain: ChainId): boolean;
  isSafe(facts: PaymentFacts, signal: AbortSignal): Promise<boolean>;
}

/** Asks, and gives up in time. @throws Error when it failed or took too long */
export async function askInTime<T>(work: (signal: AbortSignal) => Promise<T>, timeoutMs: number): Promise<T> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      ending.abort();
      reject(new Error(`No answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(ending.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
