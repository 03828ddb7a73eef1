import type { GlobalComponents } from 'vue';

type Props = InstanceType<GlobalComponents['crypto-checkout']>['$props'];

export const props: Props = {
  server: 'https://pay.example',
  order: 'token',
  theme: 'dark',
  class: 'pay',
  onCheckoutPaid: ({ checkout }) => checkout.order.order_id,
  onCheckoutChange: ({ from, to }) => from + to,
};
// @ts-expect-error -- there is no such theme
export const wrong: Props = { theme: 'pink' };
// @ts-expect-error -- `checkout` is what is shown, read-only: the id is `checkoutId`
export const readonly: Props = { checkout: 'c8e1' };
