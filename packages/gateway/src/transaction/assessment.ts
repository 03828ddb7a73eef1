import type { RiskLevel, ZeroConfStatus } from '@crypto-checkout/protocol/status';

/** Result of a risk analysis. */
export interface RiskFinding {
  level: RiskLevel;
  /** Shown to the merchant as `risk_data`. */
  data: Readonly<Record<string, unknown>>;
  /** Hold the payment until an operator releases it. */
  quarantine: boolean;
}

/** Results of the checks of a payment that was not seen before. */
export interface Assessment {
  /** Null when the risk check has no opinion. */
  risk: RiskFinding | null;
  /** The risk check failed or timed out and is retried later. */
  riskFailed: boolean;
  /** Null when no zero-confirmation check ran. */
  zeroConf: ZeroConfStatus | null;
  /** The payment is final only in a block that two providers of the chain have. Default false. */
  mustCompare?: boolean;
}
