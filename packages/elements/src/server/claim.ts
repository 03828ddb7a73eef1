const KEY = 'crypto-checkout-claim-';

/**
 * Keeps the secret that proves later that this browser opened the checkout. On the server's own
 * pages a cookie does this. A browser without storage asks for a refund without proof.
 */
export function keepClaim(id: string, claim: string | null): void {
  try {
    if (claim) localStorage.setItem(KEY + id, claim);
  } catch {
    // Storage is full or forbidden.
  }
}

/** The kept secret of a checkout; null without one. */
export function claimOf(id: string): string | null {
  try {
    return localStorage.getItem(KEY + id);
  } catch {
    return null;
  }
}
