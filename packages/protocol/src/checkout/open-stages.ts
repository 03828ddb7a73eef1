/**
 * Stages that ask for a payment while its quote is valid. A file of its own, because a page's first
 * script needs nothing else.
 */
export const OPEN_STAGES: readonly string[] = ['pay', 'underpaid', 'failed'];
