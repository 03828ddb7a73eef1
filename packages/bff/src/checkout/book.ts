import type { Log } from '../options.ts';
import { type Store, StoreError } from '../store/store.ts';
import { CheckoutRecord } from './record.ts';

/** A checkout in memory. Its record is only ever replaced by one that the store has. */
export interface Live {
  readonly id: string;
  record: CheckoutRecord;
  revision: number;
  /** Real time of the last complete reading; 0 for none in this process. */
  readAt: number;
  /** Readings so far, for what is looked at only now and then. */
  readings: number;
  /** Failures since the last reading. */
  failures: number;
  /** Real time at which somebody last asked for it. */
  askedAt: number;
  watchers: number;
  /** Whether the store has it among the open ones. */
  marked: boolean;
}

export interface BookOptions {
  store: Store;
  now: () => number;
  log: Log;
  /** Adds to a changed record what follows from it: events for the shop. */
  settle: (record: CheckoutRecord) => CheckoutRecord;
  /** Whether something may still happen to it by itself: then it is found again after a restart. */
  isOpen: (record: CheckoutRecord) => boolean;
  /** `elsewhere`: another process wrote it, and does what follows from it. */
  onChange: (live: Live, elsewhere: boolean) => void;
}

const MAX_LIVE = 20_000;
const RECENT_MS = 60_000;
const MAX_TRIES = 8;

/** All checkouts: a cache over the store, through which every change goes. */
export class Book {
  readonly #options: BookOptions;
  readonly #live = new Map<string, Live>();
  readonly #loading = new Map<string, Promise<Live | null>>();
  readonly #byInvoice = new Map<string, string>();
  readonly #locks = new Map<string, Promise<unknown>>();

  constructor(options: BookOptions) {
    this.#options = options;
  }

  /** A checkout that is in memory. */
  peek(id: string): Live | undefined {
    return this.#live.get(id);
  }

  /** The checkout in memory that this invoice belongs to. */
  peekInvoice(invoiceId: string): Live | undefined {
    const id = this.#byInvoice.get(invoiceId);
    return id === undefined ? undefined : this.#live.get(id);
  }

  async find(id: string): Promise<Live | null> {
    const live = this.#live.get(id);
    if (live) return live;
    let loading = this.#loading.get(id);
    if (!loading) {
      loading = this.#load(id).finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  /** The checkout that an invoice is known to belong to. */
  async findInvoice(invoiceId: string): Promise<Live | null> {
    const live = this.peekInvoice(invoiceId);
    if (live) return live;
    const entry = await this.#options.store.read(`invoice/${invoiceId}`);
    const owner = entry ? await this.find(entry.value) : await this.find(invoiceId);
    return owner?.record.invoices.some(({ id }) => id === invoiceId) ? owner : null;
  }

  /** Begins a checkout. Where there is one with this id already, that one is the answer. */
  async begin(record: CheckoutRecord): Promise<Live> {
    return this.#locked(record.id, async () => {
      const known = await this.find(record.id);
      if (known) return known;
      const settled = this.#options.settle(record);
      if (await this.#options.store.write(keyOf(record.id), JSON.stringify(settled), 0)) return this.#keep(settled, 1);
      const other = await this.#load(record.id);
      if (!other) throw new StoreError('a checkout could not be kept');
      return other;
    });
  }

  /**
   * Changes a checkout: durable when it answers. `edit` is a function of the record alone, because it is done again when another
   * process was faster; it answers the same record when there is nothing to do.
   */
  async change(live: Live, edit: (record: CheckoutRecord) => CheckoutRecord): Promise<void> {
    await this.#locked(live.id, async () => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const edited = edit(live.record);
        const settled = this.#options.settle(edited);
        if (settled === live.record) return;
        await this.#mark(live, settled);
        const next = { ...settled, version: Math.max(live.record.version + 1, this.#options.now()) };
        if (await this.#options.store.write(keyOf(live.id), JSON.stringify(next), live.revision)) {
          const added = next.invoices.slice(live.record.invoices.length);
          live.record = next;
          live.revision += 1;
          for (const { id } of added) await this.#index(id, live.id);
          this.#options.onChange(live, false);
          return;
        }
        await this.#reload(live);
      }
      throw new StoreError('a checkout changed too often at once');
    });
  }

  /** Nothing will happen to it by itself any more, unless it changed in this moment. */
  async close(live: Live): Promise<void> {
    await this.#locked(live.id, async () => {
      if (this.#options.isOpen(live.record)) return;
      await this.#options.store.remove(`open/${live.id}`);
      live.marked = false;
    });
  }

  /** Another process wrote this checkout. */
  async refresh(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (!live) return;
    await this.#locked(id, async () => {
      const before = live.revision;
      await this.#reload(live);
      if (live.revision !== before) this.#options.onChange(live, true);
    });
  }

  /** Before the change itself, so that a crash between the two loses nothing. */
  async #mark(live: Live, record: CheckoutRecord): Promise<void> {
    if (live.marked || !this.#options.isOpen(record)) return;
    await this.#options.store.write(`open/${live.id}`, '', 0);
    live.marked = true;
  }

  async #index(invoiceId: string, id: string): Promise<void> {
    this.#byInvoice.set(invoiceId, id);
    // The record says it too, and so does the envelope: a lost entry only costs a reading.
    if (invoiceId !== id) await this.#options.store.write(`invoice/${invoiceId}`, id, 0);
  }

  async #load(id: string): Promise<Live | null> {
    const entry = await this.#options.store.read(keyOf(id));
    return entry ? (this.#live.get(id) ?? this.#keep(parse(id, entry.value), entry.revision)) : null;
  }

  async #reload(live: Live): Promise<void> {
    const entry = await this.#options.store.read(keyOf(live.id));
    if (!entry || entry.revision === live.revision) return;
    live.record = parse(live.id, entry.value);
    live.revision = entry.revision;
    for (const { id } of live.record.invoices) this.#byInvoice.set(id, live.id);
  }

  #keep(record: CheckoutRecord, revision: number): Live {
    const live: Live = {
      id: record.id,
      record,
      revision,
      readAt: 0,
      readings: 0,
      failures: 0,
      askedAt: this.#options.now(),
      watchers: 0,
      marked: false,
    };
    if (this.#live.size >= MAX_LIVE) this.#forget();
    this.#live.set(record.id, live);
    for (const { id } of record.invoices) this.#byInvoice.set(id, record.id);
    return live;
  }

  /** Leaves out the half that came first and that nobody has looked at lately. */
  #forget(): void {
    const recent = this.#options.now() - RECENT_MS;
    for (const live of this.#live.values()) {
      if (this.#live.size <= MAX_LIVE / 2) return;
      if (live.watchers > 0 || live.askedAt > recent || this.#locks.has(live.id)) continue;
      this.#live.delete(live.id);
      for (const { id } of live.record.invoices) this.#byInvoice.delete(id);
    }
  }

  /** One change of a checkout at a time within this process. */
  async #locked<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#locks.get(id) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#locks.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#locks.get(id) === mine) this.#locks.delete(id);
    }
  }
}

const keyOf = (id: string): string => `checkout/${id}`;

function parse(id: string, text: string): CheckoutRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StoreError(`the checkout ${id} is not JSON`, { cause: error });
  }
  const record = CheckoutRecord.safeParse(value);
  if (!record.success) throw new StoreError(`the checkout ${id} is not readable`, { cause: record.error });
  return record.data;
}
