import { DamagedEntry, type Store, StoreError } from '../../store/store.ts';
import { invoiceIdOf, isCheckoutId } from '../../orders/ids.ts';
import { type CheckoutRecord, serializeRecord, StoredRecord } from './record.ts';

/** A checkout in memory. Its record always is one that the store holds. */
export interface LoadedCheckout {
  readonly id: string;
  record: CheckoutRecord;
  revision: number;
  /** Steady time of the last complete reading; 0 before the first one in this process. */
  readAt: number;
  /** Number of readings: some checks run only every few readings. */
  readCount: number;
  /** Failed readings since the last complete one. */
  failures: number;
  /** Steady time of the last request for it. */
  requestedAt: number;
  watchers: number;
  /** Whether the store lists it as open. */
  markedOpen: boolean;
}

export interface CheckoutRepositoryOptions {
  store: Store;
  now: () => number;
  steady: () => number;
  /** Adds derived data to a changed record: late rates and events for the shop. */
  derive: (record: CheckoutRecord) => CheckoutRecord;
  /** Whether the poller must find it again after a restart. */
  isOpen: (record: CheckoutRecord) => boolean;
  /** Rebuilds a lost record from the payment service; null if there is nothing to rebuild. */
  rebuild: (id: string) => Promise<CheckoutRecord | null>;
  onDamaged: (id: string, damage: DamagedEntry) => void;
}

/** @param elsewhere another process wrote the change and handles its consequences */
export type ChangeListener = (checkout: LoadedCheckout, elsewhere: boolean) => void;

const MAX_LOADED = 20_000;
const RECENT_MS = 60_000;
const MAX_ATTEMPTS = 8;

/** The checkouts: a cache over the store. Every change goes through it. */
export class CheckoutRepository {
  readonly #options: CheckoutRepositoryOptions;
  readonly #checkout = new Map<string, LoadedCheckout>();
  readonly #loading = new Map<string, Promise<LoadedCheckout | null>>();
  readonly #byInvoice = new Map<string, string>();
  readonly #locks = new Map<string, Promise<unknown>>();
  #onChange: ChangeListener = () => undefined;

  constructor(options: CheckoutRepositoryOptions) {
    this.#options = options;
  }

  /** Sets the one listener that is called after each stored change. */
  onChange(listener: ChangeListener): void {
    this.#onChange = listener;
  }

  /** The checkout with this id, if it is in memory. */
  peek(id: string): LoadedCheckout | undefined {
    return this.#checkout.get(id);
  }

  /** The checkout of this invoice, if it is in memory. */
  peekByInvoice(invoiceId: string): LoadedCheckout | undefined {
    const id = this.#byInvoice.get(invoiceId);
    return id === undefined ? undefined : this.#checkout.get(id);
  }

