import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { Live } from './live.ts';
import { loadAttend } from './later.ts';
import { type Failure, ask, failure, post } from './server.ts';

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
  /** Tells every view from now on, until `stop`. Following twice is following once. */
  follow(on: Follower): void;
  /** Looks now. */
  refresh(): void;
  stop(): void;
}

/** Which checkout of which server. */
export interface Place {
  server: string | null | undefined;
  /** An order token, which opens a checkout. */
  order?: string | null | undefined;
  /** A checkout's or an invoice's id. */
  id?: string | null | undefined;
  /** Where the shop wants the buyer to go once it is paid. */
  successUrl?: string | null | undefined;
}

/** An address on the checkout server, as the attribute names it: forms and links are drawn on a server too. */
export const addressOf = (server: string | null | undefined, ...path: string[]): string =>
  [(server ?? '').replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');

/** The source for what the attributes say. */
export function sourceOf({ demo, ...place }: Place & { demo: string | null | undefined }): Source | Promise<Source> {
  if (!demo) return new ServerSource(place);
  return import('./scenario/player.ts').then(
    ({ createPlayer }) => createPlayer(demo),
    (error: unknown) => Promise.reject(failure('network', String(error))),
  );
}

/** The checkout server as a source. */
export class ServerSource implements Source {
  #place: Place;
  /** Follows the checkout, once the code for it is here. */
  #live: Live | undefined;
  #following: Follower | undefined;

  /** @param place where to look. Once a checkout is known, its own id counts. */
  constructor(place: Place) {
    this.#place = place;
  }

  async open(): Promise<Checkout> {
    const { server, order, id, successUrl } = this.#place;
    const missing = server == null ? 'server' : order || id ? '' : 'order';
    if (missing) throw failure('setup', `the attribute "${missing}" is missing`);
    const wish = successUrl || undefined;
    return order
      ? this.#ask(addressOf(server, 'checkouts'), post({ order, success_url: wish }))
      : this.#ask(this.#here + (wish ? `?success_url=${encodeURIComponent(wish)}` : ''));
  }

  post(what: string, body: object): Promise<Checkout> {
    return this.#ask(`${this.#here}/${what}`, post(body));
  }

  follow(on: Follower): void {
    if (this.#following) return;
    this.#following = on;
    void this.#follow(on);
  }

  refresh(): void {
    this.#live?.refresh();
  }

  stop(): void {
    this.#following = undefined;
    this.#live?.stop();
  }

  get #here(): string {
    return addressOf(this.#place.server, 'checkouts', this.#place.id ?? '');
  }

  async #ask(url: string, question?: RequestInit): Promise<Checkout> {
    const checkout = (await ask(url, question)).checkout!;
    this.#place = { server: this.#place.server, id: checkout.id };
    return checkout;
  }

  async #follow(on: Follower): Promise<void> {
    const module = await loadAttend();
    if (!module || on !== this.#following) return;
    this.#live ??= new module.Live();
    this.#live.follow(this.#here, on);
  }
}
