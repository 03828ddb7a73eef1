const GONE: readonly string[] = ['failed', 'replaced', 'dropped'];

/**
 * Whether a transaction in this status brings nothing. `dropped` is no status of the API, which goes on calling such a transaction
 * pending: no node knows it any more, and its invoice no longer counts it. It may still come.
 */
export const isGone = (status: string): boolean => GONE.includes(status);
