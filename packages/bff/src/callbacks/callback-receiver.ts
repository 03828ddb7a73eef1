import { WebhookError, verifyCallback } from '@crypto-checkout/protocol/callback';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { z } from 'zod';
import type {
  CheckoutRepository,
  LoadedCheckout,
} from '../checkouts/repository/checkout-repository.ts';
import type { InvoiceReader } from '../checkouts/invoices/invoice-reader.ts';
import type { RequestEnder } from '../checkouts/invoices/request-ender.ts';
import type { CheckoutResolver } from '../checkouts/checkout-resolver.ts';
import { HttpError } from '../http/http-error.ts';
import type { Log } from '../options.ts';
import { invoiceIdOf } from '../orders/ids.ts';
import type { ShopNotifier } from '../shop-webhook/shop-notifier.ts';

export interface CallbackReceiverOptions {
  repository: CheckoutRepository;
  resolver: CheckoutResolver;
  reader: InvoiceReader;
  notifier: ShopNotifier;
  requests: RequestEnder;
  callbackToken: string;
  /** Whether the service signs the bytes of its callbacks. If so, that signature is required. */
  extensions: boolean;
  hmac: Hmac;
  now: () => number;
  log: Log;
}

/** Callback ids remembered per checkout, so that a repeated callback costs nothing. */
const MAX_REMEMBERED = 100;

/** The resource of a callback. Only its ids are used; everything else is read from the service. */
const CallbackSubject = z.object({
  id: z.string(),
  invoice: z.object({ id: z.string() }).nullish(),
  /** Of a refund. */
  invoice_id: z.string().nullish(),
});

/** Receives callbacks from the service. Their content is not trusted: each one triggers a read. */
export class CallbackReceiver {
  readonly #options: CallbackReceiverOptions;

  constructor(options: CallbackReceiverOptions) {
    this.#options = options;
  }

  /**
   * Returns when the change is stored and the shop has accepted its events; the service then stops
   * its retries.
   * @throws HttpError 401 for an invalid signature, 503 to request a retry
   */
  async receive(headers: Headers, body: string): Promise<void> {
    const { callbackToken, hmac, now, extensions, log } = this.#options;
    const { callback, proof } = await verifyCallback({
      headers,
      body,
      callbackToken,
      now: now(),
      hmac,
    }).catch((error: unknown) => {
      throw error instanceof WebhookError ? invalidCallback(error) : error;
    });
    if (extensions && proof !== 'bytes')
      throw invalidCallback(
        new WebhookError(
          'webhook-signature is missing; set EXTENSIONS=false for a service that does not send it',
        ),
      );
    const invoiceId = invoiceOf(callback.callback_status, callback.result);
    if (!invoiceId) return;
    const found = await this.#options.resolver.resolveInvoice(invoiceId, { isSigned: true });
    if (!found) {
      log.warn(
        { event: 'callback_invoice_not_found', invoice_id: invoiceId },
        'callback ignored: the service has no such invoice',
      );
      return;
    }
    await this.#handle(found.checkout, found.invoiceId, callback.callback_id);
  }

  async #handle(checkout: LoadedCheckout, invoiceId: string, callbackId: string): Promise<void> {
    const { reader, requests, notifier, repository } = this.#options;
    if (checkout.record.callbacks.includes(callbackId)) return;
    await reader.readFresh(checkout, invoiceId);
    await requests.end(checkout);
    if (!(await notifier.deliver(checkout, { onSchedule: false }))) throw notAccepted();
    await repository.update(checkout, (record) =>
      record.callbacks.includes(callbackId)
        ? record
        : { ...record, callbacks: [...record.callbacks, callbackId].slice(-MAX_REMEMBERED) },
    );
  }
}

/** The service shows this message with its failed callback. */
const notAccepted = (): HttpError =>
  new HttpError(
    503,
    null,
    'The payment is recorded, but the shop did not accept its webhook; send this again.',
    {
      retryAfter: 5,
    },
  );

/** The same answer for every fault, which gives a forger no hint. The cause goes to the log. */
const invalidCallback = (cause: WebhookError): HttpError =>
  new HttpError(401, 'InvalidApiKey', 'The signature of the callback is not valid.', { cause });

function invoiceOf(event: string, result: unknown): string | null {
  const subject = CallbackSubject.safeParse(result);
  if (!subject.success || event.startsWith('payout_')) return null;
  const { id, invoice, invoice_id } = subject.data;
  if (event.startsWith('refund_')) return invoiceIdOf(invoice_id ?? '');
  return invoiceIdOf(event.startsWith('transaction_') ? (invoice?.id ?? '') : id);
}
