import { fromBase64Url } from '@crypto-checkout/protocol/bytes';
import { type Receipt, receiptClaims } from '@crypto-checkout/protocol/schema/receipt';
import type { Context } from 'hono';
import type { ResolvedCheckout } from '../checkouts/checkout-resolver.ts';
import { HttpError, unavailable } from '../http/http-error.ts';
import type { Services } from '../services.ts';
import { signedInvoice } from './signed-invoice.ts';

/** The receipt of the newest invoice that has one; it names the payments of the others. */
export async function receiptOf(services: Services, target: ResolvedCheckout): Promise<string> {
  const { checkout, invoiceId } = target;
  await services.freshness.ensureFresh(checkout);
  const invoice = signedInvoice(checkout.record, services.stateContext(), invoiceId);
  const receipt = invoice && (await services.service.receipt(invoice.id));
  if (receipt) return receipt;
  throw new HttpError(409, 'InvalidState', 'The service signs a receipt once the order is paid.');
}

/** The claims as the service signed them; a reader verifies the signature with its own keys. */
export function claimsOf(receipt: string): Receipt {
  const payload = fromBase64Url(receipt.split('.')[1] ?? '');
  try {
    return receiptClaims.parse(JSON.parse(new TextDecoder().decode(payload ?? undefined)));
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** The name of its files, without an ending. */
export const nameOf = ({ order_id, invoice_id }: Receipt): string =>
  `receipt-${(order_id ?? invoice_id).replaceAll(/[^\w.-]+/g, '-')}`;

/** The receipt as the page draws it. */
export const requestFor = (c: Context, { options }: Services, claims: Receipt) => ({
  claims,
  merchantName: options.merchantName ?? new URL(options.publicUrl).hostname,
  acceptLanguage: c.req.header('accept-language') ?? null,
  lang: c.req.query('lang') ?? null,
  secure: options.publicUrl.startsWith('https:'),
});
