import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutHost } from '../core/contracts.ts';
import { dialogRootOf, speakIn } from './live-region.ts';
import { changeAnnouncement } from './announcement.ts';

/** The view of the last spoken announcement, while a later one is pending. */
const lastHeard = new WeakMap<CheckoutHost, Checkout>();

/**
 * Announces a change. An announcement that is replaced before it is spoken is merged: the next one
 * covers everything since the last spoken view.
 */
export function announce(host: CheckoutHost, before: Checkout, next: Checkout): void {
  // The framed page announces its changes itself, unless it is hidden in a closed dialog.
  if (host.mode === 'frame' && !dialogRootOf(host)) return;
  const waits = lastHeard.get(host);
  const since = waits?.id === next.id ? waits : before;
  lastHeard.set(host, since);
  void speakIn(host, () => changeAnnouncement(since, next, host.language), {
    about: 'news',
    onSpoken: () => lastHeard.delete(host),
  });
}
