import type { Hmac } from '@crypto-checkout/protocol/signature';
import { type Envelope, envelopeMatches, openEnvelope } from '../../orders/envelope.ts';
import type { ServiceInvoice } from '../../service/schema.ts';
import { type Service, ServiceOutcomeUnknown } from '../../service/service.ts';

export interface ScanOptions {
  service: Service;
  orderSecret: string;
  envelopeKey: Promise<Uint8Array>;
  hmac: Hmac;
  /** Resolves when the budget has room for one more page. */
  whenRoom: () => Promise<void>;
}

/** An invoice of an order, and the envelope that proves it. */
export interface OrderInvoice {
  invoice: ServiceInvoice;
  envelope: Envelope;
}

/** A million invoices. */
const MAX_PAGES = 40_000;

/**
 * Reads all invoices of the profile, newest first, and yields those of orders, a page at a time.
 * New invoices move others to later pages, so one may come twice, but none is missed.
 * @throws ServiceOutcomeUnknown when the list cannot be read whole
 */
export async function* scanInvoices(options: ScanOptions): AsyncGenerator<OrderInvoice[]> {
  const { service, orderSecret, envelopeKey, hmac, whenRoom } = options;
  const key = await envelopeKey;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    await whenRoom();
    const invoices = await service.invoices(page);
    // A service without any list would make every order look unpaid.
    if (invoices === null && page === 1)
      throw new ServiceOutcomeUnknown('the service has no list of invoices');
    if (invoices === null || invoices.length === 0) return;
    const found: OrderInvoice[] = [];
    for (const invoice of invoices) {
      const envelope = await openEnvelope(invoice.passthrough, key, hmac);
      if (envelope && (await envelopeMatches(envelope, invoice, orderSecret, hmac)))
        found.push({ invoice, envelope });
    }
    yield found;
  }
  throw new ServiceOutcomeUnknown('the list of invoices is too long');
}
