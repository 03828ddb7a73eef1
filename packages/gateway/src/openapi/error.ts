import type { Reason } from '@crypto-checkout/protocol/error';
import { statusOf } from '../http/error.ts';
import type { Operation } from '../http/operation.ts';
import { type JsonSchema, refTo } from './schema.ts';

export interface Answer {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Record<string, { schema: JsonSchema; example?: unknown }>;
}

/** Error reasons of every signed request, before its handler runs. */
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

/** When a reason is returned. */
export const REASON_DESCRIPTIONS: Readonly<Record<Reason, string>> = {
  MissingHeaders: 'One of the three headers is missing or was sent twice.',
  InvalidPayload:
    'The payload is not canonical base64 of a JSON object, or the request is not valid HTTP.',
  InvalidApiKey: 'The key is unknown, or the signature does not match.',
  InvalidNonce: 'The nonce is not greater than the last nonce of the key.',
  EndpointMismatch: 'The member `request` or `method` names another path or method.',
  IpNotAllowed: 'The key does not allow this IP address.',
  PermissionDenied: 'The key lacks the permission, or this kind of key can never do this.',
  NotFound: 'The account has no object with this id.',
  MethodNotAllowed: 'The path does not support this method; `Allow` lists the supported methods.',
  PayloadTooLarge:
    'The payload header has more than 32,768 characters, or all headers more than 64 KiB (then 431).',
  ValidationError: 'A member or a filter is not valid; `errors` lists each of them.',
  CurrencyNotEnabled: 'The profile does not offer this coin.',
  ExchangeRateLimitExceeded:
    "The service's rate differs from `exchange_rate` by more than `allowed_difference`.",
  RateUnavailable: 'There is no reliable rate at the moment (503, and therefore without a reason).',
  DuplicateReference:
    'Another payout has this `reference_id` or `passthrough`, with different parameters.',
  AlreadyExists: 'A rule for this wallet and kind exists already.',
  InvalidState: 'The state of the object does not allow this.',
  LnurlError: 'The LNURL answered with an error, or does not accept this amount.',
  ShopAddress: 'The address of the refund receives payments of this service.',
  RateLimited: 'Too many requests; `Retry-After` is the number of seconds to wait.',
  InvalidAddress: 'The address is not valid on this chain and network.',
  InsufficientFunds: 'The available balance of the wallet is too low.',
  PayoutNetworkFeeTooHigh: 'The network fee is greater than the amount.',
};

/** Error reasons that a route can answer with. */
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

/** The error answers of a signed route, by status code. */
export function errorAnswers(
  operation: Operation,
  path: string,
): Record<string, Answer | { $ref: string }> {
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
    description: reasons
      .map((reason) => `\`${reason}\`: ${REASON_DESCRIPTIONS[reason]}`)
      .join('\n\n'),
    ...(status === 429 && {
      headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
    }),
    content: {
      'application/json': {
        schema: {
          allOf: [
            refTo('Error'),
            { required: ['reason'], properties: { reason: { enum: [...reasons] } } },
          ],
        },
        example: {
          result: 'error',
          reason: first,
          message: REASON_DESCRIPTIONS[first],
          request_id: EXAMPLE_ID,
        },
      },
    },
  };
}

const EXAMPLE_ID = '5b8e0f0e-7c2b-4a2b-9e55-3f1f1f0c7a11';

const unknown = (description: string, message: string): Answer => ({
  description,
  content: {
    'application/json': {
      schema: refTo('Error'),
      example: { result: 'error', message, request_id: EXAMPLE_ID },
    },
  },
});

const UNKNOWN = unknown(
  'Internal error. There is no `reason`, because the request may have taken effect. Read the object again; do not assume a failure.',
  'Something went wrong on our side; whether the request took effect is not known.',
);
const UNAVAILABLE: Answer = {
  ...unknown(
    'A dependency does not answer. There is no `reason`, because the request may have taken effect.',
    'The service is not available at the moment; whether the request took effect is not known.',
  ),
  headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
};

const signedStatuses = [...new Set(SIGNED.map(statusOf))];
const ofStatus = (status: number): Reason[] =>
  SIGNED.filter((reason) => statusOf(reason) === status);
const same = (reasons: readonly Reason[]): boolean =>
  signedStatuses.some((status) => ofStatus(status).join() === reasons.join());
const shared = (status: string): { $ref: string } => ({
  $ref: `#/components/responses/${NAMES[status]}`,
});

/** An answer that signed and public routes have in common. */
export const sharedAnswer = (status: 400 | 429): { $ref: string } => shared(String(status));

const NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  413: 'PayloadTooLarge',
  429: 'RateLimited',
  500: 'Unknown',
  503: 'Unavailable',
};

/** The status code of a shared answer. */
export const statusOfAnswer = (name: string): string =>
  Object.keys(NAMES).find((status) => NAMES[status] === name) ?? '';

/** The answers common to all signed routes. */
export const SHARED_ANSWERS: Record<string, Answer> = {
  ...Object.fromEntries(
    signedStatuses.map((status) => [NAMES[status], refusal(status, ofStatus(status))]),
  ),
  Unknown: UNKNOWN,
  Unavailable: UNAVAILABLE,
};

/** Body of every error answer. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Body of every answer that is not a success.',
  required: ['result', 'message', 'request_id'],
  properties: {
    result: { const: 'error', description: 'Always `error`.' },
    reason: {
      type: 'string',
      description:
        'Reason of a definite refusal: the request had no effect. Absent on 5xx. Accept unknown values.',
      examples: Object.keys(REASON_DESCRIPTIONS),
    },
    message: {
      type: 'string',
      description: 'One sentence with the wrong value, the mistake and the allowed values.',
    },
    errors: {
      type: 'array',
      description: 'Mistakes by member.',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: {
            type: 'string',
            description: 'Path of the member, for example `recipients.0.amount`.',
          },
          message: { type: 'string', description: 'Description of the mistake.' },
        },
      },
    },
    request_id: { type: 'string', description: 'Value of the header `X-Request-Id`.' },
  },
};
