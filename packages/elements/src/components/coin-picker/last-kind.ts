/** Local storage key of the last kind. Nothing else is stored, and it is never sent. */
const STORAGE_KEY = 'crypto-checkout-kind';

/** Reads or stores the kind that was picked last. Storage may be blocked. */
export function lastKind(kind?: string): string | null {
  try {
    if (kind) localStorage.setItem(STORAGE_KEY, kind);
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}