  async find(id: string): Promise<LoadedCheckout | null> {
    const checkout = this.#checkout.get(id);
    if (checkout) return checkout;
    let loading = this.#loading.get(id);
    if (!loading) {
      loading = this.#load(id).finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  /** The stored checkout of this invoice. */
  async findByInvoice(invoiceId: string): Promise<LoadedCheckout | null> {
    const checkout = this.peekByInvoice(invoiceId);
    if (checkout) return checkout;
    const owner = await this.find((await this.#ownerOf(invoiceId)) ?? invoiceId);
    return owner?.record.invoices.some(({ id }) => id === invoiceId) ? owner : null;
  }

  /** Creates a checkout, or returns the existing one with this id. */
  async findOrCreate(record: CheckoutRecord): Promise<LoadedCheckout> {
    return this.#locked(record.id, async () => {
      const existing = await this.find(record.id);
      if (existing) return existing;
      const settled = this.#options.derive(record);
      const isOpen = await this.#markIfOpen(settled);
      if (await this.#options.store.write(keyOf(record.id), serializeRecord(settled), 0)) {
        const checkout = this.#keep(settled, 1);
        checkout.markedOpen = isOpen;
        for (const { id } of settled.invoices) await this.#index(id, checkout.id);
        if (isOpen) this.#onChange(checkout, false);
        return checkout;
      }
      const other = await this.#load(record.id);
      if (!other) throw new StoreError('the checkout could not be stored');
      return other;
    });
  }

  /**
   * Changes a checkout; durable when the promise resolves. `edit` must depend on the record alone:
   * it runs again when another process was faster. It returns the same record for no change.
   */
  async update(
    checkout: LoadedCheckout,
    edit: (record: CheckoutRecord) => CheckoutRecord,
  ): Promise<void> {
    await this.#locked(checkout.id, async () => {
      for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
        const edited = edit(checkout.record);
        const settled = this.#options.derive(edited);
        if (settled === checkout.record) return;
        await this.#mark(checkout, settled);
        const next = {
          ...settled,
          version: Math.max(checkout.record.version + 1, this.#options.now()),
        };
        if (await this.#write(checkout, next)) {
          const added = next.invoices.slice(checkout.record.invoices.length);
          checkout.record = next;
          checkout.revision += 1;
          for (const { id } of added) await this.#index(id, checkout.id);
          this.#onChange(checkout, false);
          return;
        }
        await this.#reload(checkout);
      }
      throw new StoreError('too many concurrent changes of one checkout');
    });
  }

