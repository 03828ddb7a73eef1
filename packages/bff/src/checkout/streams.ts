import { isFinalStage } from '@crypto-checkout/protocol/checkout';
import type { Sink } from '../options.ts';
import type { Live } from './book.ts';
import type { Look, Screen } from './screen.ts';

interface Viewer {
  sink: Sink;
  look: Look;
  version: number;
  leave: () => void;
}

/** After a heartbeat a proxy keeps the connection, and we find out about readers that are gone. */
const HEARTBEAT = ': here\n\n';

/** Open event streams. A change wakes the viewers of that checkout and nobody else. */
export class Streams {
  readonly #screen: Screen;
  readonly #viewers = new Map<Live, Set<Viewer>>();
  readonly #perAddress = new Map<string, number>();
  #count = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  get count(): number {
    return this.#count;
  }

  /** How many streams an address holds. */
  held(address: string): number {
    return this.#perAddress.get(address) ?? 0;
  }

  /** Adds a reader and tells it the present view. Answers the way to leave; called when the connection is gone. */
  join(look: Look, sink: Sink, address: string): () => void {
    const { live } = look;
    let viewers = this.#viewers.get(live);
    if (!viewers) this.#viewers.set(live, (viewers = new Set()));
    const leave = (): void => {
      if (!viewers.delete(viewer)) return;
      live.watchers -= 1;
      this.#count -= 1;
      if (viewers.size === 0) this.#viewers.delete(live);
      const left = this.held(address) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    };
    const viewer: Viewer = { sink, look, version: -1, leave };
    viewers.add(viewer);
    live.watchers += 1;
    this.#count += 1;
    this.#perAddress.set(address, this.held(address) + 1);
    if (write(viewer, 'retry: 3000\n\n')) this.#tell(viewer, new Map());
    return leave;
  }

  /** Tells the viewers of a checkout what they do not know yet. */
  publish(live: Live): void {
    const texts = new Map<string, string>();
    for (const viewer of this.#viewers.get(live) ?? []) this.#tell(viewer, texts);
  }

  /** Checkouts that somebody watches. */
  watched(): IterableIterator<Live> {
    return this.#viewers.keys();
  }

  heartbeat(): void {
    for (const viewers of this.#viewers.values()) for (const viewer of viewers) write(viewer, HEARTBEAT);
  }

  /** Ends all: browsers come back by themselves. */
  close(): void {
    for (const viewers of this.#viewers.values()) for (const { sink } of viewers) sink.end();
  }

  /** Equal looks cost one text. */
  #tell(viewer: Viewer, texts: Map<string, string>): void {
    const { view } = this.#screen.show(viewer.look);
    if (view.version === viewer.version) return;
    viewer.version = view.version;
    const key = viewer.look.invoiceId ?? '';
    let text = texts.get(key);
    if (text === undefined) {
      text = `id: ${view.version}\ndata: ${JSON.stringify(view)}\n\n`;
      texts.set(key, text);
    }
    if (write(viewer, text) && isFinalStage(view.stage)) viewer.sink.end();
  }
}

/** Whoever is found gone is a viewer no longer, also where the host does not say that the connection has ended. */
function write({ sink, leave }: Viewer, text: string): boolean {
  const reads = sink.write(text);
  if (!reads) leave();
  return reads;
}
