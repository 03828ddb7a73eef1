import type { ErrorBody, FieldError, Reason } from '@crypto-checkout/protocol/error';

export interface RefusalOptions {
  errors?: FieldError[];
  /** Seconds, for 429 and 503. */
  retryAfter?: number;
  /** For 405. */
  allow?: string;
  cause?: unknown;
}

/** A request that is answered with an error; thrown anywhere, mapped to HTTP once. `reason` is null when the outcome may be unknown. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly reason: Reason | null;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string> = {};

  constructor(status: number, reason: Reason | null, message: string, options: RefusalOptions = {}) {
    super(message, { cause: options.cause });
    this.status = status;
    this.reason = reason;
    this.errors = options.errors;
    if (options.retryAfter !== undefined) this.headers['retry-after'] = String(Math.max(1, Math.ceil(options.retryAfter)));
    if (options.allow !== undefined) this.headers['allow'] = options.allow;
  }

  body(requestId: string): ErrorBody {
    return {
      result: 'error',
      ...(this.reason === null ? {} : { reason: this.reason }),
      message: this.message,
      ...(this.errors === undefined ? {} : { errors: this.errors }),
      request_id: requestId,
    };
  }
}

export const notFound = (): Refusal => new Refusal(404, 'NotFound', 'There is nothing at this address.');

/** The service, the store or the shop is away for a moment; nothing is said about why. */
export const unavailable = (cause?: unknown, retryAfter = 2): Refusal =>
  new Refusal(503, null, 'The payment service does not answer at the moment; try again shortly.', { retryAfter, cause });

export const invalid = (field: string, message: string): Refusal =>
  new Refusal(400, 'ValidationError', message, { errors: [{ field, message }] });
