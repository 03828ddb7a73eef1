import type { InvoiceExpiration } from '@crypto-checkout/protocol/schema/invoice';
import type { ServiceInvoice, ServiceTransaction } from '../checkout/record.ts';

/** The payment service as checkouts need it, whoever runs it. Everything it says has been checked for form. */
export interface Service {
  createInvoice(order: NewInvoice): Promise<ServiceInvoice>;
  /** Null when there is no such invoice. */
  invoice(id: string): Promise<ServiceInvoice | null>;
  /** One page of the profile's invoices, newest first; null beyond the last. */
  invoices(page: number): Promise<ServiceInvoice[] | null>;
  /** Null when the service can't renew. */
  renewInvoice(id: string, options: { extend: boolean }): Promise<ServiceInvoice | null>;
  transactions(invoiceId: string): Promise<ServiceTransaction[]>;
  profile(): Promise<ServiceProfile>;
  /** US dollars for one of each symbol, as decimal strings. */
  rates(): Promise<ReadonlyMap<string, string>>;
  /** How many milliseconds the service's clock is ahead of ours, by its `Date` headers. */
  offset(): number;
}

export interface NewInvoice {
  kind: string;
  amount: string;
  currency: string;
  passthrough: string | null;
  notes: string | null;
  /** How long its price holds, where not as long as the profile says; a service without our extensions ignores it. */
  expirationSeconds: InvoiceExpiration | null;
}

export interface ServiceProfile {
  id: string;
  acceptance: { negative_difference: string; positive_difference: string };
  stablecoinPrecision: number;
  /** How long a price holds. */
  invoiceExpiration: number;
  /** Of somebody who sells coins for card payments. */
  onrampApiKey: string | null;
  currencies: readonly { kind: string; network: string; minConfirmations: number }[];
}

/** The service said no, for certain: nothing was done. */
export class ServiceRefusal extends Error {
  override name = 'ServiceRefusal';
  readonly status: number;
  readonly reason: string | null;

  constructor(status: number, reason: string | null, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }
}

/** No answer, or one that says nothing certain: what was asked for may have been done. */
export class ServiceUnknown extends Error {
  override name = 'ServiceUnknown';
}
