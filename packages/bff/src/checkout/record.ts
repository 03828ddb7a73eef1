import { PAYMENT_SOURCES, type PaymentSource } from '@crypto-checkout/protocol/checkout';
import { z } from 'zod';
import { Terms } from '../order/terms.ts';

const Money = z.object({ amount: z.string(), currency: z.string() });
const text = z.string().nullable().default(null);

/** A price that an invoice had, and from when to when. */
const Quote = z.object({
  requested: z.string(),
  invoiced: z.string(),
  starts_at: z.string(),
  expires_at: z.string().nullable(),
  /** It was held for one more period, which is possible once. */
  extended: z.boolean().default(false),
});

const Source = z.enum(PAYMENT_SOURCES).default('wallet');

/** An invoice as the service returns it, less what a checkout has no use for. Any status is accepted. */
export const ServiceInvoice = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.string(),
  network: z.string(),
  profile_id: z.string(),
  created_at: z.string(),
  expires_at: text,
  address: text,
  x_address: text,
  public_address: text,
  lightning: z.object({ payment_request: text, payment_hash: text, lnurl: text, lnurl_invoice_id: text }).nullable().default(null),
  amount: z.object({
    requested: Money.nullable().default(null),
    invoiced: Money.extend({ rate_usd: z.string().optional() }).nullable().default(null),
    paid: Money.nullable().default(null),
    /** With a custom fee only. */
    paid_total: Money.nullish(),
  }),
  min_confirmations: z.number().int().nullable().default(null),
  notes: text,
  passthrough: text,
  transactions: z
    .array(z.object({ txid: z.string(), kind: z.string().optional() }))
    .nullish()
    .transform((rows) => rows?.length ?? 0),
});
export type ServiceInvoice = z.output<typeof ServiceInvoice>;

/** A transaction as the service returns it, less what a checkout has no use for. */
export const ServiceTransaction = z.object({
  id: z.string(),
  kind: z.string(),
  txid: z.string(),
  status: z.string(),
  created_at: z.string(),
  confirmations: z.number().int().default(0),
  invoice: z.object({ id: z.string() }).nullable().default(null),
  amount: z.object({ paid: Money, paid_total: Money.optional() }),
});
export type ServiceTransaction = z.output<typeof ServiceTransaction>;

/** An invoice of a checkout, as it was last read. */
export const CheckoutInvoice = ServiceInvoice.omit({ passthrough: true, transactions: true }).extend({
  /** The envelope's attempt; null for an invoice that we did not make. */
  attempt: z.string().nullable(),
  /** Exchanges are slow: an invoice for one has a longer quote, beside the invoice for a wallet. */
  quoted_for: Source,
  /** Every price that it had, the one in force last. */
  quotes: z.array(Quote),
  /** The service's time at which something about it last changed. */
  changed_at: z.string(),
});
export type CheckoutInvoice = z.output<typeof CheckoutInvoice>;

/** An invoice that we are making: noted before the service is asked, so that a lost answer never makes a second one. */
const Attempt = z.object({
  kind: z.string(),
  quoted_for: Source,
  attempt: z.string(),
  requested: z.string(),
  /** Real time, milliseconds: begun, and ended without a certain outcome. */
  begun_at: z.number(),
  /** The service's time when it was begun, milliseconds: its list is looked through that far back. */
  since: z.number(),
  ended_at: z.number().nullable(),
});
export type Attempt = z.output<typeof Attempt>;

/** Something that the shop is told: kept until it has accepted. */
const StoredEvent = z.object({
  /** Natural key: the same over all attempts. */
  id: z.string(),
  event: z.string(),
  /** The bytes that are sent, the same each time. */
  body: z.string(),
  attempts: z.number(),
  /** Real time, milliseconds. */
  next_at: z.number(),
  /** Null until the shop accepted, or said that it never will. */
  done_at: z.number().nullable(),
});
export type StoredEvent = z.output<typeof StoredEvent>;

/** All that is kept of a checkout. */
export const CheckoutRecord = z.object({
  id: z.string(),
  terms: Terms,
  created_at: z.string(),
  version: z.number(),
  /** The invoice that the buyer is shown; null until a coin is chosen. */
  selected: z.string().nullable(),
  /** Where the buyer said to pay from, the last time. */
  from: Source,
  /**
   * Late payments that count: by transaction, one coin in the order's currency when it arrived. Written once, so that what was
   * counted stays so.
   */
  late_rates: z.record(z.string(), z.string()).default({}),
  /** A success link that came with a page's address or with the element; only one whose origin is listed gets here. */
  wish: z.string().nullable(),
  invoices: z.array(CheckoutInvoice),
  transactions: z.array(ServiceTransaction),
  attempts: z.array(Attempt),
  events: z.array(StoredEvent),
  /** Callbacks that were dealt with, newest last. */
  callbacks: z.array(z.string()),
});
export type CheckoutRecord = z.output<typeof CheckoutRecord>;

/** @returns a record for an order, or for a single invoice (terms of source `none`) */
export function newRecord(id: string, terms: Terms, now: number): CheckoutRecord {
  return {
    id,
    terms,
    created_at: new Date(now).toISOString(),
    version: now,
    selected: null,
    from: 'wallet',
    late_rates: {},
    wish: null,
    invoices: [],
    transactions: [],
    attempts: [],
    events: [],
    callbacks: [],
  };
}

export function selectedInvoice(record: CheckoutRecord): CheckoutInvoice | undefined {
  return record.invoices.find(({ id }) => id === record.selected);
}

/** The newest invoice for a coin: earlier ones are still watched, and no longer shown. */
export function newestFor(record: CheckoutRecord, kind: string, quotedFor: PaymentSource): CheckoutInvoice | undefined {
  return record.invoices.findLast((invoice) => invoice.kind === kind && invoice.quoted_for === quotedFor);
}