  /** Removes the mark of an open checkout, unless it has changed meanwhile. */
  async markClosed(checkout: LoadedCheckout): Promise<void> {
    await this.#locked(checkout.id, async () => {
      if (this.#options.isOpen(checkout.record)) return;
      await this.#options.store.remove(`open/${checkout.id}`);
      checkout.markedOpen = false;
    });
  }

  /** Reads a checkout again that another process has written. */
  async reload(id: string): Promise<void> {
    const checkout = this.#checkout.get(id);
    if (!checkout) return;
    await this.#locked(id, async () => {
      const before = checkout.revision;
      await this.#reload(checkout);
      if (checkout.revision !== before) this.#onChange(checkout, true);
    });
  }

  /** Writes the mark before the change: after a crash in between the poller finds the checkout. */
  async #mark(checkout: LoadedCheckout, record: CheckoutRecord): Promise<void> {
    checkout.markedOpen ||= await this.#markIfOpen(record);
  }

  async #markIfOpen(record: CheckoutRecord): Promise<boolean> {
    if (!this.#options.isOpen(record)) return false;
    // Only the name of a mark is read, so a damaged mark still works.
    await this.#options.store.write(`open/${record.id}`, '', 0).catch(ignoreDamage);
    return true;
  }

  async #write(checkout: LoadedCheckout, record: CheckoutRecord): Promise<boolean> {
    const { store, onDamaged } = this.#options;
    const text = serializeRecord(record);
    try {
      return await store.write(keyOf(checkout.id), text, checkout.revision);
    } catch (error) {
      if (!(error instanceof DamagedEntry) || !store.replaceDamaged) throw error;
      // The record is still in memory, so the failure is only reported.
      onDamaged(checkout.id, error);
      checkout.revision = 0;
      return store.replaceDamaged(keyOf(checkout.id), error.value, text);
    }
  }

  async #index(invoiceId: string, id: string): Promise<void> {
    this.#byInvoice.set(invoiceId, id);
    // A lost index entry costs one reading: record and envelope contain the id as well.
    if (invoiceId !== id)
      await this.#options.store.write(`invoice/${invoiceId}`, id, 0).catch(ignoreDamage);
  }

  /** The checkout's id from the index. Null for a damaged entry: the envelope has the id, too. */
  async #ownerOf(invoiceId: string): Promise<string | null> {
    const entry = await this.#options.store.read(`invoice/${invoiceId}`).catch(ignoreDamage);
    return entry && (isCheckoutId(entry.value) || invoiceIdOf(entry.value)) ? entry.value : null;
  }

  async #load(id: string): Promise<LoadedCheckout | null> {
    const entry = await this.#read(id);
    if (!entry) return null;
    const known = this.#checkout.get(id);
    if (known) return known;
    const checkout = this.#keep(entry.record, entry.revision);
    // Its polls and events are not scheduled yet.
    if (entry.isRebuilt) this.#onChange(checkout, false);
    return checkout;
  }

  /** Reads a record. A damaged one is rebuilt, so that its order neither stops nor opens anew. */
  async #read(
    id: string,
  ): Promise<{ record: CheckoutRecord; revision: number; isRebuilt: boolean } | null> {
    const read = async (isRebuilt: boolean) => {
      const entry = await this.#options.store.read(keyOf(id));
      return entry && { record: parse(id, entry.value), revision: entry.revision, isRebuilt };
    };
    try {
      return await read(false);
    } catch (error) {
      if (!(error instanceof DamagedEntry)) throw error;
      await this.#replaceDamaged(id, error);
      return read(true);
    }
  }

  /** Replaces a damaged entry, once its new value is there: a crash or an outage loses nothing. */
  async #replaceDamaged(id: string, damage: DamagedEntry): Promise<void> {
    const { store, rebuild, derive, onDamaged } = this.#options;
    onDamaged(id, damage);
    if (!store.replaceDamaged) throw damage;
    const rebuilt = await rebuild(id);
    const settled = rebuilt && derive(rebuilt);
    if (settled) await this.#markIfOpen(settled);
    const text = settled && serializeRecord(settled);
    await store.replaceDamaged(keyOf(id), damage.value, text);
    for (const invoice of settled?.invoices ?? []) await this.#index(invoice.id, id);
  }

  async #reload(checkout: LoadedCheckout): Promise<void> {
    const entry = await this.#read(checkout.id);
    if (!entry || entry.revision === checkout.revision) return;
    checkout.record = entry.record;
    checkout.revision = entry.revision;
    for (const { id } of checkout.record.invoices) this.#byInvoice.set(id, checkout.id);
  }

  #keep(record: CheckoutRecord, revision: number): LoadedCheckout {
    const checkout: LoadedCheckout = {
      id: record.id,
      record,
      revision,
      readAt: 0,
      readCount: 0,
      failures: 0,
      requestedAt: this.#options.steady(),
      watchers: 0,
      markedOpen: false,
    };
    if (this.#checkout.size >= MAX_LOADED) this.#forget();
    this.#checkout.set(record.id, checkout);
    for (const { id } of record.invoices) this.#byInvoice.set(id, record.id);
    return checkout;
  }

  /** Evicts the oldest half, except checkouts with watchers or recent requests. */
  #forget(): void {
    const recent = this.#options.steady() - RECENT_MS;
    for (const checkout of this.#checkout.values()) {
      if (this.#checkout.size <= MAX_LOADED / 2) return;
      if (checkout.watchers > 0 || checkout.requestedAt > recent || this.#locks.has(checkout.id))
        continue;
      this.#checkout.delete(checkout.id);
      for (const { id } of checkout.record.invoices) this.#byInvoice.delete(id);
    }
  }

  /** Serializes the changes of one checkout within this process. */
  async #locked<T>(id: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#locks.get(id) ?? Promise.resolve();
    const current = previous.then(work, work);
    this.#locks.set(id, current);
    try {
      return await current;
    } finally {
      if (this.#locks.get(id) === current) this.#locks.delete(id);
    }
  }
}

const keyOf = (id: string): string => `checkout/${id}`;

function parse(id: string, text: string): CheckoutRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new DamagedEntry(`the checkout ${id} is not JSON`, { value: text, cause: error });
  }
  const record = StoredRecord.safeParse(value);
  if (!record.success || record.data.id !== id)
    throw new DamagedEntry(`the checkout ${id} is not readable`, {
      value: text,
      cause: record.error,
    });
  return record.data;
}

function ignoreDamage(error: unknown): null {
  if (error instanceof DamagedEntry) return null;
  throw error;
}
