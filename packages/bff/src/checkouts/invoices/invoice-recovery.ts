import type { Hmac } from '@crypto-checkout/protocol/signature';
import { timestamp } from '../../http/timestamp.ts';
import { envelopeMatches, openEnvelope } from '../../orders/envelope.ts';
import type { Service } from '../../service/service.ts';
import type { CheckoutRepository, LoadedCheckout } from '../repository/checkout-repository.ts';
import { mergeReadings } from '../repository/merge-readings.ts';
import type { ServiceInvoice } from '../../service/schema.ts';
import type { Attempt, CheckoutRecord } from '../repository/record.ts';

export interface InvoiceRecoveryOptions {
  repository: CheckoutRepository;
  service: Service;
  orderSecret: string;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  now: () => number;
}

/**
 * Wait after a lost answer before another request: the invoice may appear in the list this late.
 */
const LIST_DELAY_MS = 10_000;
/** The same wait for a list that is too long to search completely. */
const INCOMPLETE_SEARCH_MS = 15 * 60_000;
const MAX_PAGES = 40;
/** Tolerance between the clocks of the list and the attempt. */
const CLOCK_MARGIN_MS = 60_000;

/**
 * Recovers invoices after a lost answer: they are in the service's list and carry the BFF's
 * envelope. An attempt without an invoice after the wait is dropped.
 */
export class InvoiceRecovery {
  readonly #options: InvoiceRecoveryOptions;

  constructor(options: InvoiceRecoveryOptions) {
    this.#options = options;
  }

  /**
   * Adds the found invoices to the record, and drops attempts that created none.
   * @param attempts of this checkout, none of them in progress
   */
  async recover(checkout: LoadedCheckout, attempts: readonly Attempt[]): Promise<void> {
    const { repository, service, now } = this.#options;
    const { found, isComplete } = await this.search(checkout, attempts);
    const moment = now();
    const cutoff = moment - (isComplete ? LIST_DELAY_MS : INCOMPLETE_SEARCH_MS);
    const isSearched = (one: Attempt): boolean =>
      attempts.some(({ attempt }) => attempt === one.attempt);
    await repository.update(checkout, (record) => {
      const serverTime = timestamp(moment + service.offset());
      const adopted =
        found.length > 0
          ? adoptInvoices(record, found, serverTime, record.selected === null)
          : record;
      const left = adopted.attempts.flatMap((one) =>
        isSearched(one) ? (stillWaiting(one, cutoff, moment) ?? []) : [one],
      );
      return left.length === adopted.attempts.length &&
        left.every((one, at) => one === adopted.attempts[at])
        ? adopted
        : { ...adopted, attempts: left };
    });
  }

  /**
   * Searches the order's invoices back to the start of the attempts. `isComplete`: the search got
   * that far; from a service that cannot filter by order it may not.
   */
  async search(
    checkout: LoadedCheckout,
    attempts: readonly Attempt[],
  ): Promise<{ found: FoundInvoice[]; isComplete: boolean }> {
    const { service, envelopeKey, hmac, orderSecret } = this.#options;
    const since = Math.min(...attempts.map((attempt) => attempt.since)) - CLOCK_MARGIN_MS;
    const { order_id } = checkout.record.terms;
    const found: FoundInvoice[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const invoices = (await service.invoices(page, order_id)) ?? [];
      for (const invoice of invoices) {
        const envelope = await openEnvelope(invoice.passthrough, await envelopeKey, hmac);
        const attempt = attempts.find((one) => one.attempt === envelope?.attempt);
        if (!envelope || !attempt || envelope.checkout !== checkout.id) continue;
        if (await envelopeMatches(envelope, invoice, orderSecret, hmac))
          found.push({ invoice, attempt });
      }
      const last = invoices.at(-1);
      if (!last || found.length >= attempts.length || Date.parse(last.created_at) < since)
        return { found, isComplete: true };
    }
    return { found, isComplete: false };
  }
}

/**
 * Returns null for an attempt whose wait is over. The wait begins again for a time in the future,
 * because the clock was set back.
 */
function stillWaiting(attempt: Attempt, cutoff: number, now: number): Attempt | null {
  const end = attempt.ended_at ?? attempt.begun_at;
  if (end > now) return { ...attempt, ended_at: now };
  return end < cutoff ? null : attempt;
}

export interface FoundInvoice {
  invoice: ServiceInvoice;
  /** Null for a copy of an invoice without an order. */
  attempt: Pick<Attempt, 'attempt' | 'quoted_for'> | null;
}

/** Adds created invoices to the record; with `select` the last one becomes the selected invoice. */
export function adoptInvoices(
  record: CheckoutRecord,
  found: readonly FoundInvoice[],
  serverTime: string,
  select: boolean,
): CheckoutRecord {
  const readings = found.map(({ invoice, attempt }) => ({
    invoice,
    attempt: attempt?.attempt ?? null,
    quotedFor: attempt?.quoted_for ?? ('wallet' as const),
    transactions: null,
  }));
  const merged = mergeReadings(record, readings, serverTime);
  const attempts = merged.attempts.filter(
    (one) => !found.some(({ attempt }) => attempt?.attempt === one.attempt),
  );
  return {
    ...merged,
    attempts,
    selected: (select ? found.at(-1)?.invoice.id : null) ?? merged.selected,
  };
}
