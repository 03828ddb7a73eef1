export interface ServiceErrorDetails {
  status: number | null;
  reason: string | null;
  errors: readonly { field: string; message: string }[];
  requestId: string | null;
  outcome: 'refused' | 'unknown';
  retryAfterSeconds: number | null;
}

/**
 * A request that did not succeed.
 * @example if (error instanceof ServiceError && error.outcome === 'refused') giveMoneyBack();
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  /** Null when no answer came. */
  readonly status: number | null;
  /** Why the service refused (`protocol/error`, or a name that we do not know); null when it did not say so. */
  readonly reason: string | null;
  /** What was wrong with which member. */
  readonly errors: readonly { field: string; message: string }[];
  readonly requestId: string | null;
  /**
   * `refused`: certain, nothing was done. `unknown`: no answer, or one without a reason; it may have been done (§7). Look it up, never
   * take it for a failure.
   */
  readonly outcome: 'refused' | 'unknown';
  /** What the service asks to wait. */
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

/** The error that an answer other than 2xx stands for. */
export function errorFrom(status: number, headers: Headers, body: unknown): ServiceError {
  const { reason, message, errors, request_id: requestId } = (isObject(body) ? body : {}) as Record<string, unknown>;
  // A 5xx never says for certain, whatever its body.
  const certain = typeof reason === 'string' && reason !== '' && status < 500;
  const wait = Number(headers.get('retry-after') ?? Number.NaN);
  return new ServiceError(typeof message === 'string' ? message : `the service answered ${status}`, {
    status,
    reason: certain ? reason : null,
    errors: Array.isArray(errors) ? errors.filter(isFieldError) : [],
    requestId: typeof requestId === 'string' ? requestId : null,
    outcome: certain ? 'refused' : 'unknown',
    retryAfterSeconds: Number.isFinite(wait) && wait >= 0 ? wait : null,
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isFieldError(value: unknown): value is { field: string; message: string } {
  return isObject(value) && 'field' in value && 'message' in value && typeof value.field === 'string' && typeof value.message === 'string';
}
