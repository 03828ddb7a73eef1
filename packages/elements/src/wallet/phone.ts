import type { Phone } from './wallets.ts';

/**
 * Detects phones and tablets; null for other devices. iPads identify as Macs, which have no touch
 * screen.
 */
export function phoneHere({ userAgent, maxTouchPoints } = navigator): Phone | null {
  if (/android/i.test(userAgent)) return 'android';
  return /iphone|ipad|ipod/i.test(userAgent) || (/macintosh/i.test(userAgent) && maxTouchPoints > 1)
    ? 'ios'
    : null;
}
