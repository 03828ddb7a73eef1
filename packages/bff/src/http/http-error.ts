import type { ErrorBody, FieldError, Reason } from '@crypto-checkout/protocol/error';

export interface HttpErrorOptions {
  errors?: FieldError[];
  /** Seconds, for 429 and 503. */
  retryAfter?: number;
  /** The `Allow` header of 405. */
  allow?: string;
  cause?: unknown;
}

/**
 * An error answer; thrown anywhere, mapped to HTTP in app.ts. `reason` is null when the outcome may
 * be unknown.
 */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  readonly reason: Reason | null;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string> = {};

  constructor(
    status: number,
    reason: Reason | null,
    message: string,
    options: HttpErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.status = status;
    this.reason = reason;
    this.errors = options.errors;
    if (options.retryAfter !== undefined)
      this.headers['retry-after'] = String(Math.max(1, Math.ceil(options.retryAfter)));
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

export const notFound = (): HttpError => new HttpError(404, 'NotFound', 'Unknown path or id.');

/** Paths of the payment service that this server has none of. */
export const isOfService = (path: string): boolean => path.startsWith('/v1/');

/** A client of the payment service was given the address of the checkout server. */
export const wrongServer = (): HttpError =>
  new HttpError(
    404,
    'NotFound',
    'This is the checkout server; /v1/ is at the payment service, whose address is its GATEWAY_URL.',
  );

/** For a temporary failure of the service, the store or the shop. The cause is logged, not sent. */
export const unavailable = (cause?: unknown, retryAfter = 2): HttpError =>
  new HttpError(
    503,
    null,
    'The payment service does not answer at the moment; try again shortly.',
    { retryAfter, cause },
  );

export const invalid = (field: string, message: string): HttpError =>
  new HttpError(400, 'ValidationError', message, { errors: [{ field, message }] });
