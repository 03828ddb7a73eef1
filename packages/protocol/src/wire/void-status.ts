const VOID: readonly string[] = ['failed', 'replaced', 'dropped'];

/**
 * Whether a transaction in this status pays nothing. `dropped` is not a status of the API, which
 * still reports such a transaction as pending: no node has it any more, and its invoice no longer
 * counts it. It can still arrive.
 */
export const isVoidStatus = (status: string): boolean => VOID.includes(status);
