import { timestamp } from '../../http/timestamp.ts';
import { unavailable } from '../../http/http-error.ts';
import { invoiceIdOf } from '../../orders/ids.ts';
import { NO_ORDER } from '../../orders/terms.ts';
import type { Log } from '../../options.ts';
import type { PollBudget } from '../../service/poll-budget.ts';
import { DamagedEntry, type Store, StoreError } from '../../store/store.ts';
import { waitAtMost } from '../../wait-at-most.ts';
import type { CheckoutRepository } from '../repository/checkout-repository.ts';
import { type InvoiceReading, mergeReadings } from '../repository/merge-readings.ts';
import { type CheckoutRecord, newRecord } from '../repository/record.ts';
import { type OrderInvoice, scanInvoices, type ScanOptions } from './invoice-scan.ts';

export interface CheckoutRebuilderOptions extends Omit<ScanOptions, 'whenRoom'> {
  store: Store;
  repository: () => CheckoutRepository;
  budget: PollBudget;
  /** Loads what the state of a checkout depends on: the profile, and rates for late payments. */
  prepare: () => Promise<unknown>;
  now: () => number;
  steady: () => number;
  log: Log;
}

/** Its value is the progress: `begun` or `done`. Without it the store is new, lost, or older. */
const PROGRESS = 'store/rebuild';
/** A request waits at most this long for a checkout that is being rebuilt. */
const MAX_WAIT_MS = 2500;
const ROOM_MS = 100;

/**
 * Rebuilds checkouts from the invoices of the service: a damaged one, or all of a store that was
 * lost. An order that may have a payment is not opened before.
 */
export class CheckoutRebuilder {
  readonly #options: CheckoutRebuilderOptions;
  readonly #scan: ScanOptions;
  /** Damaged checkouts that are rebuilt now, or whose result no call has returned yet. */
  readonly #singles = new Map<string, Promise<CheckoutRecord | null>>();
  readonly #rebuilding = new Map<string, Promise<void>>();
  /** The invoices of checkouts that are not rebuilt yet; null before the list was read. */
  #remaining: Map<string, OrderInvoice[]> | null = null;
  #scanning: Promise<void> | null = null;
  #running: Promise<void> | null = null;
  #isPending = false;
  #isStopped = false;

  constructor(options: CheckoutRebuilderOptions) {
    this.#options = options;
    this.#scan = { ...options, whenRoom: () => this.#whenRoom() };
  }

  /**
   * The record of a checkout as its invoices prove it; null when it has none.
   * @throws Error when the service cannot say, or not yet: a later call gets the result
   */
  async rebuild(id: string): Promise<CheckoutRecord | null> {
    let single = this.#singles.get(id);
    if (!single) {
      single = this.#rebuildNow(id);
      this.#singles.set(id, single);
    }
    let isDone = false;
    const end = single.then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await waitAtMost(MAX_WAIT_MS, end);
    if (!isDone) throw new StoreError(`the checkout ${id} is being rebuilt`);
    this.#singles.delete(id);
    return single;
  }

