import type { CheckoutMerchant } from '@crypto-checkout/protocol/checkout';
import { html, nothing } from 'lit';
import type { Drawn } from '../../core/panel.ts';
import { pageLink } from '../../server/safe-link.ts';

/**
 * Draws the shop's logo beside its name. As an image it runs nothing; where a page forbids images,
 * or it cannot be loaded, the name stands alone.
 */
export const drawLogo = ({ logo }: CheckoutMerchant): Drawn =>
  pageLink(logo)
    ? html`<img
        part="logo"
        alt=""
        height="28"
        decoding="async"
        src=${logo}
        @error=${(event: Event) => (event.target as HTMLElement).remove()}
      />`
    : nothing;
