import type { DetailedHTMLProps, HTMLAttributes } from 'react';

type CheckoutChangeEvent = Event & {
  from: string;
  to: string;
  checkout: { stage: string; order: { order_id: string } };
};

// The element comes from the checkout server's script; the package's `types/react` has complete
// types.
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'crypto-checkout': DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & {
        server: string;
        order: string;
      };
    }
  }
}

declare global {
  interface HTMLElementEventMap {
    'checkout-change': CheckoutChangeEvent;
    'checkout-paid': CheckoutChangeEvent;
  }
}