  async #rebuildNow(id: string): Promise<CheckoutRecord | null> {
    if (invoiceIdOf(id) !== null) return this.#rebuildSingle(id);
    const found: OrderInvoice[] = [];
    for await (const page of scanInvoices(this.#scan))
      found.push(...page.filter(({ envelope }) => envelope.checkout === id));
    return found.length > 0 ? this.#recordOf(found) : null;
  }

  /** Finds out whether the store was lost, and begins to rebuild it. */
  async start(): Promise<void> {
    const { store } = this.#options;
    const progress = await store.read(PROGRESS).catch(ignoreDamage);
    if (progress?.value === 'done') return;
    const isOlder = !progress && (await store.list('checkout/', '', 1)).length > 0;
    if (isOlder) return this.#writeProgress('done');
    if (!progress) await this.#writeProgress('begun');
    this.#isPending = true;
    this.continue();
  }

  /** Goes on after a failure of the service; the poller calls it once a second. */
  continue(): void {
    if (!this.#isPending || this.#running || this.#isStopped) return;
    this.#running = this.#rebuildAll()
      .catch((error: unknown) => {
        if (!this.#isStopped)
          this.#options.log.warn(
            { event: 'store_rebuild_failed', error },
            'rebuild of lost checkouts failed, will retry',
          );
      })
      .finally(() => {
        this.#running = null;
      });
  }

  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Resolves when the store has this checkout, or when it does not exist.
   * @throws HttpError 503 while that is unknown
   */
  async ensureRebuilt(id: string): Promise<void> {
    if (!this.#isPending) return;
    this.continue();
    if (!this.#remaining && this.#scanning) await waitAtMost(MAX_WAIT_MS, this.#scanning);
    if (this.#remaining?.has(id)) await waitAtMost(MAX_WAIT_MS, this.#rebuildOrder(id));
    if (this.#isPending && (this.#remaining?.has(id) ?? true)) throw unavailable(undefined, 5);
  }

  async #rebuildAll(): Promise<void> {
    if (!this.#remaining) {
      this.#scanning = this.#readOrders().finally(() => (this.#scanning = null));
      await this.#scanning;
    }
    const ids = [...(this.#remaining ?? new Map<string, OrderInvoice[]>()).keys()];
    for (const id of ids) await this.#rebuildOrder(id);
    await this.#writeProgress('done');
    this.#isPending = false;
    if (ids.length > 0)
      this.#options.log.error(
        { event: 'store_rebuilt', checkouts: ids.length },
        'the store had lost its checkouts: they were rebuilt from the invoices of the service',
      );
  }

  async #readOrders(): Promise<void> {
    const orders = new Map<string, OrderInvoice[]>();
    for await (const page of scanInvoices(this.#scan))
      for (const one of page) {
        const known = orders.get(one.envelope.checkout);
        if (known) known.push(one);
        else orders.set(one.envelope.checkout, [one]);
      }
    this.#remaining = orders;
  }

  /** Rebuilds one checkout, once for concurrent requests. */
  #rebuildOrder(id: string): Promise<void> {
    let rebuilding = this.#rebuilding.get(id);
    if (!rebuilding) {
      rebuilding = this.#rebuildOrderNow(id).finally(() => this.#rebuilding.delete(id));
      this.#rebuilding.set(id, rebuilding);
    }
    return rebuilding;
  }

  async #rebuildOrderNow(id: string): Promise<void> {
    const repository = this.#options.repository();
    const found = this.#remaining?.get(id);
    if (!found) return;
    const record = await this.#recordOf(found);
    const checkout = await repository.findOrCreate(record);
    // It may exist with a part of its invoices, after a visit of one of their pages.
    await repository.update(checkout, (stored) => withInvoicesOf(stored, record));
    this.#remaining?.delete(id);
  }

  async #writeProgress(value: 'begun' | 'done'): Promise<void> {
    const { store } = this.#options;
    const { revision = 0 } = (await store.read(PROGRESS).catch(ignoreDamage)) ?? {};
    await store.write(PROGRESS, value, revision).catch(async (error: unknown) => {
      if (!(error instanceof DamagedEntry)) throw error;
      await store.replaceDamaged?.(PROGRESS, error.value, value);
    });
  }

  /** Resolves when the budget has room for one more request. */
  async #whenRoom(): Promise<void> {
    const { budget, steady } = this.#options;
    while (!budget.hasRoom(steady()) && !this.#isStopped)
      await new Promise((resolve) => setTimeout(resolve, ROOM_MS));
    if (this.#isStopped) throw new StoreError('the server stops');
  }

  async #rebuildSingle(invoiceId: string): Promise<CheckoutRecord | null> {
    const { service, now } = this.#options;
    const invoice = await service.invoice(invoiceId);
    if (invoice?.id !== invoiceId) return null;
    const record = newRecord(invoiceId, NO_ORDER, now());
    return this.#withReadings(record, [await this.#readingOf(invoice, null)]);
  }

  async #recordOf(found: readonly OrderInvoice[]): Promise<CheckoutRecord> {
    const unique = [...new Map(found.map((one) => [one.invoice.id, one])).values()];
    // The list begins with the newest. The shop may have replaced the terms: the newest ones count.
    const newest = unique[0]!.envelope;
    const readings: InvoiceReading[] = [];
    for (const { invoice, envelope } of unique.toReversed())
      readings.push(await this.#readingOf(invoice, envelope.attempt));
    const record = newRecord(newest.checkout, newest.terms, this.#options.now());
    return this.#withReadings(record, readings);
  }

  async #readingOf(
    invoice: OrderInvoice['invoice'],
    attempt: string | null,
  ): Promise<InvoiceReading> {
    await this.#whenRoom();
    return { invoice, transactions: await this.#options.service.transactions(invoice.id), attempt };
  }

  async #withReadings(
    record: CheckoutRecord,
    readings: readonly InvoiceReading[],
  ): Promise<CheckoutRecord> {
    const { service, prepare, now } = this.#options;
    await prepare();
    const merged = mergeReadings(record, readings, timestamp(now() + service.offset()));
    return { ...merged, selected: readings.at(-1)?.invoice.id ?? null };
  }
}

/** Adds invoices and transactions that the stored record lacks. */
function withInvoicesOf(stored: CheckoutRecord, rebuilt: CheckoutRecord): CheckoutRecord {
  const known = new Set(stored.invoices.map(({ id }) => id));
  const invoices = rebuilt.invoices.filter(({ id }) => !known.has(id));
  if (invoices.length === 0) return stored;
  const transactions = rebuilt.transactions.filter(({ invoice }) => !known.has(invoice?.id ?? ''));
  return {
    ...stored,
    invoices: [...stored.invoices, ...invoices],
    transactions: [...stored.transactions, ...transactions],
  };
}

function ignoreDamage(error: unknown): null {
  if (error instanceof DamagedEntry) return null;
  throw error;
}
