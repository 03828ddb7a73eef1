import type { Checkout } from '@crypto-checkout/protocol/checkout';

/**
 * What a shop's page (the host) and our page in its frame (the guest) say to each other. The guest begins: `hello` with a random
 * nonce, by `postMessage`. The host answers `welcome` with the same nonce and one end of a channel; all the rest goes through it.
 */

/** Told apart by it from whatever else is posted between windows. */
export const NAME = 'crypto-checkout';

/** Grows when a message changes its meaning. Neither side talks to another version. */
export const VERSION = 1;

/** How long a frame may be silent before the buyer gets a link instead. */
export const SILENCE_MS = 5000;

/** From one window to the other, once for each document in the frame. */
export interface Greeting {
  name: typeof NAME;
  v: typeof VERSION;
  type: 'hello' | 'welcome';
  /** Ties an answer to the document that asked: a frame may have gone on to another one. */
  nonce: string;
}

/** What the guest says through the channel. */
export type GuestMessage =
  | { v: typeof VERSION; type: 'ready' }
  /** How high it is, in CSS pixels. */
  | { v: typeof VERSION; type: 'size'; height: number }
  | { v: typeof VERSION; type: 'checkout'; checkout: Checkout }
  | { v: typeof VERSION; type: 'error'; code: string; message: string }
  /** It is time to go back to the shop: after paying, or because the buyer has followed a link (`asked`). */
  | { v: typeof VERSION; type: 'leave'; href: string; asked: boolean }
  /** The Escape key, which closes a dialog around the frame. */
  | { v: typeof VERSION; type: 'escape' };

/** What the host says through it. */
export interface HostMessage {
  v: typeof VERSION;
  type: 'look';
  theme: string;
  /** Custom properties with their values. */
  tokens: Record<string, string>;
}

/** What each custom property that goes into the frame sets. */
const PROPERTY: Readonly<Record<string, string>> = {
  accent: 'color',
  background: 'color',
  text: 'color',
  success: 'color',
  warning: 'color',
  danger: 'color',
  radius: 'border-radius',
  font: 'font',
  'font-mono': 'font-family',
  'qr-size': 'inline-size',
};
export const PREFIX = '--crypto-checkout-';

/** The custom properties that go into the frame. */
export const TOKENS: readonly string[] = Object.keys(PROPERTY).map((name) => PREFIX + name);

/** The property of CSS that a custom property sets. */
export const propertyOf = (name: string): string => PROPERTY[name.slice(PREFIX.length)]!;

/** Whether it is a value of what it sets. */
export const isValue = (name: string, value: string): boolean => CSS.supports(propertyOf(name), value);

/** A value of that property and nothing else: no address, no other property, no end of the declaration. */
export const isToken = (name: string, value: string): boolean =>
  value.length <= 200 && /^[#\w\s.,%()/+*"'-]+$/.test(value) && !/url|var|env|attr|image/i.test(value) && isValue(name, value);

/** Whether these are the words of the same protocol. */
export const isGreeting = (data: unknown, type: Greeting['type']): data is Greeting => {
  const { name, v, type: own, nonce } = (data ?? {}) as Partial<Greeting>;
  return name === NAME && v === VERSION && own === type && typeof nonce === 'string' && /^[\da-f]{32}$/.test(nonce);
};
