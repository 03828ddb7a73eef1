import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutHost } from '../core/contracts.ts';
import type { Failure } from '../server/checkout-server.ts';
import type { CheckoutSource, SourceListener } from '../server/source.ts';
import { prove } from './prove.ts';

/** A source whose views have passed the element's `proof-key`; the others are failures. */
export function provenSource(host: CheckoutHost, source: CheckoutSource): CheckoutSource {
  /** Views are passed on in their order. */
  let last = Promise.resolve();
  /** Reported once until a view is proven again. */
  let failed = false;
  /** Incremented by `stop`: a view that is proven later is not passed on. */
  let round = 0;
  async function pass(view: Checkout, on: SourceListener, asked: number): Promise<void> {
    try {
      const checkout = await prove(host, view);
      if (asked !== round) return;
      failed = false;
      on.checkout(checkout);
    } catch (error) {
      if (!failed && asked === round) on.failure(error as Failure);
      failed = true;
    }
  }
  const listener = (on: SourceListener, asked = round): SourceListener => ({
    connection: (lost) => on.connection(lost),
    failure: (error) => on.failure(error),
    checkout(view) {
      last = last.then(() => pass(view, on, asked));
    },
  });
  return {
    open: async () => prove(host, await source.open()),
    post: async (what, body) => prove(host, await source.post(what, body)),
    follow: (on, final) => source.follow(listener(on), final),
    refresh: () => source.refresh(),
    stop() {
      round += 1;
      source.stop();
    },
  };
}
