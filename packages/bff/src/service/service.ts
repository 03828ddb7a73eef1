import type { InvoiceExpiration } from '@crypto-checkout/protocol/schema/invoice';
import type {
  ServiceInvoice,
  ServiceRefund,
  ServiceRefundable,
  ServiceTransaction,
} from './schema.ts';

/** The payment service as checkouts use it. The shape of all its answers is validated. */
export interface Service {
  createInvoice(order: NewInvoice): Promise<ServiceInvoice>;
  /** Null for an unknown invoice. */
  invoice(id: string): Promise<ServiceInvoice | null>;
  /**
   * One page of the profile's invoices, newest first; null after the last page.
   * @param orderId only those of this order; a service without the extensions returns all
   */
  invoices(page: number, orderId?: string | null): Promise<ServiceInvoice[] | null>;
  /** Null when the service cannot renew. */
  renewInvoice(id: string, options: { extend: boolean }): Promise<ServiceInvoice | null>;
  /** Null from a service that cannot cancel lightning requests. */
  cancelRequest(invoiceId: string): Promise<ServiceInvoice | null>;
  /** A signed receipt; null before the invoice is paid, and from a service without receipts. */
  receipt(invoiceId: string): Promise<string | null>;
  transactions(invoiceId: string): Promise<ServiceTransaction[]>;
  /**
   * Records that a late payment counts, so that it is not refunded. False if a refund was asked for
   * before; true from a service without refunds.
   */
  acceptLate(transactionId: string): Promise<boolean>;
  /** The money of an invoice that can be returned; none from a service without refunds. */
  refundable(invoiceId: string): Promise<ServiceRefundable[]>;
  /** The refunds of an invoice, oldest first; none from a service without them. */
  refunds(invoiceId: string): Promise<ServiceRefund[]>;
  /** Asks for a refund, or only for its amounts. The same request again is the same refund. */
  refund(request: RefundRequest): Promise<ServiceRefund>;
  profile(): Promise<ServiceProfile>;
  /** US dollars per unit of each symbol, as decimal strings. */
  rates(): Promise<ReadonlyMap<string, string>>;
  /**
   * The usual network fee of a payment in US dollars, by kind. Empty from a service without this
   * extension.
   */
  networkFees(): Promise<ReadonlyMap<string, string>>;
  /** Milliseconds that the service's clock is ahead of ours, by its `Date` headers. */
  offset(): number;
}

export interface NewInvoice {
  kind: string;
  amount: string;
  currency: string;
  passthrough: string | null;
  notes: string | null;
  /** Also makes a lightning request beside the address, where the service can. */
  withLightning: boolean;
  /** Signed by the service; one without address proofs ignores it. */
  orderId: string | null;
  /** Duration of the quote, if not the profile's; a service without the extensions ignores it. */
  expirationSeconds: InvoiceExpiration | null;
}

export interface RefundRequest {
  transactionId: string;
  address: string;
  tag: string | null;
  /** The caller proved to be the buyer; anyone can have the link. */
  isProven: boolean;
  /** Only checks the request. */
  isEstimate: boolean;
}

export interface ServiceProfile {
  id: string;
  acceptance: { negative_difference: string; positive_difference: string };
  stablecoinPrecision: number;
  /** Seconds that a quote holds. */
  invoiceExpiration: number;
  /** The key of an on-ramp provider, which sells coins for card payments. */
  onrampApiKey: string | null;
  currencies: readonly ServiceCurrency[];
}

export interface ServiceCurrency {
  kind: string;
  network: string;
  minConfirmations: number;
  /** No new invoice should be made in it for now; the service may still accept one. */
  isUnavailable: boolean;
}

/** The service rejected the request: it certainly did nothing. */
export class ServiceRejection extends Error {
  override name = 'ServiceRejection';
  readonly status: number;
  readonly reason: string | null;
  /** The members of the request that are wrong. */
  readonly errors: readonly { field: string; message: string }[];

  constructor(
    status: number,
    reason: string | null,
    message: string,
    { errors = [], ...options }: ErrorOptions & Partial<Pick<ServiceRejection, 'errors'>> = {},
  ) {
    super(message, options);
    this.status = status;
    this.reason = reason;
    this.errors = errors;
  }
}

/** No definite answer: the request may have been executed. */
export class ServiceOutcomeUnknown extends Error {
  override name = 'ServiceOutcomeUnknown';
}

/** No connection was made, so the request was certainly not executed. */
export class ServiceUnreachable extends ServiceOutcomeUnknown {}
