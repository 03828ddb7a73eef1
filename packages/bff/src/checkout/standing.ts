import { type CheckoutStanding, stageOf } from '@crypto-checkout/protocol/checkout';
import type { ServiceProfile } from '../service/service.ts';
import type { CheckoutRecord } from './record.ts';

/** What a standing depends on beside the record. */
export interface Circumstances {
  /** The service's time, milliseconds since the epoch. */
  serverTime: number;
  /** Null while it could not be read yet. */
  profile: ServiceProfile | null;
}

/** Where a checkout stands: the stage, the notes and what is still due. */
export function standingOf(record: CheckoutRecord, { serverTime, profile }: Circumstances): CheckoutStanding {
  const { amount, currency, source } = record.terms;
  return stageOf({
    order: source !== 'none' && amount !== null && currency !== null ? { amount, currency } : null,
    invoices: record.invoices,
    transactions: record.transactions.map(({ amount: { paid, paid_total }, ...rest }) => ({
      ...rest,
      amount: paid_total ? { paid, paid_total } : { paid },
      late_rate: record.late_rates[rest.id] ?? null,
    })),
    network: networkOf(record, profile),
    serverTime,
    ...(profile && { acceptance: profile.acceptance, stablecoinPrecision: profile.stablecoinPrecision }),
  });
}

/** A shop has one network; what is not known yet is shown as a test, never as real money. */
export function networkOf(record: CheckoutRecord, profile: ServiceProfile | null): string {
  return record.invoices.at(-1)?.network ?? profile?.currencies[0]?.network ?? 'testnet';
}
