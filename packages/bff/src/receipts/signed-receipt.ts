import { isPaidStage } from '@crypto-checkout/protocol/checkout';
import { fromBase64Url } from '@crypto-checkout/protocol/bytes';
import { type Receipt, receiptClaims } from '@crypto-checkout/protocol/schema/receipt';
import type { Context } from 'hono';
import type { ResolvedCheckout } from '../checkouts/checkout-resolver.ts';
import { HttpError, unavailable } from '../http/http-error.ts';
import type { Services } from '../services.ts';

/** The receipt of the invoice that was paid last; it names the payments of the others. */
export async function receiptOf(services: Services, target: ResolvedCheckout): Promise<string> {
  const { checkout, invoiceId } = target;
  await services.freshness.ensureFresh(checkout);
  const paid = checkout.record.invoices.filter(
    ({ id, status }) => isPaidStage(status) && (invoiceId === null || id === invoiceId),
  );
  const newest = paid.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))[0];
  const receipt = newest && (await services.service.receipt(newest.id));
  if (receipt) return receipt;
  throw new HttpError(
    409,
    'InvalidState',
    'There is a signed receipt once an invoice is paid in full and in time by itself.',
  );
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
