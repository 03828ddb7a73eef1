import { decodeBolt11 } from './bolt11.ts';

/** The clocks of the node and of this service may differ by this much. */
const CLOCK_MARGIN_MS = 10 * 60_000;

/** The time in milliseconds after which no node begins a payment of the request any more. */
export function requestEnd(paymentRequest: string): number {
  const { timestamp, expirySeconds } = decodeBolt11(paymentRequest);
  return (timestamp + expirySeconds) * 1_000 + CLOCK_MARGIN_MS;
}
