/** Stages in which a payment is asked for, as long as its price holds. A file of its own: the first script of a page needs nothing else. */
export const OPEN_STAGES: readonly string[] = ['pay', 'underpaid', 'failed'];
