import { UnavailableError } from '@crypto-checkout/chains/error';
import type { ErrorBody, FieldError, Reason } from '@crypto-checkout/protocol/error';
import { isUnreachable } from '../database/transact.ts';

export { UnavailableError } from '@crypto-checkout/chains/error';

const STATUS: Readonly<Record<Reason, number>> = {
  MissingHeaders: 400,
  InvalidPayload: 400,
  InvalidApiKey: 401,
  InvalidNonce: 400,
  EndpointMismatch: 400,
  IpNotAllowed: 403,
  PermissionDenied: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  PayloadTooLarge: 413,
  ValidationError: 400,
  CurrencyNotEnabled: 400,
  ExchangeRateLimitExceeded: 400,
  // A dependency is down: 503, which carries no reason on the wire.
  RateUnavailable: 503,
  DuplicateReference: 409,
  AlreadyExists: 409,
  InvalidState: 409,
  LnurlError: 400,
  ShopAddress: 400,
  RateLimited: 429,
  InvalidAddress: 400,
  InsufficientFunds: 400,
  PayoutNetworkFeeTooHigh: 400,
};

/** The HTTP status of a reason. */
export const statusOf = (reason: Reason): number => STATUS[reason];

export interface ServiceErrorOptions {
  cause?: unknown;
  /** One entry for each wrong member of the payload. */
  errors?: FieldError[];
  /** Headers of the answer, such as `Retry-After`. */
  headers?: Record<string, string>;
}

/**
 * A definite refusal. The message is one sentence for the caller: which value was wrong, and what
 * is allowed.
 * @example throw new ServiceError('NotFound', 'There is no invoice with this id.');
 */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly reason: Reason;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    reason: Reason,
    message: string,
    { cause, errors, headers }: ServiceErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.errors = errors;
    this.headers = headers ?? {};
  }
}

export interface ErrorAnswer {
  status: number;
  body: ErrorBody;
  headers: Record<string, string>;
  /** Whether to log it as an error for the operator. */
  unexpected: boolean;
}

/** Maps errors to answers; the only place that does. */
export function answerError(error: unknown, requestId: string): ErrorAnswer {
  if (error instanceof ServiceError) {
    const status = STATUS[error.reason];
    const reason = status < 500 ? { reason: error.reason } : {};
    const errors = error.errors ? { errors: error.errors } : {};
    const headers = status === 503 ? { 'Retry-After': '5', ...error.headers } : error.headers;
    return {
      status,
      body: {
        result: 'error',
        ...reason,
        message: error.message,
        ...errors,
        request_id: requestId,
      },
      headers,
      unexpected: false,
    };
  }
  if (error instanceof UnavailableError || isUnreachable(error)) {
    const message =
      'The service is not available at the moment; whether the request took effect is not known.';
    return {
      status: 503,
      body: { result: 'error', message, request_id: requestId },
      headers: { 'Retry-After': '1' },
      unexpected: true,
    };
  }
  const message = 'Something went wrong on our side; whether the request took effect is not known.';
  return {
    status: 500,
    body: { result: 'error', message, request_id: requestId },
    headers: {},
    unexpected: true,
  };
}
