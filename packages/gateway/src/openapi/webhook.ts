import {
  EVENTS,
  resourceOf,
  type CallbackResource,
  type Event,
} from '@crypto-checkout/protocol/event';
import type { Answer } from './error.ts';
import { type JsonSchema, refTo } from './schema.ts';

/** Descriptions of the events. */
export const EVENT_DESCRIPTIONS: Readonly<Record<Event, string>> = {
  transaction_pending: 'A payment was seen; it is not in a block yet.',
  transaction_confirmed: 'It has the required confirmations.',
  transaction_complete: 'It is final on its chain.',
  transaction_replaced: 'Another transaction replaced it.',
  transaction_failed: 'It failed on the chain.',
  transaction_quarantined: 'The risk analysis or an operator holds it.',
  transaction_zero_conf_confirmed: 'It was accepted before it was in a block.',
  transaction_late_accepted: 'The shop counts it although it came late.',
  invoice_pending: 'Payments reach the amount but are not confirmed yet.',
  invoice_confirmed: 'The payments have the required confirmations.',
  invoice_complete: 'The payments are final. This is the last event of the invoice.',
  invoice_incomplete: 'The payments are less than the amount.',
  payout_pending: 'The payout was sent; it is not in a block yet.',
  payout_confirmed: 'It is in a block.',
  payout_complete: 'It is final on its chain.',
  payout_failed: 'It failed: nothing was sent or will be sent.',
  payout_rejected: 'It was rejected.',
  refund_requested: 'A refund was asked for; its transaction counts for nothing else.',
  refund_paid: 'It was paid, and its payout is final.',
  refund_rejected: 'It was rejected; its transaction counts again.',
};

/** A request that the service sends. */
export interface Webhook {
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: 'header'; description: string; schema: JsonSchema }[];
  requestBody: { required: true; content: { 'application/json': { schema: JsonSchema } } };
  responses: Record<string, Answer>;
  /** Signed by headers, which are no scheme of the description. */
  security: [];
}

const COMPONENTS: Readonly<Record<CallbackResource, string>> = {
  invoice: 'Invoice',
  transaction: 'Transaction',
  payout: 'Payout',
  refund: 'Refund',
};

/** The requests to a profile's `callback_url`, one for each resource with events. */
export function webhooks(): Record<string, { post: Webhook }> {
  const resources = ['transaction', 'invoice', 'payout', 'refund'] as const;
  return Object.fromEntries(
    resources.map((resource) => [`${resource}Callback`, { post: webhook(resource) }]),
  );
}

function webhook(resource: CallbackResource): Webhook {
  return {
    operationId: `${resource}Callback`,
    security: [],
    summary: `Event of ${resource === 'invoice' ? 'an invoice' : `a ${resource}`}`,
    description: `Sent to the \`callback_url\` of the profile until it answers 2xx, for up to 72 hours; 410 ends the retries. Retries have the same id and the same bytes. Verify \`webhook-signature\` over the received bytes, then read the ${resource} again before you act on it.`,
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: bodyOf(resource) } } },
    responses: {
      '2XX': { description: 'The callback was accepted.' },
      '410': { description: 'The callback is unwanted; it is not sent again.' },
    },
  };
}

function bodyOf(resource: CallbackResource): JsonSchema {
  const events = EVENTS.filter((event) => resourceOf(event) === resource);
  const meanings = events.map((event) => `\`${event}\`: ${EVENT_DESCRIPTIONS[event]}`).join(' ');
  const about = (description: string): JsonSchema => ({
    ...refTo(COMPONENTS[resource]),
    description,
  });
  return {
    type: 'object',
    required: ['callback_id', 'callback_status', 'signature', 'result', resource],
    properties: {
      callback_id: {
        type: 'string',
        format: 'uuid',
        description: 'Id of the callback; retries and resends keep it.',
      },
      callback_status: { type: 'string', enum: events, description: `The event. ${meanings}` },
      signature: {
        type: 'string',
        description:
          'Lower-case hex of HMAC-SHA256 over `callback_id`, keyed with the account’s `callback_token`.',
      },
      result: about('The object, as `GET` returns it.'),
      [resource]: about('The same object again.'),
    },
  };
}

const HEADERS: Webhook['parameters'] = [
  {
    name: 'webhook-id',
    in: 'header',
    description: 'Value of `callback_id`.',
    schema: { type: 'string' },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    description: 'Time of sending, in seconds since 1970.',
    schema: { type: 'string' },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    description:
      '`v1,` and base64 of HMAC-SHA256 over id, timestamp and body, separated by points, keyed with `callback_token` (Standard Webhooks).',
    schema: { type: 'string' },
  },
];
