import type { SvelteHTMLElements } from 'svelte/elements';

type Props = SvelteHTMLElements['crypto-checkout'];

export const props: Props = {
  server: 'https://pay.example',
  order: 'token',
  theme: 'dark',
  class: 'pay',
  'oncheckout-paid': ({ checkout }) => checkout.order.order_id,
  'on:checkout-change': ({ from, to }) => from + to,
};
// @ts-expect-error -- there is no such theme
export const wrong: Props = { theme: 'pink' };
// @ts-expect-error -- there is no such event
export const misspelt: Props = { 'oncheckout-payed': () => {} };
