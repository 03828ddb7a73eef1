/** The hosted page, and the checkout element rendered on a shop's own server. */
export { createPage } from './page.ts';
export type { MessageRequest, Page, PageOptions, PageRequest, PageResponse } from './page.ts';
export { chooseReader, isTerminal } from './reader.ts';
export type { Reader } from './reader.ts';
export { renderCheckout } from './render-checkout.ts';
export type { CheckoutMarkup, RenderCheckoutOptions } from './render-checkout.ts';
export type { ElementFiles } from './scripts.ts';
