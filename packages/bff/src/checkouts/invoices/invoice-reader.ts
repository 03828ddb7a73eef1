import type { Log } from '../../options.ts';
import { timestamp } from '../../http/timestamp.ts';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { isLate, isWrongCoin } from '@crypto-checkout/protocol/invoice-tally';
import { isVoidStatus } from '@crypto-checkout/protocol/void-status';
import type { ServiceInvoice, ServiceTransaction } from '../../service/schema.ts';
import type { Service } from '../../service/service.ts';
import type { CheckoutRepository, LoadedCheckout } from '../repository/checkout-repository.ts';
import { type InvoiceReading, mergeReadings } from '../repository/merge-readings.ts';
import { hasPrice } from './late-rates.ts';
import { dueInvoices, isWatched } from './poll-interval.ts';

export interface InvoiceReaderOptions {
  repository: CheckoutRepository;
  service: Service;
  /** Loads the rates that price late payments. */
  loadRates: () => Promise<unknown>;
  /** Accepts late payments at the service, which otherwise refunds them. */
  acceptsLate: boolean;
  now: () => number;
  steady: () => number;
  log: Log;
}

/**
 * Every 4th reading includes the transactions of an unpaid invoice: another token at its address
 * shows only there.
 */
const TRANSACTIONS_EVERY = 4;

/** Every 12th reading includes the invoices with longer intervals. */
const ALL_INVOICES_EVERY = 12;

const NONE: ReadonlySet<string> = new Set();

/** Reads the invoices of checkouts from the service. Concurrent requests share one reading. */
export class InvoiceReader {
  readonly #options: InvoiceReaderOptions;
  readonly #reading = new Map<LoadedCheckout, Promise<void>>();
  readonly #next = new Map<LoadedCheckout, { invoices: Set<string>; done: Promise<void> }>();

  constructor(options: InvoiceReaderOptions) {
    this.#options = options;
  }

  /** Joins the current reading, or starts one. */
  read(checkout: LoadedCheckout): Promise<void> {
    return this.#reading.get(checkout) ?? this.#begin(checkout, NONE);
  }

  /**
   * Starts a reading after this call: the current one may have missed the latest change. It always
   * includes the invoice, if one is named, and its transactions.
   */
  readFresh(checkout: LoadedCheckout, invoiceId?: string): Promise<void> {
    const current = this.#reading.get(checkout);
    const invoices = new Set(invoiceId === undefined ? [] : [invoiceId]);
    if (!current) return this.#begin(checkout, invoices);
    const next = this.#next.get(checkout);
    if (next) {
      for (const id of invoices) next.invoices.add(id);
      return next.done;
    }
    const begin = (): Promise<void> => {
      this.#next.delete(checkout);
      return this.#begin(checkout, invoices);
    };
    const done = current.then(begin, begin);
    this.#next.set(checkout, { invoices, done });
    return done;
  }

  #begin(checkout: LoadedCheckout, complete: ReadonlySet<string>): Promise<void> {
    const reading = this.#read(checkout, complete).finally(() => {
      if (this.#reading.get(checkout) === reading) this.#reading.delete(checkout);
    });
    this.#reading.set(checkout, reading);
    return reading;
  }

  async #read(checkout: LoadedCheckout, complete: ReadonlySet<string>): Promise<void> {
    const { repository, service, loadRates: prepare, now, steady } = this.#options;
    const due = dueInvoices(
      checkout.record,
      isWatched(checkout, steady()),
      this.#serverTime(),
      checkout.readCount % ALL_INVOICES_EVERY === 0,
    );
    const ids = new Set([...due.map(({ id }) => id), ...complete]);
    try {
      const readings = (
        await Promise.all([...ids].map((id) => this.#readInvoice(checkout, id, complete.has(id))))
      ).filter((one) => one !== null);
      await prepare();
      const serverTime = timestamp(now() + service.offset());
      await repository.update(checkout, (record) => mergeReadings(record, readings, serverTime));
      checkout.readAt = steady();
      checkout.readCount += 1;
      checkout.failures = 0;
    } catch (error) {
      checkout.failures += 1;
      throw error;
    }
  }

  async #readInvoice(
    checkout: LoadedCheckout,
    id: string,
    isComplete: boolean,
  ): Promise<InvoiceReading | null> {
    const { service, log } = this.#options;
    const invoice = await service.invoice(id);
    if (!invoice) {
      log.warn({ event: 'invoice_not_found', invoice_id: id }, 'the service has no such invoice');
      return null;
    }
    const known = checkout.record.invoices.find((one) => one.id === id);
    const readsTransactions =
      isComplete ||
      invoice.status !== 'new' ||
      invoice.transactions > 0 ||
      checkout.record.transactions.some((one) => one.invoice?.id === id) ||
      known?.status !== invoice.status ||
      checkout.readCount % TRANSACTIONS_EVERY === TRANSACTIONS_EVERY - 1;
    if (!readsTransactions) return { invoice, transactions: null };
    const transactions = await service.transactions(id);
    const facts = { ...invoice, quotes: known?.quotes };
    const isRefunded =
      transactions.some(({ amount }) => amount.refunded !== undefined) ||
      checkout.record.refunds.some(({ invoice_id }) => invoice_id === id);
    return {
      invoice,
      transactions: await this.#accept(checkout, facts, transactions),
      ...(isRefunded && { refunds: await service.refunds(id) }),
      ...((mayReturn(invoice, transactions) ||
        checkout.record.refundable.some(({ invoice_id }) => invoice_id === id)) && {
        refundable: await service.refundable(id),
      }),
    };
  }

  /**
   * Marks late payments that do not count: the service refuses to accept them, because their refund
   * was asked for before, or their price is unknown, and the buyer can ask for them back.
   */
  async #accept(
    { record }: LoadedCheckout,
    invoice: Parameters<typeof isLate>[0],
    transactions: readonly ServiceTransaction[],
  ): Promise<ServiceTransaction[]> {
    const { acceptsLate, service } = this.#options;
    return Promise.all(
      transactions.map(async (transaction) => {
        const isOpen =
          acceptsLate &&
          transaction.amount.refunded === undefined &&
          !Object.hasOwn(record.late_rates, transaction.id) &&
          isLate(invoice, transaction);
        if (!isOpen) return transaction;
        const isAccepted =
          hasPrice(transaction, this.#serverTime()) && (await service.acceptLate(transaction.id));
        // It counts at the price of its arrival, not at its quote.
        if (isAccepted) return { ...transaction, late_accepted: undefined };
        return { ...transaction, is_refused: true };
      }),
    );
  }

  #serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }
}

/**
 * Whether money may go back to the buyer: it is final, it did not pay the invoice in time, it is
 * too much, or it came in another coin. The service lists the last three before they are final.
 */
const mayReturn = (invoice: ServiceInvoice, transactions: readonly ServiceTransaction[]): boolean =>
  transactions.length > 0 &&
  (invoice.status === 'expired' ||
    invoice.status === 'complete' ||
    isExceeded(invoice) ||
    transactions.some(
      (one) =>
        one.status === 'complete' || (isWrongCoin(invoice, one) && !isVoidStatus(one.status)),
    ));

/** Whether more came than the invoice asks for. The service applies the tolerance. */
function isExceeded({ amount: { invoiced, paid, paid_total } }: ServiceInvoice): boolean {
  const sum = paid_total ?? paid;
  return Boolean(invoiced && sum && parseAmount(sum.amount) > parseAmount(invoiced.amount));
}
