import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { type TemplateResult, html, nothing } from 'lit';
import { pageLink } from '../../server/safe-link.ts';
import type { Drawn } from '../../core/panel.ts';
import { msg, str } from '../../i18n/locale.ts';

/**
 * Everything but navigating our page. The cast is for lit-analyzer, which checks the whole list as
 * one keyword.
 */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox' as string as 'allow-forms';

export interface OnrampOptions {
  checkout: Checkout;
  /** The page with the widget open. */
  link: string;
  /** Nothing of the other company is loaded before the buyer opens it. */
  open: boolean;
}

/** Address of the on-ramp, while the payment is open. */
export const onrampOf = ({ onramp, stage }: Checkout): string | undefined =>
  OPEN_STAGES.includes(stage) && onramp && URL.canParse(onramp) ? pageLink(onramp) : undefined;

/**
 * Draws another company's page that sells coins, below the hosted checkout. Server only, without a
 * script.
 */
export function drawOnramp({ checkout, link, open }: OnrampOptions): Drawn {
  const source = onrampOf(checkout);
  if (!source) return nothing;
  const title = msg('Buy the coins with a card', { id: 'onramp.title' });
  const host = new URL(source).hostname;
  return html`<details id="onramp" ?open=${open}>
    <summary>${title}</summary>
    <p>
      ${msg(str`Sold by ${host}, which sends them straight to the shop. Its prices and terms apply.`, { id: 'onramp.text' })}
    </p>
    ${open ? drawFrame(source, title) : html`<a href=${link}>${msg('Continue', { id: 'continue' })}</a>`}
  </details>`;
}

// On one line, because this whitespace would also be sent by servers.
// prettier-ignore
const drawFrame = (source: string, title: string): TemplateResult =>
  html`<iframe src=${source} title=${title} sandbox=${SANDBOX} referrerpolicy="no-referrer" allow="payment; camera"></iframe>`;
