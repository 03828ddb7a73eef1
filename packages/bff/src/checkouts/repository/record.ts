import { PAYMENT_SOURCES, type PaymentSource } from '@crypto-checkout/protocol/checkout';
import { z } from 'zod';
import { Terms } from '../../orders/terms.ts';
import {
  ServiceInvoice,
  ServiceRefund,
  ServiceRefundable,
  ServiceTransaction,
} from '../../service/schema.ts';

/** One price of an invoice, and its period of validity. */
const Quote = z.object({
  requested: z.string(),
  invoiced: z.string(),
  starts_at: z.string(),
  expires_at: z.string().nullable(),
  /** The quote was extended by one period, which is possible once. */
  extended: z.boolean().default(false),
});

const Source = z.enum(PAYMENT_SOURCES).default('wallet');

/** An invoice of a checkout, as it was last read. */
export const CheckoutInvoice = ServiceInvoice.omit({
  passthrough: true,
  transactions: true,
}).extend({
  /** The attempt in the envelope; null for an invoice that the BFF did not create. */
  attempt: z.string().nullable(),
  /** An invoice for an exchange has a longer quote and stands beside the invoice for a wallet. */
  quoted_for: Source,
  /** All prices of this invoice, the current one last. */
  quotes: z.array(Quote),
  /** The service's time of the last change. */
  changed_at: z.string(),
});
export type CheckoutInvoice = z.output<typeof CheckoutInvoice>;

/**
 * An invoice request in progress, stored before it is sent: a lost answer never creates a second
 * invoice.
 */
const Attempt = z.object({
  kind: z.string(),
  quoted_for: Source,
  attempt: z.string(),
  requested: z.string(),
  /** Own clock, milliseconds. */
  begun_at: z.number(),
  /** The service's time at the start, milliseconds: the search in its list goes back this far. */
  since: z.number(),
  /** Own clock, milliseconds: the time at which the request ended with an unknown outcome. */
  ended_at: z.number().nullable(),
});
export type Attempt = z.output<typeof Attempt>;

/** Money that the buyer can ask back, as it was last read. */
const RefundableMoney = ServiceRefundable.extend({ invoice_id: z.string() });
export type RefundableMoney = z.output<typeof RefundableMoney>;

/** An event for the shop, kept with its delivery state. */
const StoredEvent = z.object({
  /** Natural key: the same in all attempts. */
  id: z.string(),
  event: z.string(),
  /** The bytes of the webhook, the same in all attempts. */
  body: z.string(),
  attempts: z.number(),
  /** Own clock, milliseconds. */
  next_at: z.number(),
  /** Null until the shop accepted the event or answered 410. */
  done_at: z.number().nullable(),
});
export type StoredEvent = z.output<typeof StoredEvent>;

/**
 * The stored form of a checkout. The names of its members stay: stores hold records of earlier
 * versions.
 */
export const StoredRecord = z
  .object({
    id: z.string(),
    terms: Terms,
    created_at: z.string(),
    version: z.number(),
    /** The invoice that the buyer sees; null until a coin is chosen. */
    selected: z.string().nullable(),
    /** The buyer's last choice of where to pay from. */
    from: Source,
    /** The buyer chose bitcoin with a lightning request in the same code. */
    with_lightning: z.boolean().default(false),
    /**
     * Late payments that count: by transaction, the price of one coin in the order's currency when
     * the payment arrived. Written once, so that the counted value never changes.
     */
    late_rates: z.record(z.string(), z.string()).default({}),
    /** Stored name of `requested_success_url`. */
    wish: z.string().nullable(),
    invoices: z.array(CheckoutInvoice),
    transactions: z.array(ServiceTransaction),
    refunds: z.array(ServiceRefund).default([]),
    refundable: z.array(RefundableMoney).default([]),
    /** A browser holds the claim secret of a checkout that the shop's server opened. */
    claimed: z.boolean().default(false),
    /** Receipts that were sent by e-mail. */
    receipts_mailed: z.number().int().default(0),
    attempts: z.array(Attempt),
    events: z.array(StoredEvent),
    /** Ids of handled callbacks, newest last. */
    callbacks: z.array(z.string()),
  })
  .transform(({ wish, ...rest }) => ({
    ...rest,
    /** The success URL from a page's address or the element. Its origin is in SUCCESS_ORIGINS. */
    requested_success_url: wish,
  }));

/** Everything that is kept of a checkout. */
export type CheckoutRecord = z.output<typeof StoredRecord>;

/** The JSON that `StoredRecord` reads. */
export function serializeRecord({ requested_success_url, ...rest }: CheckoutRecord): string {
  return JSON.stringify({ ...rest, wish: requested_success_url });
}

/** @returns a record for an order, or for a single invoice (terms of source `none`) */
export function newRecord(id: string, terms: Terms, now: number): CheckoutRecord {
  return {
    id,
    terms,
    created_at: new Date(now).toISOString(),
    version: now,
    selected: null,
    from: 'wallet',
    with_lightning: false,
    late_rates: {},
    requested_success_url: null,
    invoices: [],
    transactions: [],
    refunds: [],
    refundable: [],
    claimed: false,
    receipts_mailed: 0,
    attempts: [],
    events: [],
    callbacks: [],
  };
}

export function selectedInvoice(record: CheckoutRecord): CheckoutInvoice | undefined {
  return record.invoices.find(({ id }) => id === record.selected);
}

/** The newest invoice for a coin. Earlier ones are still polled but no longer shown. */
export function newestInvoiceFor(
  record: CheckoutRecord,
  kind: string,
  quotedFor: PaymentSource,
): CheckoutInvoice | undefined {
  return record.invoices.findLast(
    (invoice) => invoice.kind === kind && invoice.quoted_for === quotedFor,
  );
}
