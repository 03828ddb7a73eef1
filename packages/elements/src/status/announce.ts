import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutHost } from '../core/contracts.ts';
import { loadTroubleOf } from '../core/trouble.ts';
import { dialogRootOf, speakIn } from './live-region.ts';
import { changeAnnouncement } from './announcement.ts';

/** The view of the last spoken announcement, while a later one is pending. */
const lastHeard = new WeakMap<CheckoutHost, Checkout>();

/** The newest view of each host: an older one may still wait for the words of its trouble. */
const newest = new WeakMap<CheckoutHost, Checkout>();

/**
 * Announces a change. An announcement that is replaced before it is spoken is merged: the next one
 * covers everything since the last spoken view.
 */
export async function announce(
  host: CheckoutHost,
  before: Checkout,
  next: Checkout,
): Promise<void> {
  // The framed page announces its changes itself, unless it is hidden in a closed dialog.
  if (host.mode === 'frame' && !dialogRootOf(host)) return;
  const waits = lastHeard.get(host);
  const since = waits?.id === next.id ? waits : before;
  lastHeard.set(host, since);
  newest.set(host, next);
  await (loadTroubleOf(since) ?? loadTroubleOf(next));
  if (newest.get(host) !== next) return;
  void speakIn(host, () => changeAnnouncement(since, next, host.language), {
    about: 'news',
    onSpoken: () => lastHeard.delete(host),
  });
}
