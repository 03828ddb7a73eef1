import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { html, nothing } from 'lit';
import type { Drawn } from '../core/panel.ts';
import '../components/copy/copy-list.ts';
import { msg, str } from '../i18n/locale.ts';

/**
 * Draws the answers to the questions of an exchange about the recipient, each to copy. Exchanges
 * must ask them by law (FATF recommendation 16).
 */
export function drawRecipient({ merchant, order }: Checkout, language: string): Drawn {
  const { legal } = merchant;
  if (!legal) return nothing;
  const { name, address, country } = legal;
  const answers: [label: string, value: string | null][] = [
    [msg('Recipient', { id: 'recipient.kind' }), msg('A company', { id: 'recipient.company' })],
    [
      msg('Wallet', { id: 'recipient.wallet' }),
      msg('The company’s own wallet, not yours', { id: 'recipient.own' }),
    ],
    [msg('Company name', { id: 'recipient.name' }), name],
    [msg('Company address', { id: 'recipient.address' }), address],
    [msg('Country', { id: 'recipient.country' }), countryName(country, language)],
    [
      msg('Purpose', { id: 'recipient.purpose' }),
      order.order_id && msg(str`Payment for order ${order.order_id}`, { id: 'recipient.order' }),
    ],
  ];
  return html`<details part="recipient" ?open=${legal.asked}>
    <summary>${msg('Your exchange may ask', { id: 'recipient.title' })}</summary>
    <crypto-copy-list
      .entries=${answers.flatMap(([label, value]) => (value ? [{ label, value }] : []))}
    ></crypto-copy-list>
  </details>`;
}

/** A code that is none is drawn as it is. */
function countryName(country: string | null, language: string): string | null {
  if (!country || !/^[A-Z]{2}$/.test(country)) return country;
  return new Intl.DisplayNames([language], { type: 'region' }).of(country) ?? country;
}
