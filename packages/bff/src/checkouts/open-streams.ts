import { changeOf } from '@crypto-checkout/protocol/change';
import { type Checkout, isSettled } from '@crypto-checkout/protocol/checkout';
import type { LoadedCheckout } from './repository/checkout-repository.ts';
import type { ResolvedCheckout } from './checkout-resolver.ts';
import type { CheckoutPresenter } from './presenter/checkout-presenter.ts';
import type { SharedBytes, StreamWriter } from './stream-writer.ts';

interface Viewer {
  writer: StreamWriter;
  target: ResolvedCheckout;
  /** The last view that the client has; null before the first one. */
  last: Checkout | null;
  /** For a client that merges changes into its last view. */
  merges: Merging | null;
  leave: () => void;
}

/** A client that merges changes into its last view. */
export interface Merging {
  /** The version of its view; 0 for no view. */
  version: number;
  /** The words of `omit`: members that it does without. */
  omits: readonly string[];
}

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

  watches(checkout: LoadedCheckout): boolean {
    return this.#viewers.has(checkout);
  }

  /** Number of streams of an address. */
  countFor(address: string): number {
    return this.#perAddress.get(address) ?? 0;
  }

  /**
   * Adds a viewer and sends the current view, unless the client has it.
   * @param merges - For a client that merges changes.
   * @returns the function that removes the viewer; call it when the connection closes
   */
  join(
    target: ResolvedCheckout,
    writer: StreamWriter,
    address: string,
    merges: Merging | null = null,
  ): () => void {
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
    const viewer: Viewer = { writer, target, last: null, merges, leave };
    viewers.add(viewer);
    checkout.watchers += 1;
    this.#count += 1;
    this.#perAddress.set(address, this.countFor(address) + 1);
    this.#begin(viewer);
    if (this.#isClosed) writer.end();
    return leave;
  }

  /** Sends the current view to all viewers that do not have it yet. */
  publish(checkout: LoadedCheckout): void {
    const shared: Shared = { texts: new Map(), bytes: new Map() };
    for (const viewer of this.#viewers.get(checkout) ?? []) this.#send(viewer, shared);
  }

  /** Checkouts with at least one viewer. */
  watched(): IterableIterator<LoadedCheckout> {
    return this.#viewers.keys();
  }

  heartbeat(): void {
    for (const viewers of this.#viewers.values())
      for (const { writer, leave } of viewers) if (!writer.heartbeat()) leave();
  }

  /** Ends all streams; a stream that opens later ends after its first view. Browsers reconnect. */
  close(): void {
    this.#isClosed = true;
    for (const viewers of this.#viewers.values()) for (const { writer } of viewers) writer.end();
  }

  /** Begins a stream with the view, or with its version where the client has it. */
  #begin(viewer: Viewer): void {
    const { view } = this.#presenter.present(viewer.target);
    const { version } = view;
    const first =
      version === viewer.merges?.version
        ? `event: current\ndata: ${version}\n\n`
        : wholeView(view, viewer.merges);
    this.#written(viewer, view, viewer.writer.begin(`retry: 3000\n\n${first}`));
  }

  #send(viewer: Viewer, shared: Shared): void {
    const { view } = this.#presenter.present(viewer.target);
    const { last, merges, target } = viewer;
    if (view.version === last?.version) return;
    const before = merges ? last : null;
    const key = `${target.invoiceId ?? ''} ${before?.version ?? ''} ${String(merges?.omits)}`;
    const text = sharedText(shared, key, () => changedView(before, view, merges));
    this.#written(viewer, view, viewer.writer.change(text, shared.bytes));
  }

  #written(viewer: Viewer, view: Checkout, written: boolean): void {
    viewer.last = view;
    if (!written) viewer.leave();
    else if (isSettled(view)) viewer.writer.end();
  }
}

const wholeView = (view: Checkout, merges: Merging | null): string =>
  `id: ${view.version}\ndata: ${JSON.stringify(seenBy(merges, view))}\n\n`;

/** The difference of two views: coins and QR code are not sent again with each change. */
function changedView(before: Checkout | null, view: Checkout, merges: Merging | null): string {
  const change =
    before && changeOf(seenBy(merges, before), seenBy(merges, view), merges?.omits.includes('qr'));
  return change
    ? `event: change\nid: ${view.version}\ndata: ${JSON.stringify(change)}\n\n`
    : wholeView(view, merges);
}

const NO_PROOF = { proof: null, lightning_proof: null, signed_terms: null };

/** The view without proofs for a client that reads none. */
const seenBy = (merges: Merging | null, view: Checkout): Checkout =>
  view.payment && merges?.omits.includes('proof')
    ? { ...view, payment: { ...view.payment, ...NO_PROOF } }
    : view;

/** The viewers of one change share the text of a view and its compressed bytes. */
interface Shared {
  texts: Map<string, string>;
  bytes: SharedBytes;
}

function sharedText({ texts }: Shared, key: string, make: () => string): string {
  const text = texts.get(key) ?? make();
  texts.set(key, text);
  return text;
}
