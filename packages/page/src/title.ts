import { pageName, statusTexts, troubleIn } from '@crypto-checkout/elements/status';
import { inLocale } from '@crypto-checkout/elements/locale';
import { formatPrice } from '@crypto-checkout/elements/number';
import type { Checkout } from '@crypto-checkout/protocol/checkout';

/** Stages without news for a tab in the background. */
const CALM = ['choose', 'pay'];

/** The amount and the merchant. */
export function nameOf({ merchant, order }: Checkout, language: string): string {
  const amount = order.amount && formatPrice(order.amount, language);
  return [merchant.name, amount, inLocale(language, pageName)].filter(Boolean).join(' · ');
}

/** The title of the browser's tab, which begins with the news. */
export function titleOf(checkout: Checkout, language: string): string {
  const news = inLocale(language, () => {
    const head = troubleIn(checkout)?.headOf(checkout, false, language);
    const stage = head?.stage ?? checkout.stage;
    return head?.heading || (CALM.includes(stage) ? '' : statusTexts(stage)?.title);
  });
  return [news, nameOf(checkout, language)].filter(Boolean).join(' · ');
}
