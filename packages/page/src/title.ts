import { pageName, wordsAfter } from '@crypto-checkout/elements/after';
import { inLocale } from '@crypto-checkout/elements/locale';
import { formatMoney } from '@crypto-checkout/elements/number';
import type { Checkout } from '@crypto-checkout/protocol/checkout';

/** Stages in which nothing has happened yet that a tab in the background would have to tell. */
const CALM = ['choose', 'pay'];

/** What is paid to whom. */
export function nameOf({ merchant, order }: Checkout, language: string): string {
  const amount = order.amount && `${formatMoney(order.amount.amount, language)} ${order.amount.currency}`;
  return [merchant.name, amount, inLocale(language, pageName)].filter(Boolean).join(' · ');
}

/** The same for the browser's tab, which begins with what has happened. */
export function titleOf(checkout: Checkout, language: string): string {
  const { stage } = checkout;
  const news = CALM.includes(stage) ? '' : inLocale(language, () => wordsAfter(stage)?.title ?? '');
  return [news, nameOf(checkout, language)].filter(Boolean).join(' · ');
}
