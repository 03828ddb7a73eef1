import type { Phone } from './table.ts';

/** Which kind of phone or tablet this is; null for everything else. iPads say that they are Macs, which have no touch screen. */
export function phoneHere({ userAgent, maxTouchPoints } = navigator): Phone | null {
  if (/android/i.test(userAgent)) return 'android';
  return /iphone|ipad|ipod/i.test(userAgent) || (/macintosh/i.test(userAgent) && maxTouchPoints > 1) ? 'ios' : null;
}
