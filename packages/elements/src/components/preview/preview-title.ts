import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { msg, str } from '../../i18n/locale.ts';
import { formatPrice } from '../../i18n/number.ts';

/** Stages in which a payment link asks for money. */
const ASKING = ['choose', 'pay'];

/**
 * The title of a link preview: `Pay Quay & Co. $18.50`. Null when there is nothing to pay. Only for
 * servers: previews read no scripts.
 */
export function previewTitle(
  { stage, merchant, order }: Checkout,
  language: string,
): string | null {
  if (!ASKING.includes(stage) || !order.amount) return null;
  const name = `${merchant.name} ${formatPrice(order.amount, language)}`;
  return msg(str`Pay ${name}`, { id: 'page.pay' });
}
