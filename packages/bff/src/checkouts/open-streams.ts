import { isFinalStage } from '@crypto-checkout/protocol/checkout';
import type { Sink } from '../options.ts';
import type { LoadedCheckout } from './repository/checkout-repository.ts';
import type { ResolvedCheckout } from './checkout-resolver.ts';
import type { CheckoutPresenter } from './presenter/checkout-presenter.ts';

interface Viewer {
  sink: Sink;
  target: ResolvedCheckout;
  version: number;
  leave: () => void;
}

/**
 * A heartbeat keeps proxies from closing the connection, and detects clients that have
 * disconnected.
 */
const HEARTBEAT = ': here\n\n';

/** The open event streams. A change is sent only to the viewers of its checkout. */
export class OpenStreams {
  readonly #presenter: CheckoutPresenter;
  readonly #viewers = new Map<LoadedCheckout, Set<Viewer>>();
  readonly #perAddress = new Map<string, number>();
  #count = 0;
  #isClosed = false;

  constructor(presenter: CheckoutPresenter) {
    this.#presenter = presenter;
  }

  get count(): number {
    return this.#count;
  }

  /** Number of streams of an address. */
  countFor(address: string): number {
    return this.#perAddress.get(address) ?? 0;
  }

  /**
   * Adds a viewer and sends the current view.
   * @returns the function that removes the viewer; call it when the connection closes
   */
  join(target: ResolvedCheckout, sink: Sink, address: string): () => void {
    const { checkout } = target;
    let viewers = this.#viewers.get(checkout);
    if (!viewers) this.#viewers.set(checkout, (viewers = new Set()));
    const leave = (): void => {
      if (!viewers.delete(viewer)) return;
      checkout.watchers -= 1;
      this.#count -= 1;
      if (viewers.size === 0) this.#viewers.delete(checkout);
      const left = this.countFor(address) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    };
    const viewer: Viewer = { sink, target, version: -1, leave };
    viewers.add(viewer);
    checkout.watchers += 1;
    this.#count += 1;
    this.#perAddress.set(address, this.countFor(address) + 1);
    if (write(viewer, 'retry: 3000\n\n')) this.#send(viewer, new Map());
    if (this.#isClosed) sink.end();
    return leave;
  }

  /** Sends the current view to all viewers that do not have it yet. */
  publish(checkout: LoadedCheckout): void {
    const texts = new Map<string, string>();
    for (const viewer of this.#viewers.get(checkout) ?? []) this.#send(viewer, texts);
  }

  /** Checkouts with at least one viewer. */
  watched(): IterableIterator<LoadedCheckout> {
    return this.#viewers.keys();
  }

  heartbeat(): void {
    for (const viewers of this.#viewers.values())
      for (const viewer of viewers) write(viewer, HEARTBEAT);
  }

  /** Ends all streams, later ones after their first view; browsers reconnect. */
  close(): void {
    this.#isClosed = true;
    for (const viewers of this.#viewers.values()) for (const { sink } of viewers) sink.end();
  }

  /** Viewers of the same view share one text. */
  #send(viewer: Viewer, texts: Map<string, string>): void {
    const { view } = this.#presenter.present(viewer.target);
    if (view.version === viewer.version) return;
    viewer.version = view.version;
    const key = viewer.target.invoiceId ?? '';
    let text = texts.get(key);
    if (text === undefined) {
      text = `id: ${view.version}\ndata: ${JSON.stringify(view)}\n\n`;
      texts.set(key, text);
    }
    if (write(viewer, text) && isFinalStage(view.stage)) viewer.sink.end();
  }
}

/** A failed write removes the viewer, also on hosts that do not report the end of a connection. */
function write({ sink, leave }: Viewer, text: string): boolean {
  const isOpen = sink.write(text);
  if (!isOpen) leave();
  return isOpen;
}
