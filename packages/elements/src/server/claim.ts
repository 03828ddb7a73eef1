import { heldClaims, newClaims } from './checkout-server.ts';

const KEY = 'crypto-checkout-claims';
/** Later requests for money back are unproven; a shop's page keeps no list that grows for ever. */
const MAX_CLAIMS = 50;
const MAX_AGE_MS = 400 * 24 * 3_600_000;

/** Newest first: id of the checkout, its secret, and the time. */
type Claim = readonly [id: string, secret: string, time: number];

/**
 * Keeps the secrets that prove later that this browser opened a checkout. On the server's own pages
 * a cookie does this. A browser without storage has them until the page is closed, and asks for a
 * refund without proof then.
 */
export function keepClaims(): void {
  for (const [id, secret] of newClaims) keep(id, secret);
  newClaims.clear();
}

function keep(id: string, secret: string): void {
  const others = readClaims().filter((claim) => claim[0] !== id);
  const claims: Claim[] = [[id, secret, Date.now()], ...others];
  try {
    localStorage.setItem(KEY, JSON.stringify(claims.slice(0, MAX_CLAIMS)));
  } catch {
    // Storage is full or forbidden.
    heldClaims.set(id, secret);
  }
}

/** The kept secret of a checkout; null without one. */
export function claimOf(id: string): string | null {
  keepClaims();
  return heldClaims.get(id) ?? readClaims().find((claim) => claim[0] === id)?.[1] ?? null;
}

/** The claims that are not too old. Other scripts of the page may have written anything. */
function readClaims(): Claim[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return (kept as Claim[]).filter(([, , time]) => time > Date.now() - MAX_AGE_MS);
  } catch {
    return [];
  }
}
