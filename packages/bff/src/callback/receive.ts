import { WebhookError, verifyCallback } from '@crypto-checkout/protocol/callback';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { z } from 'zod';
import type { Book, Live } from '../checkout/book.ts';
import type { Reader } from '../checkout/reader.ts';
import type { Resolver } from '../checkout/resolver.ts';
import { Refusal } from '../http/refusal.ts';
import type { Log } from '../options.ts';
import { invoiceIdOf } from '../order/identity.ts';
import type { Notifier } from './notifier.ts';

export interface ReceiverOptions {
  book: Book;
  resolver: Resolver;
  reader: Reader;
  notifier: Notifier;
  callbackToken: string;
  /** Whether the service signs the bytes of its callbacks: then nothing less is taken. */
  extensions: boolean;
  hmac: Hmac;
  now: () => number;
  log: Log;
}

/** What is remembered per checkout, to answer a repeated callback without work. */
const MAX_REMEMBERED = 100;

/** The resource that a callback is about; only its ids are used, everything else is read from the service. */
const Subject = z.object({ id: z.string(), invoice: z.object({ id: z.string() }).nullish() });

/** Takes callbacks from the service. They are never believed: they are a reason to read. */
export class Receiver {
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /**
   * Returns when the change is stored and the shop has accepted it; the service then ends its retries.
   * @throws Refusal 401 when it is not from the service, 503 when it must come again
   */
  async receive(headers: Headers, body: string): Promise<void> {
    const { callbackToken, hmac, now, extensions, log } = this.#options;
    const { callback, proof } = await verifyCallback({ headers, body, callbackToken, now: now(), hmac }).catch((error: unknown) => {
      throw error instanceof WebhookError ? forged(error) : error;
    });
    if (extensions && proof !== 'bytes')
      throw forged(new WebhookError('it has no webhook-signature; set EXTENSIONS=false for a service that does not send it'));
    const invoiceId = invoiceOf(callback.callback_status, callback.result);
    if (!invoiceId) return;
    const found = await this.#options.resolver.invoice(invoiceId);
    if (!found) {
      log.warn({ invoice_id: invoiceId }, 'a callback names an invoice that the service does not know');
      return;
    }
    await this.#handle(found.live, found.invoiceId, callback.callback_id);
  }

  async #handle(live: Live, invoiceId: string, callbackId: string): Promise<void> {
    const { reader, notifier, book } = this.#options;
    if (live.record.callbacks.includes(callbackId)) return;
    await reader.readAnew(live, invoiceId);
    if (!(await notifier.deliver(live, { patiently: false }))) throw notAccepted();
    await book.change(live, (record) =>
      record.callbacks.includes(callbackId) ? record : { ...record, callbacks: [...record.callbacks, callbackId].slice(-MAX_REMEMBERED) },
    );
  }
}

/** For whoever reads in the service why its callback is sent again. */
const notAccepted = (): Refusal =>
  new Refusal(503, null, 'The payment is known here, but the shop did not accept the webhook about it; send this again.', {
    retryAfter: 5,
  });

/** The same answer for every fault, so that nobody learns which part was right; the cause is the operator's to read. */
const forged = (cause: WebhookError): Refusal =>
  new Refusal(401, 'InvalidApiKey', 'The callback is not signed as the payment service signs.', { cause });

function invoiceOf(event: string, result: unknown): string | null {
  const subject = Subject.safeParse(result);
  if (!subject.success || event.startsWith('payout_')) return null;
  return invoiceIdOf(event.startsWith('transaction_') ? (subject.data.invoice?.id ?? '') : subject.data.id);
}
