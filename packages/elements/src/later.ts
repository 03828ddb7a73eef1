import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type * as module from './after.ts';

export type After = typeof module;

let after: After | undefined;
let loading: Promise<After | undefined> | undefined;

/** What is drawn after paying, and when something went another way; undefined until it is fetched. */
export const later = (): After | undefined => after;

/** Makes it usable at once: for servers, which draw every stage. */
export function provideAfter(module: After): void {
  after = module;
}

/** Fetches it: while the buyer pays, so that it is there when the payment is seen. What failed is tried again at the next need. */
export const loadAfter = (): Promise<After | undefined> =>
  (loading ??= import('./after.ts').then(
    (module) => (after = module),
    () => (loading = undefined),
  ));

/** Choosing and paying need nothing more; server and browser must agree on it. */
export const needsAfter = ({ stage, notes, coins, payment }: Checkout): boolean =>
  (stage === 'choose' ? !coins.length : stage !== 'pay') ||
  notes.some((note) => note !== 'test_network') ||
  Boolean(payment?.transactions.length);
