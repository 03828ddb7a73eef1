import type { Reason } from '@crypto-checkout/protocol/error';
import { statusOf } from '../http/error.ts';
import type { Operation } from '../http/operation.ts';
import { type JsonSchema, refTo } from './schema.ts';

export interface Answer {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Record<string, { schema: JsonSchema; example?: unknown }>;
}

/** What every signed request can be refused for, before its handler is asked. */
const SIGNED: readonly Reason[] = [
  'MissingHeaders',
  'InvalidPayload',
  'InvalidNonce',
  'EndpointMismatch',
  'InvalidApiKey',
  'IpNotAllowed',
  'PermissionDenied',
  'PayloadTooLarge',
  'RateLimited',
];

/** When a reason comes. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  MissingHeaders: 'One of the three headers is missing, or came twice.',
  InvalidPayload: 'The payload is not canonical base64 of a JSON object, or not valid HTTP.',
  InvalidApiKey: 'The key is not known, or the signature does not fit.',
  InvalidNonce: 'The nonce is not greater than the last one of the key.',
  EndpointMismatch: 'The member `request` or `method` names another path or method.',
  IpNotAllowed: 'The key may not be used from this address.',
  PermissionDenied: 'The key lacks the permission, or may never do this.',
  NotFound: 'Nothing of yours has this id.',
  MethodNotAllowed: 'The path does not know this method; `Allow` lists those that it knows.',
  PayloadTooLarge: 'The payload header has more than 32,768 characters, or all headers more than 64 KiB (then 431).',
  ValidationError: 'A member or a filter is not valid; `errors` names each.',
  CurrencyNotEnabled: 'The profile does not offer this coin.',
  ExchangeRateLimitExceeded: 'Our rate differs from `exchange_rate` by more than `allowed_difference`.',
  RateUnavailable: 'There is no trustworthy rate at the moment (503, and so without a reason).',
  DuplicateReference: 'Another payout has this `reference_id` or `passthrough`, with other parameters.',
  AlreadyExists: 'There is one already for this wallet and kind.',
  InvalidState: 'Its state does not allow this.',
  LnurlError: 'The LNURL answered with an error, or does not take this amount.',
  RateLimited: 'Too many requests; `Retry-After` says when to come again.',
  InvalidAddress: 'The address is none of this chain and network.',
  InsufficientFunds: 'The wallet has less available than this needs.',
  PayoutNetworkFeeTooHigh: 'The network fee is more than what is sent.',
};

/** Reasons that a request to a route can be refused for. */
export function reasonsOf(operation: Operation, path: string): Reason[] {
  const validated = operation.payload !== undefined || operation.filters !== undefined;
  const found = path.includes(':');
  return [
    ...new Set([
      ...SIGNED,
      ...(validated ? ['ValidationError' as const] : []),
      ...(found ? ['NotFound' as const] : []),
      ...(operation.reasons ?? []),
    ]),
  ];
}

/** The answers of a signed route that did not go well, by their codes. */
export function errorAnswers(operation: Operation, path: string): Record<string, Answer | { $ref: string }> {
  const reasons = reasonsOf(operation, path);
  const statuses = [...new Set(reasons.map(statusOf))].toSorted((a, b) => a - b);
  const refused = statuses.map((status) => {
    const those = reasons.filter((reason) => statusOf(reason) === status);
    return [String(status), same(those) ? shared(String(status)) : refusal(status, those)] as const;
  });
  return { ...Object.fromEntries(refused), '500': shared('500'), '503': shared('503') };
}

function refusal(status: number, reasons: readonly Reason[]): Answer {
  const first = reasons.at(-1) ?? 'ValidationError';
  return {
    description: reasons.map((reason) => `\`${reason}\`: ${REASON_WORDS[reason]}`).join('\n\n'),
    ...(status === 429 && { headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } } }),
    content: {
      'application/json': {
        schema: { allOf: [refTo('Error'), { required: ['reason'], properties: { reason: { enum: [...reasons] } } }] },
        example: { result: 'error', reason: first, message: REASON_WORDS[first], request_id: EXAMPLE_ID },
      },
    },
  };
}

const EXAMPLE_ID = '5b8e0f0e-7c2b-4a2b-9e55-3f1f1f0c7a11';

const unknown = (description: string, message: string): Answer => ({
  description,
  content: { 'application/json': { schema: refTo('Error'), example: { result: 'error', message, request_id: EXAMPLE_ID } } },
});

const UNKNOWN = unknown(
  'Something went wrong on our side. No `reason`: it may have been done. Look it up, never take it for a failure.',
  'Something went wrong on our side; whether the request took effect is not known.',
);
const UNAVAILABLE: Answer = {
  ...unknown(
    'Something that we depend on does not answer. No `reason`: it may have been done.',
    'The service is not available at the moment; whether the request took effect is not known.',
  ),
  headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
};

const signedStatuses = [...new Set(SIGNED.map(statusOf))];
const ofStatus = (status: number): Reason[] => SIGNED.filter((reason) => statusOf(reason) === status);
const same = (reasons: readonly Reason[]): boolean => signedStatuses.some((status) => ofStatus(status).join() === reasons.join());
const shared = (status: string): { $ref: string } => ({ $ref: `#/components/responses/${NAMES[status]}` });

const NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  413: 'PayloadTooLarge',
  429: 'RateLimited',
  500: 'Unknown',
  503: 'Unavailable',
};

/** What every signed route answers alike. */
export const SHARED_ANSWERS: Record<string, Answer> = {
  ...Object.fromEntries(signedStatuses.map((status) => [NAMES[status], refusal(status, ofStatus(status))])),
  Unknown: UNKNOWN,
  Unavailable: UNAVAILABLE,
};

/** Body of every answer that is not a success. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'What every answer has that is not a success.',
  required: ['result', 'message', 'request_id'],
  properties: {
    result: { const: 'error', description: 'Always `error`.' },
    reason: {
      type: 'string',
      description: 'Why it was refused: certain, and nothing was done. Absent on 5xx. Accept names that you do not know.',
      examples: Object.keys(REASON_WORDS),
    },
    message: { type: 'string', description: 'One sentence: what was wrong with which value, and what is allowed.' },
    errors: {
      type: 'array',
      description: 'What is wrong with which member.',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string', description: 'The member, as `recipients.0.amount`.' },
          message: { type: 'string', description: 'What is wrong with it.' },
        },
      },
    },
    request_id: { type: 'string', description: 'The same as the header `X-Request-Id`.' },
  },
};
