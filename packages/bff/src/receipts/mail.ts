import type { Page } from '@crypto-checkout/page';
import type { Context } from 'hono';
import type { ResolvedCheckout } from '../checkouts/checkout-resolver.ts';
import { HttpError, notFound, unavailable } from '../http/http-error.ts';
import { hasUnverifiedPrice } from '../orders/terms.ts';
import type { Services } from '../services.ts';
import type { ReceiptLimits } from './mail-limits.ts';
import { claimsOf, nameOf, receiptOf, requestFor } from './signed-receipt.ts';

/**
 * Sends the receipt once. The address is neither kept nor logged.
 * @throws HttpError 409 before the order is paid or with an unverified price, 429 beyond the
 * limits, 503 if the mail server did not take it
 */
export async function mailReceipt(
  c: Context,
  services: Services,
  page: Page,
  { target, email, limits }: { target: ResolvedCheckout; email: string; limits: ReceiptLimits },
): Promise<void> {
  const { options, log } = services;
  const { checkout, invoiceId } = target;
  const { mailer } = options;
  if (mailer === undefined) throw notFound();
  if (invoiceId !== null || hasUnverifiedPrice(checkout.record.terms))
    throw new HttpError(409, 'InvalidState', 'The receipt of this order is not sent by e-mail.');
  const receipt = await receiptOf(services, target);
  const claims = claimsOf(receipt);
  await limits.take(checkout, email);
  const { title, text, language } = page.renderReceiptText(requestFor(c, services, claims));
  const outcome = await mailer({
    to: email,
    subject: title,
    text: `${text}\n${options.publicUrl}/pay/${checkout.id}/receipt\n`,
    file: { name: `${nameOf(claims)}.jws`, content: receipt, type: 'application/jose' },
    language,
  });
  if (outcome.type === 'sent') return;
  if (outcome.type === 'unreachable') await limits.giveBack(checkout, email);
  const fields = { event: 'receipt_not_mailed', checkout_id: checkout.id, code: outcome.code };
  log.warn(fields, 'the mail server did not take a receipt');
  throw unavailable();
}
