import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CryptoCheckout } from '../checkout.ts';
import { besideOf, speakFor } from '../voice.ts';
import { newsOf } from './news.ts';

/** The view that the buyer has heard of, while news of a later one wait to be said. */
const heard = new WeakMap<CryptoCheckout, Checkout>();

/**
 * Has a reader hear what is new. News that are overtaken before they are said are told as one change: where the payment stands, and all
 * that has happened since the reader heard of it.
 */
export function announce(host: CryptoCheckout, before: Checkout, next: Checkout): void {
  // In a frame the page in it tells them, for as long as it is there for a reader.
  if (host.mode === 'frame' && !besideOf(host)) return;
  const waits = heard.get(host);
  const since = waits?.id === next.id ? waits : before;
  heard.set(host, since);
  void speakFor(host, () => newsOf(since, next, host.language), { about: 'news', onSaid: () => heard.delete(host) });
}
