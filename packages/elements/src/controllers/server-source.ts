import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { LiveUpdates } from './live-updates.ts';
import {
  type CheckoutLocation,
  addressOf,
  ask,
  openCheckout,
  post,
} from '../server/checkout-server.ts';
import type { SourceListener, CheckoutSource } from '../server/source.ts';

/** The checkout server as a source. */
export class ServerSource implements CheckoutSource {
  #location: CheckoutLocation;
  readonly #live = new LiveUpdates();
  #following = false;
  /** The first view, as the server sent it. */
  #opened: Checkout | undefined;

  /** @param place The checkout to open. Once it is open, its own id counts. */
  constructor(location: CheckoutLocation) {
    this.#location = location;
  }

  async open(): Promise<Checkout> {
    const checkout = await openCheckout(this.#location);
    this.#location = { server: this.#location.server, id: checkout.id };
    return (this.#opened = checkout);
  }

  async post(what: string, body: object): Promise<Checkout> {
    const { version: before, isDelivering } = this.#live;
    const request = post(body);
    // The stream delivers the change as well: it need not come twice.
    if (isDelivering) request.headers['prefer'] = 'return=minimal';
    const { checkout, version } = await ask(`${this.#here}/${what}`, request);
    return checkout ?? this.#live.atVersion(version || before + 1);
  }

  follow(on: SourceListener, final = false, known = this.#opened): void {
    if (this.#following) return this.#live.settle(final);
    this.#following = true;
    this.#live.follow(this.#here, on, final, known);
  }

  refresh(): void {
    this.#live.refresh();
  }

  stop(): void {
    if (this.#following) this.#live.stop();
    this.#following = false;
  }

  get #here(): string {
    return addressOf(this.#location.server, 'checkouts', this.#location.id ?? '');
  }
}
