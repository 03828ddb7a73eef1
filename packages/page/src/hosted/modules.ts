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
} from '@crypto-checkout/elements/lazy-registry';

const TOKEN = '--crypto-checkout-accent';

/**
 * The lazy modules of the hosted page. Its own server sets the attributes, so it has no advice for
 * developers.
 */
export const paying = () => import('./paying.ts');
setControllerLoader(paying);
setHandOffLoader(paying);
setMarksLoader(paying);
setPickerLoader(paying);
setStatusLoader(paying);
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
