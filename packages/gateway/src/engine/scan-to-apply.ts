import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Observation, ScanResult } from '@crypto-checkout/chains/adapter';
import type { RateSet } from '../rate/rate-book.ts';
import type { Assessment } from '../transaction/assessment.ts';

/** The result of a scan, with all that is needed to apply it. */
export interface ScanToApply {
  chain: ChainId;
  result: ScanResult;
  /** Null if rates are unavailable: payments are recorded all the same. */
  rates: RateSet | null;
  /** Business time up to which this scan is sure to have seen every payment. */
  scannedAt: number;
  /** `scannedAt` of the previous scan that reached the tip. New payments arrived after it. */
  previousScanAt: number | null;
  /** Risk and zero-confirmation checks of new payments, by observation key. */
  assessed?: ReadonlyMap<string, Assessment>;
}

export const observationsIn = ({ events }: ScanResult): Observation[] =>
  events.flatMap((event) => (event.type === 'observed' ? [event.observation] : []));

export const observedIn = (result: ScanResult, member: 'key' | 'watchKey'): string[] => [
  ...new Set(observationsIn(result).map((observation) => observation[member])),
];
