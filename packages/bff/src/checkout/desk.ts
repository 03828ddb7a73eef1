import type { Budget } from '../service/budget.ts';
import type { Cache } from '../service/cache.ts';
import type { ServiceProfile } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import type { Follower } from './follower.ts';
import { pace } from './pace.ts';
import type { Reader } from './reader.ts';
import type { Screen } from './screen.ts';

export interface DeskOptions {
  book: Book;
  reader: Reader;
  follower: Follower;
  screen: Screen;
  budget: Budget;
  profile: Cache<ServiceProfile>;
  rates: Cache<ReadonlyMap<string, string>>;
  now: () => number;
}

/** Whoever asks waits so long for the service at most, and then gets what is known. */
const PATIENCE_MS = 2500;
/** The follower reads what is watched; a request only reads by itself when it did not come to it. */
const GRACE_MS = 3000;
const PACE_MS = 1000;

/** Keeps what buyers are shown no older than its pace, whatever number of them ask. */
export class Desk {
  readonly #options: DeskOptions;
  readonly #paces = new WeakMap<Live, { revision: number; at: number; every: number }>();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** Whether what is known may be shown as it is. Counts as watching. */
  isFresh(live: Live): boolean {
    const moment = this.#options.now();
    live.askedAt = moment;
    return moment - live.readAt < this.#pace(live, moment) + GRACE_MS;
  }

  /** The pace changes with the record and with time; a second late is soon enough. */
  #pace(live: Live, moment: number): number {
    const known = this.#paces.get(live);
    if (known && known.revision === live.revision && moment - known.at < PACE_MS) return known.every;
    const every = pace(live.record, true, this.#options.screen.serverTime()) ?? Infinity;
    this.#paces.set(live, { revision: live.revision, at: moment, every });
    return every;
  }

  /** Reads when what is known is too old to be shown; after a failure the old is shown. */
  async freshen(live: Live): Promise<void> {
    const { reader, follower, budget, now } = this.#options;
    const fresh = this.isFresh(live);
    follower.touch(live);
    if (fresh || (live.readAt > 0 && !budget.hasRoom(now()))) return;
    await patiently(reader.read(live));
  }

  /** Gets what every view needs of the service, where it is not there yet. */
  async prepare(): Promise<void> {
    const { profile, rates } = this.#options;
    if (profile.peek() && rates.peek()) return;
    await patiently(Promise.all([profile.get(), rates.get()]));
  }
}

/** Waits for the work or until it has taken too long; what it throws is somebody else's to say. */
async function patiently(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([work.catch(() => undefined), enough]);
  clearTimeout(timer);
}
