import { timestamp } from '../../http/timestamp.ts';
import type { Log } from '../../options.ts';
import type { Service } from '../../service/service.ts';
import { checkoutState, type StateContext } from '../checkout-state.ts';
import { hasExpired } from '../displayed-invoice.ts';
import type { CheckoutRepository, LoadedCheckout } from '../repository/checkout-repository.ts';
import { mergeReadings } from '../repository/merge-readings.ts';
import type { CheckoutInvoice, CheckoutRecord } from '../repository/record.ts';
import { asksTooMuch } from './payment-rules.ts';

export interface RequestEnderOptions {
  repository: CheckoutRepository;
  service: Service;
  stateContext: () => StateContext;
  log: Log;
}

/**
 * Ends the lightning requests of an order that was paid, or partly paid, in another way: a wallet
 * that scanned one before would pay the order twice. What fails is tried again with the next
 * reading.
 */
export class RequestEnder {
  readonly #options: RequestEnderOptions;
  readonly #running = new Set<string>();

  constructor(options: RequestEnderOptions) {
    this.#options = options;
  }

  async end(checkout: LoadedCheckout): Promise<void> {
    for (const { id } of this.#outdated(checkout.record)) {
      if (this.#running.has(id)) continue;
      this.#running.add(id);
      await this.#cancel(checkout, id).finally(() => this.#running.delete(id));
    }
  }

  async #cancel(checkout: LoadedCheckout, id: string): Promise<void> {
    const { repository, service, stateContext, log } = this.#options;
    try {
      const invoice = await service.cancelRequest(id);
      if (invoice === null) return;
      const reading = { invoice, transactions: null };
      const at = timestamp(stateContext().serverTime);
      await repository.update(checkout, (record) => mergeReadings(record, [reading], at));
    } catch (error) {
      log.warn(
        { event: 'request_not_cancelled', error, checkout_id: checkout.id, invoice_id: id },
        'a lightning request could not be cancelled; it is tried again',
      );
    }
  }

  #outdated(record: CheckoutRecord): CheckoutInvoice[] {
    const requested = record.invoices.filter(hasOpenRequest);
    if (requested.length === 0 || record.transactions.length === 0) return [];
    const context = this.#options.stateContext();
    const state = checkoutState(record, context);
    return requested.filter(
      (invoice) => !hasExpired(invoice, context.serverTime) && asksTooMuch(invoice, record, state),
    );
  }
}

const hasOpenRequest = ({ status, lightning, expires_at }: CheckoutInvoice): boolean =>
  status === 'new' && expires_at !== null && lightning?.payment_request != null;
