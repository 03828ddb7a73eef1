import {
  setControllerLoader,
  setExchangeLoader,
  setHandOffLoader,
  setMarksLoader,
  setPickerLoader,
  setReceiptLoader,
  setRefundLoader,
  setSearchLoader,
  setStatusLoader,
  setThemeLoader,
  setTroubleLoader,
} from '@crypto-checkout/elements/lazy-registry';
import type { Paying } from './paying.ts';

const TOKEN = '--crypto-checkout-accent';

/**
 * The lazy modules of the hosted page. Its own server sets the attributes, so it has no advice for
 * developers.
 */
export const loadPaying = (): Promise<Paying> => import('./paying.ts').then(({ paying }) => paying);
setControllerLoader(loadPaying);
setHandOffLoader(loadPaying);
setMarksLoader(loadPaying);
setPickerLoader(async () => {
  const module = await loadPaying();
  await module.loadPickerSheet();
  return module;
});
setStatusLoader(loadPaying);
setTroubleLoader(() => import('@crypto-checkout/elements/trouble'));
setExchangeLoader(() => import('@crypto-checkout/elements/exchange'));
setReceiptLoader(() => import('@crypto-checkout/elements/receipt'));
setSearchLoader(() => import('@crypto-checkout/elements/search'));
setRefundLoader(() => import('@crypto-checkout/elements/refund'));

const element = document.querySelector('crypto-checkout');
// Only a shop's own colours may be unreadable; in a frame they arrive later.
if (
  document.documentElement.hasAttribute('data-frame') ||
  (element && getComputedStyle(element).getPropertyValue(TOKEN))
)
  setThemeLoader(() => import('@crypto-checkout/elements/theme'));
