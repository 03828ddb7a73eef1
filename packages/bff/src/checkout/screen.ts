import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { timestamp } from '../http/time.ts';
import type { Service, ServiceProfile } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import { viewOf } from './view.ts';

/** What somebody looks at: a checkout, as a whole or by one invoice's address. */
export interface Look {
  live: Live;
  invoiceId: string | null;
}

/** A view at a version, with the text of everything but the time. */
export interface Shown {
  view: Checkout;
  etag: string;
}

export interface ScreenOptions {
  book: Book;
  service: Service;
  now: () => number;
  merchantName: string;
  contact: string | null;
  extends: boolean;
  onrampUrl: string | null;
  successOrigins: readonly string[];
  profile: () => ServiceProfile | null;
  rates: () => ReadonlyMap<string, string> | null;
}

/** A view is computed anew when its record changed, and otherwise once a second: time alone can move a stage. */
const KEEP_MS = 1000;

/** The service's clock may jump by so much before buyers' countdowns are set anew. */
const CLOCK_JUMP_MS = 2500;

interface Kept {
  revision: number;
  at: number;
  offset: number;
  digest: string;
  shown: Shown;
}

/** Turns checkouts into views, and gives each change of one a version of its own. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #kept = new WeakMap<Live, Map<string, Kept>>();

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }

  show(look: Look): Shown {
    const { now, service } = this.#options;
    const keeps = this.#keeps(look.live);
    const key = look.invoiceId ?? '';
    const kept = keeps.get(key);
    const moment = now();
    if (kept && kept.revision === look.live.revision && moment - kept.at < KEEP_MS) return this.#current(kept);

    const view = this.#view(look, 0);
    const digest = JSON.stringify({ ...view, server_time: '' });
    const steady = kept && kept.digest === digest && Math.abs(service.offset() - kept.offset) < CLOCK_JUMP_MS;
    const version = steady ? kept.shown.view.version : this.#nextVersion(look.live, kept);
    const offset = steady ? kept.offset : service.offset();
    const next: Kept = {
      revision: look.live.revision,
      at: moment,
      offset,
      digest,
      shown: { view: { ...view, version }, etag: `"${version.toString(36)}"` },
    };
    keeps.set(key, next);
    return this.#current(next);
  }

  /** Versions are milliseconds, so that they also grow over restarts and from one process to another. */
  #nextVersion(live: Live, kept: Kept | undefined): number {
    const last = kept?.shown.view.version ?? 0;
    return kept || live.revision > 1 ? Math.max(last + 1, live.record.version, this.#options.now()) : live.record.version;
  }

  #current({ shown }: Kept): Shown {
    return { ...shown, view: { ...shown.view, server_time: timestamp(this.serverTime()) } };
  }

  #view({ live, invoiceId }: Look, version: number): Checkout {
    const { profile, rates, ...same } = this.#options;
    return viewOf(live.record, { ...same, serverTime: this.serverTime(), profile: profile(), rates: rates(), invoiceId, version });
  }

  #keeps(live: Live): Map<string, Kept> {
    let keeps = this.#kept.get(live);
    if (!keeps) this.#kept.set(live, (keeps = new Map()));
    return keeps;
  }
}
