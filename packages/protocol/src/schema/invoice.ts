import { z } from 'zod';
import { amountInput, amountObject, amountText, decimalText, orNull, timestamp } from './amount.ts';

/** Seconds that an invoice's quote can last (§2.8). */
export const INVOICE_EXPIRATIONS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 1209600] as const;
export type InvoiceExpiration = (typeof INVOICE_EXPIRATIONS)[number];

/** Characters that `passthrough` can have. */
export const MAX_PASSTHROUGH = 4096;

export const lightning = z.object({
  payment_request: orNull(z.string()),
  payment_hash: orNull(z.string()),
  lnurl: orNull(z.string()),
  lnurl_invoice_id: orNull(z.string()),
});
export type Lightning = z.infer<typeof lightning>;

export const invoiceTransaction = z.object({
  id: z.string(),
  kind: z.string(),
  txid: z.string(),
  confirmations: z.int(),
  amount: amountText,
  created_at: timestamp,
});
export type InvoiceTransaction = z.infer<typeof invoiceTransaction>;

/** An invoice as a transaction carries it: without status and transactions (§2.5). */
export const embeddedInvoice = z.object({
  id: z.string(),
  kind: z.string(),
  created_at: timestamp,
  profile_id: z.string(),
  /** Null for lightning kinds; XRP: account and tag joined by a colon. */
  address: orNull(z.string()),
  lightning: orNull(lightning),
  network: z.string(),
  amount: z.object({
    requested: orNull(amountObject),
    invoiced: orNull(amountObject.extend({ rate_usd: decimalText.optional() })),
    paid: orNull(amountObject),
    paid_total: amountObject.nullish(),
  }),
  custom_fee: orNull(amountObject),
  min_confirmations: orNull(z.int()),
  zero_conf_enabled: orNull(z.boolean()),
  notes: orNull(z.string()),
  passthrough: orNull(z.string()),
  x_address: z.string().nullish(),
  public_address: z.string().nullish(),
});
export type EmbeddedInvoice = z.infer<typeof embeddedInvoice>;

/** §2.4. The status is any string: a reader must accept ones that it does not know. */
export const invoice = embeddedInvoice.extend({
  /** Null for reusable addresses and LNURL. */
  expires_at: orNull(timestamp),
  status: z.string(),
  transactions: z.array(invoiceTransaction).default([]),
});
export type Invoice = z.infer<typeof invoice>;

/** As a list shows it: what was paid with is on the invoice itself. */
export const listedInvoice = invoice.omit({ transactions: true });

/** §4.1: the request is refused when the service's rate differs by more than `allowed_difference`. */
export const exchangeRateLimit = z.object({
  /** Crypto and fiat, separated by a colon. */
  pair: z.string().regex(/^[A-Za-z0-9.-]+:[A-Z]{3}$/, 'must be a crypto and a fiat symbol with a colon between'),
  exchange_rate: amountInput.refine((rate) => /[1-9]/.test(rate), 'must be more than zero'),
  /** 0.05 for 5 %. */
  allowed_difference: amountInput,
});

/** Payload of `POST /v1/invoices/` (§4.1), without the members of every request. */
export const createInvoice = z.object({
  profile_id: z.string(),
  /** Left out for a reusable address. */
  amount: amountInput.nullish(),
  currency: z.string(),
  kind: z.string(),
  passthrough: z
    .string()
    .max(MAX_PASSTHROUGH)
    .refine((text) => !text.includes('\0'), 'must not contain NUL')
    .nullish(),
  fee_amount: amountInput.nullish(),
  min_confirmations: z.int().min(1).max(5).nullish(),
  notes: z
    .string()
    .max(MAX_PASSTHROUGH)
    .refine((text) => !text.includes('\0'), 'must not contain NUL')
    .nullish(),
  zero_conf_enabled: z.boolean().nullish(),
  exchange_rate_limit: exchangeRateLimit.nullish(),
  invoice_expiration: z.literal(INVOICE_EXPIRATIONS, { error: `must be one of ${INVOICE_EXPIRATIONS.join(', ')} seconds` }).nullish(),
});
/** What a caller gives; amounts are decimal strings. */
export type CreateInvoice = z.input<typeof createInvoice>;

/** Payload of `POST /v1/invoices/<ID>/renew/`: with `extend` more time at the same rate, once, while the quote runs. */
export const renewInvoice = z.object({ extend: z.boolean().nullish() });
