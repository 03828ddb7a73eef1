/**
 * Why a request was refused. A reason is on every definite refusal and on nothing else: whoever sees one may give a user's
 * money back, so an answer whose outcome is unknown (5xx) carries none.
 */
export const REASONS = [
  // Names that published clients look for.
  'InvalidAddress',
  'InsufficientFunds',
  'PayoutNetworkFeeTooHigh',
  // Ours.
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
  'RateLimited',
] as const;

export type Reason = (typeof REASONS)[number];

export interface FieldError {
  field: string;
  message: string;
}

/** Body of every answer that is not a success. */
export interface ErrorBody {
  result: 'error';
  /** Absent on 5xx. A reader must accept names that it does not know. */
  reason?: Reason;
  /** One sentence: what was wrong with which value, and what is allowed. */
  message: string;
  errors?: FieldError[];
  request_id: string;
}
