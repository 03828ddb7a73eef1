/** The redirect to the shop after payment; loaded once an order with a success page is paid. */
import type { CheckoutHost } from '../core/contracts.ts';
import { msg } from '../i18n/locale.ts';
import { cancelSpeech, speakIn } from './live-region.ts';
import { leaving, linkAfterPaid, redirectText } from './return-to-shop.ts';

/**
 * Time to hear the announcement and to cancel with one key (WCAG 2.2.1). The link continues at
 * once.
 */
const REDIRECT_SECONDS = 20;
const LONGEST_SECONDS = 60;

/** Seconds until the redirect, as the shop's page asks for; null for none. */
function redirectSeconds(wanted: string | null | undefined): number | null {
  if (wanted === 'off') return null;
  if (wanted === 'now') return 0;
  const seconds = /^\d+$/.test(wanted ?? '') ? Number(wanted) : REDIRECT_SECONDS;
  return Math.min(Math.max(seconds, REDIRECT_SECONDS), LONGEST_SECONDS);
}

/**
 * Redirects the buyer to the shop after a delay, unless the page prevents it, the buyer interacts
 * or closes the dialog, or the buyer needs to contact the shop.
 */
export function startRedirect(host: CheckoutHost, close: () => boolean): void {
  const linkOf = (): string | undefined => linkAfterPaid(host.checkout);
  const link = linkOf();
  const wait = redirectSeconds(host.redirectAfter);
  // An invisible checkout cannot be cancelled.
  if (!link || wait === null || !isShown(host)) return;
  if (!wait) {
    if (close()) location.assign(link);
    return;
  }
  const hold = (): void => clearInterval(timer);
  const end = (): void => {
    hold();
    host.removeEventListener('click', stay);
    host.removeEventListener('checkout-change', look);
    leaving.delete(host);
    cancelSpeech(host.renderRoot, 'leaving');
    host.requestUpdate();
  };
  const stay = (): void => {
    end();
    host.say(() => msg('You stay on this page.', { id: 'success.stayed' }));
  };
  // A closed dialog cancels the redirect; so does a payment that is no longer paid.
  const isOn = (): boolean => host.isConnected && isShown(host) && linkOf() === link;
  const look = (): void => void (isOn() || end());
  const going = { seconds: wait, hold, stay };
  const timer = setInterval(() => {
    going.seconds -= 1;
    host.requestUpdate();
    const goes = isOn();
    if (goes && going.seconds > 0) return;
    end();
    if (goes && close()) location.assign(link);
  }, 1000);
  host.addEventListener('click', stay);
  host.addEventListener('checkout-change', look);
  leaving.set(host, going);
  host.requestUpdate();
  void speakIn(host, () => redirectText(wait, host.language), { about: 'leaving' });
}

/** Whether the checkout is visible; the host itself may have no box (`display: contents`). */
const isShown = ({ renderRoot }: CheckoutHost): boolean =>
  Boolean(renderRoot.querySelector('[part=base]')?.getClientRects().length);
