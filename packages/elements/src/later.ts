import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type * as afterModule from './after.ts';
import type * as attendModule from './attend.ts';
import type * as frameModule from './frame.ts';
import type * as handOffModule from './hand-off.ts';
import type * as pickerModule from './picker.ts';

export type After = typeof afterModule;
export type HandOff = typeof handOffModule;
export type Picker = typeof pickerModule;

/** A file that is fetched while the buyer reads, so that it is there when it is needed. */
function lazy<T>(load: () => Promise<T>) {
  let here: T | undefined;
  let loading: Promise<T | undefined> | undefined;
  return {
    here: (): T | undefined => here,
    provide: (module: T): void => void (here = module),
    // What failed is tried again at the next need.
    load: (): Promise<T | undefined> =>
      (loading ??= here
        ? Promise.resolve(here)
        : load().then(
            (module) => (here = module),
            () => (loading = undefined),
          )),
  };
}

/** What is drawn after paying, and when something went another way; undefined until it is fetched. */
export const { here: later, provide: provideAfter, load: loadAfter } = lazy<After>(() => import('./after.ts'));

/** Ways to hand the payment to a wallet or to somebody else; undefined until it is fetched. */
export const { here: handOff, provide: provideHandOff, load: loadHandOff } = lazy<HandOff>(() => import('./hand-off.ts'));

/** The list of coins, which a checkout that is being paid does without; undefined until it is fetched. */
export const { here: picker, provide: providePicker, load: loadPicker } = lazy<Picker>(() => import('./picker.ts'));

/** What looks after a checkout once it is on the screen. */
export const { load: loadAttend } = lazy<typeof attendModule>(() => import('./attend.ts'));

/** The payment in a frame, for shops that want it; undefined until it is fetched. */
export const { here: frame, load: loadFrame } = lazy<typeof frameModule>(() => import('./frame.ts'));

/** Choosing and paying need nothing more; server and browser must agree on it. */
export const needsAfter = ({ stage, notes, coins, payment, received }: Checkout): boolean =>
  (stage === 'choose' ? !coins.length : stage !== 'pay') ||
  payment?.from === 'exchange' ||
  notes.some((note) => note !== 'test_network') ||
  received.length > 0;
