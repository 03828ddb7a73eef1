import type { ErrorBody, FieldError, Reason } from '@crypto-checkout/protocol/error';
import { isUnreachable } from '../database/transact.ts';

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
  // A dependency is down: 503, and so without a reason on the wire.
  RateUnavailable: 503,
  DuplicateReference: 409,
  AlreadyExists: 409,
  InvalidState: 409,
  LnurlError: 400,
  RateLimited: 429,
  InvalidAddress: 400,
  InsufficientFunds: 400,
  PayoutNetworkFeeTooHigh: 400,
};

/** The code that a refusal is answered with. */
export const statusOf = (reason: Reason): number => STATUS[reason];

export interface ServiceErrorOptions {
  cause?: unknown;
  /** What is wrong with which member of the payload. */
  errors?: FieldError[];
  /** Headers of the answer, as `Retry-After`. */
  headers?: Record<string, string>;
}

/**
 * A definite refusal. The message is one sentence for the caller: what was wrong with which value, and what is allowed.
 * @example throw new ServiceError('NotFound', 'There is no invoice with this id.');
 */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly reason: Reason;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(reason: Reason, message: string, { cause, errors, headers }: ServiceErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.errors = errors;
    this.headers = headers ?? {};
  }
}

/** Thrown when something that we depend on (database, node) does not answer; the outcome may be unknown. */
export class UnavailableError extends Error {
  override name = 'UnavailableError';
}

export interface ErrorAnswer {
  status: number;
  body: ErrorBody;
  headers: Record<string, string>;
  /** Whether an operator should hear about it. */
  unexpected: boolean;
}

/** The one place where errors become answers. */
export function answerError(error: unknown, requestId: string): ErrorAnswer {
  if (error instanceof ServiceError) {
    const status = STATUS[error.reason];
    const reason = status < 500 ? { reason: error.reason } : {};
    const errors = error.errors ? { errors: error.errors } : {};
    const headers = status === 503 ? { 'Retry-After': '5', ...error.headers } : error.headers;
    return {
      status,
      body: { result: 'error', ...reason, message: error.message, ...errors, request_id: requestId },
      headers,
      unexpected: false,
    };
  }
  if (error instanceof UnavailableError || isUnreachable(error)) {
    const message = 'The service is not available at the moment; whether the request took effect is not known.';
    return { status: 503, body: { result: 'error', message, request_id: requestId }, headers: { 'Retry-After': '1' }, unexpected: true };
  }
  const message = 'Something went wrong on our side; whether the request took effect is not known.';
  return { status: 500, body: { result: 'error', message, request_id: requestId }, headers: {}, unexpected: true };
}
