import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open';
import { type TemplateResult, html, nothing } from 'lit';
import { pageLink } from './link.ts';
import { type Drawn } from './panel.ts';
import { msg } from './locale.ts';

/** Another company's page does what a page does, save leading ours away. The analyzer of templates takes a list of words for one. */
const SANDBOX = 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox' as string as 'allow-forms';

export interface OnrampOptions {
  checkout: Checkout;
  /** Where the buyer opens it. */
  link: string;
  /** The buyer has opened it: nothing of the other company is loaded before. */
  open: boolean;
}

/** The address of the page that sells the coins, when it may be shown now. */
export const onrampOf = ({ onramp, stage }: Checkout): string | undefined =>
  OPEN_STAGES.includes(stage) && onramp && URL.canParse(onramp) ? pageLink(onramp) : undefined;

/** Somebody else's page that sells the coins, below the checkout of the hosted page. Drawn on the server alone: it needs no script of ours. */
export function drawOnramp({ checkout, link, open }: OnrampOptions): Drawn {
  const source = onrampOf(checkout);
  if (!source) return nothing;
  const title = msg('Buy the coins with a card', { id: 'onramp.title' });
  return html`<details id="onramp" ?open=${open}>
    <summary>${title}</summary>
    <p>
      ${msg('Another company sells them and sends them to the shop. Its own prices and terms apply.', { id: 'onramp.text' })}
      <bdi>${new URL(source).hostname}</bdi>
    </p>
    ${open ? drawFrame(source, title) : html`<a href=${link}>${msg('Continue', { id: 'continue' })}</a>`}
  </details>`;
}

const drawFrame = (source: string, title: string): TemplateResult =>
  html`<iframe src=${source} title=${title} sandbox=${SANDBOX} referrerpolicy="no-referrer" allow="payment; camera"></iframe>`;
