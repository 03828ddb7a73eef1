/**
 * Reasons of refusals. Every definite refusal has one, and no other answer: a caller may refund a
 * user on a reason, so an answer with an unknown outcome (5xx) has none.
 */
export const REASONS = [
  // Names that existing clients look for.
  'InvalidAddress',
  'InsufficientFunds',
  'PayoutNetworkFeeTooHigh',
  'MissingHeaders',
  'InvalidPayload',
  'InvalidApiKey',
  'InvalidNonce',
  'EndpointMismatch',
  'IpNotAllowed',
  'PermissionDenied',
  'NotFound',
  'MethodNotAllowed',
  'PayloadTooLarge',
  'ValidationError',
  'CurrencyNotEnabled',
  'ExchangeRateLimitExceeded',
  'RateUnavailable',
  'DuplicateReference',
  'AlreadyExists',
  'InvalidState',
  'LnurlError',
  'ShopAddress',
  'RateLimited',
] as const;

export type Reason = (typeof REASONS)[number];

export interface FieldError {
  field: string;
  message: string;
}

/** Body of every error answer. */
export interface ErrorBody {
  result: 'error';
  /** Absent on 5xx. A reader must accept unknown names. */
  reason?: Reason;
  /** One sentence that names the value, the mistake and the allowed values. */
  message: string;
  errors?: FieldError[];
  request_id: string;
}
