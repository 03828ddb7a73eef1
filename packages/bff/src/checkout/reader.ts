import type { Log } from '../options.ts';
import { timestamp } from '../http/time.ts';
import type { Service } from '../service/service.ts';
import type { Book, Live } from './book.ts';
import { type Reading, merge } from './merge.ts';
import { dueInvoices } from './pace.ts';

export interface ReaderOptions {
  book: Book;
  service: Service;
  /** Gets what a reading is weighed with, such as rates. */
  prepare: () => Promise<unknown>;
  now: () => number;
  log: Log;
}

/** Every so many readings the transactions of an unpaid invoice are looked at too: another token at its address is only seen there. */
const LOOK_EVERY = 4;

/** Every so many readings the slow invoices of a checkout are read along with its busiest. */
const EVERYTHING_EVERY = 12;

const NONE: ReadonlySet<string> = new Set();

/** Reads checkouts' invoices from the service. Any number of askers at once cost one reading. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #reading = new Map<Live, Promise<void>>();
  readonly #next = new Map<Live, { invoices: Set<string>; done: Promise<void> }>();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Joins a reading that is under way, or begins one. */
  read(live: Live): Promise<void> {
    return this.#reading.get(live) ?? this.#begin(live, NONE);
  }

  /**
   * A reading that begins after this call: one that is under way may have missed what the caller heard of. The invoice is read
   * whatever its pace, transactions included.
   */
  readAnew(live: Live, invoiceId: string): Promise<void> {
    const current = this.#reading.get(live);
    if (!current) return this.#begin(live, new Set([invoiceId]));
    const next = this.#next.get(live);
    if (next) {
      next.invoices.add(invoiceId);
      return next.done;
    }
    const invoices = new Set([invoiceId]);
    const begin = (): Promise<void> => {
      this.#next.delete(live);
      return this.#begin(live, invoices);
    };
    const done = current.then(begin, begin);
    this.#next.set(live, { invoices, done });
    return done;
  }

  #begin(live: Live, closely: ReadonlySet<string>): Promise<void> {
    const reading = this.#read(live, closely).finally(() => {
      if (this.#reading.get(live) === reading) this.#reading.delete(live);
    });
    this.#reading.set(live, reading);
    return reading;
  }

  async #read(live: Live, closely: ReadonlySet<string>): Promise<void> {
    const { book, service, prepare, now } = this.#options;
    const due = dueInvoices(live.record, live.watchers > 0, this.#serverTime(), live.readings % EVERYTHING_EVERY === 0);
    const ids = new Set([...due.map(({ id }) => id), ...closely]);
    try {
      const readings = (await Promise.all([...ids].map((id) => this.#readInvoice(live, id, closely.has(id))))).filter(
        (one) => one !== null,
      );
      await prepare();
      const serverTime = timestamp(now() + service.offset());
      await book.change(live, (record) => merge(record, readings, serverTime));
      live.readAt = now();
      live.readings += 1;
      live.failures = 0;
    } catch (error) {
      live.failures += 1;
      throw error;
    }
  }

  async #readInvoice(live: Live, id: string, closely: boolean): Promise<Reading | null> {
    const { service, log } = this.#options;
    const invoice = await service.invoice(id);
    if (!invoice) {
      log.warn({ invoice_id: id }, 'the service does not know an invoice of a checkout');
      return null;
    }
    const known = live.record.invoices.find((one) => one.id === id);
    const looks =
      closely ||
      invoice.status !== 'new' ||
      invoice.transactions > 0 ||
      live.record.transactions.some((one) => one.invoice?.id === id) ||
      known?.status !== invoice.status ||
      live.readings % LOOK_EVERY === LOOK_EVERY - 1;
    return { invoice, transactions: looks ? await service.transactions(id) : null };
  }

  #serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }
}
