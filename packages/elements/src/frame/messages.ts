import type { Checkout } from '@crypto-checkout/protocol/checkout';
export { heldClaims, postHeaders } from '../server/checkout-server.ts';
export { TOKENS, isToken } from '../styles/custom-properties.ts';

/**
 * Protocol between a shop's page (host) and our page in its frame (guest). The guest posts `hello`
 * with a random nonce. The host answers `welcome` with the same nonce and one end of a message
 * channel, which carries everything else.
 */

/** Identifies our messages among others between windows. */
export const NAME = 'crypto-checkout';

/** Incremented when a message changes its meaning. Versions are not mixed. */
export const VERSION = 1;

/** Time limit for the frame's greeting before a link replaces it. */
export const SILENCE_MS = 5000;

/** Posted between the windows, once for each document in the frame. */
export interface Greeting {
  name: typeof NAME;
  v: typeof VERSION;
  type: 'hello' | 'welcome';
  /** Ties an answer to the document that asked: the frame may have navigated. */
  nonce: string;
}

/** Messages from the guest. */
export type GuestMessage =
  | { v: typeof VERSION; type: 'ready' }
  /** Height in CSS pixels. */
  | { v: typeof VERSION; type: 'size'; height: number }
  | { v: typeof VERSION; type: 'checkout'; checkout: Checkout }
  | { v: typeof VERSION; type: 'error'; code: string; message: string }
  /** Return to the shop: after paying, or because the buyer followed a link (`asked`). */
  | { v: typeof VERSION; type: 'leave'; href: string; asked: boolean }
  /** The Escape key, which closes a dialog around the frame. */
  | { v: typeof VERSION; type: 'escape' }
  | Claim;

/** Messages from the host. */
export type HostMessage = HostLook | Claim;

/**
 * The secret that proves that this browser is the buyer's. The host keeps it, because a browser
 * keeps nothing for a frame of another site.
 */
export interface Claim {
  v: typeof VERSION;
  type: 'claim';
  claim: string;
}

export interface HostLook {
  v: typeof VERSION;
  type: 'look';
  theme: string;
  /** Custom properties with their values. */
  tokens: Record<string, string>;
  /** As the attributes `header` and `redirect-after`. */
  header?: string;
  redirectAfter?: string;
}

/** Whether this is a greeting of the same protocol version. */
export const isGreeting = (data: unknown, type: Greeting['type']): data is Greeting => {
  const { name, v, type: own, nonce } = (data ?? {}) as Partial<Greeting>;
  return (
    name === NAME &&
    v === VERSION &&
    own === type &&
    typeof nonce === 'string' &&
    /^[\da-f]{32}$/.test(nonce)
  );
};
