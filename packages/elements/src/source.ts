import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { Live } from './live.ts';
import { type Failure, type Place, addressOf, ask, failure, openCheckout, post } from './server.ts';

/** What a source tells whoever follows it. */
export interface Follower {
  /** A view, new or the same. */
  checkout(checkout: Checkout): void;
  /** The connection was lost, or is back. */
  connection(lost: boolean): void;
  /** A question that was not answered; told once for each way in which it fails. */
  failure(failure: Failure): void;
}

/** Where the views of one checkout come from: the checkout server, or a scenario that is played. */
export interface Source {
  /**
   * The first view.
   * @throws Failure
   */
  open(): Promise<Checkout>;
  /**
   * What the buyer has asked for: a coin, or a new price.
   * @throws Failure
   */
  post(what: 'payment' | 'renew', body: object): Promise<Checkout>;
  /**
   * Tells every view from now on, until `stop`. Following twice is following once.
   * @param final Nothing more is expected: it is enough to look now and then.
   */
  follow(on: Follower, final?: boolean): void;
  /** Looks now. */
  refresh(): void;
  stop(): void;
}

/** The source for what the attributes say. */
export function sourceOf(place: Place, demo?: string | null): Source | Promise<Source> {
  if (!demo) return new ServerSource(place);
  return import('./scenario/player.ts').then(
    ({ createPlayer }) => createPlayer(demo),
    (error: unknown) => Promise.reject(failure('network', String(error))),
  );
}

/** The checkout server as a source. */
export class ServerSource implements Source {
  #place: Place;
  readonly #live = new Live();
  #following = false;

  /** @param place where to look. Once a checkout is known, its own id counts. */
  constructor(place: Place) {
    this.#place = place;
  }

  async open(): Promise<Checkout> {
    const checkout = await openCheckout(this.#place);
    this.#place = { server: this.#place.server, id: checkout.id };
    return checkout;
  }

  async post(what: string, body: object): Promise<Checkout> {
    return (await ask(`${this.#here}/${what}`, post(body))).checkout!;
  }

  follow(on: Follower, final = false): void {
    if (this.#following) return this.#live.settle(final);
    this.#following = true;
    this.#live.follow(this.#here, on, final);
  }

  refresh(): void {
    this.#live.refresh();
  }

  stop(): void {
    if (this.#following) this.#live.stop();
    this.#following = false;
  }

  get #here(): string {
    return addressOf(this.#place.server, 'checkouts', this.#place.id ?? '');
  }
}
