export interface ServiceErrorDetails {
  status: number | null;
  reason: string | null;
  errors: readonly { field: string; message: string }[];
  requestId: string | null;
  outcome: 'refused' | 'unknown';
  retryAfterSeconds: number | null;
}

/**
 * A failed request.
 * @example if (error instanceof ServiceError && error.outcome === 'refused') giveMoneyBack();
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** Null without a response. */
  readonly status: number | null;
  /** Reason of the rejection (`protocol/error`, or a name of a later version); null without one. */
  readonly reason: string | null;
  /** The invalid members. */
  readonly errors: readonly { field: string; message: string }[];
  readonly requestId: string | null;
  /**
   * `refused`: the service certainly did nothing. `unknown`: no response, or one without a reason,
   * so the request may have been executed. Look it up; do not treat it as a failure. See
   * docs/interface.md, "Unknown outcomes".
   */
  readonly outcome: 'refused' | 'unknown';
  /** The `Retry-After` of the response. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, details: Partial<ServiceErrorDetails>, options?: ErrorOptions) {
    super(message, options);
    this.status = details.status ?? null;
    this.reason = details.reason ?? null;
    this.errors = details.errors ?? [];
    this.requestId = details.requestId ?? null;
    this.outcome = details.outcome ?? 'unknown';
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** Creates the error of a response other than 2xx. */
export function errorFrom(status: number, headers: Headers, body: unknown): ServiceError {
  const {
    reason,
    message,
    errors,
    request_id: requestId,
  } = (isObject(body) ? body : {}) as Record<string, unknown>;
  // A 5xx is never certain, whatever its body contains.
  const certain = typeof reason === 'string' && reason !== '' && status < 500;
  const wait = Number(headers.get('retry-after') ?? Number.NaN);
  return new ServiceError(
    typeof message === 'string' ? message : `the service responded with ${status}`,
    {
      status,
      reason: certain ? reason : null,
      errors: Array.isArray(errors) ? errors.filter(isFieldError) : [],
      requestId: typeof requestId === 'string' ? requestId : null,
      outcome: certain ? 'refused' : 'unknown',
      retryAfterSeconds: Number.isFinite(wait) && wait >= 0 ? wait : null,
    },
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isFieldError(value: unknown): value is { field: string; message: string } {
  return (
    isObject(value) &&
    'field' in value &&
    'message' in value &&
    typeof value.field === 'string' &&
    typeof value.message === 'string'
  );
}
