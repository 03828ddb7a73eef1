import { type CheckoutState, stageOf } from '@crypto-checkout/protocol/stage';
import type { ServiceProfile } from '../service/service.ts';
import type { CheckoutRecord } from './repository/record.ts';

/** The inputs of a checkout's state besides its record. */
export interface StateContext {
  /** The service's time, milliseconds since the epoch. */
  serverTime: number;
  /** Null before the first successful read. */
  profile: ServiceProfile | null;
}

/** The state of a checkout: the stage, the notes and the amount due. */
export function checkoutState(
  record: CheckoutRecord,
  { serverTime, profile }: StateContext,
): CheckoutState {
  const { amount, currency, source } = record.terms;
  return stageOf({
    order: source !== 'none' && amount !== null && currency !== null ? { amount, currency } : null,
    invoices: record.invoices,
    transactions: record.transactions.map(
      ({ amount: { paid, paid_total, refunded }, ...rest }) => ({
        ...rest,
        amount: { paid, ...(paid_total && { paid_total }), ...(refunded && { refunded }) },
        late_rate: record.late_rates[rest.id] ?? null,
      }),
    ),
    network: networkOf(record, profile),
    serverTime,
    ...(profile && {
      acceptance: profile.acceptance,
      stablecoinPrecision: profile.stablecoinPrecision,
    }),
  });
}

/** The network of a shop. An unknown network is shown as a test network, never as real money. */
export function networkOf(record: CheckoutRecord, profile: ServiceProfile | null): string {
  return record.invoices.at(-1)?.network ?? profile?.currencies[0]?.network ?? 'testnet';
}
