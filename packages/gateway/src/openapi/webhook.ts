import { EVENTS, resourceOf, type CallbackResource, type Event } from '@crypto-checkout/protocol/event';
import type { Answer } from './error.ts';
import { type JsonSchema, refTo } from './schema.ts';

/** What each event tells (§6). */
export const EVENT_WORDS: Readonly<Record<Event, string>> = {
  transaction_pending: 'A payment was seen, in no block yet.',
  transaction_confirmed: 'It has the confirmations that are asked for.',
  transaction_complete: 'It is final on its chain.',
  transaction_replaced: 'Another transaction took its place.',
  transaction_failed: 'It failed on the chain.',
  transaction_quarantined: 'It is held, by the risk analysis or by hand.',
  transaction_zero_conf_confirmed: 'It was accepted before it is in a block.',
  invoice_pending: 'Payments make up the amount, not confirmed yet.',
  invoice_confirmed: 'They have the confirmations that are asked for.',
  invoice_complete: 'They are final; nothing more is told about this invoice.',
  invoice_incomplete: 'Less than the amount was paid.',
  payout_pending: 'The payout was sent, and is in no block yet.',
  payout_confirmed: 'It is in a block.',
  payout_complete: 'It is final on its chain.',
  payout_failed: 'It failed: nothing was or will be sent.',
  payout_rejected: 'It was rejected.',
};

/** A request that the service makes. */
export interface Webhook {
  operationId: string;
  summary: string;
  description: string;
  parameters: { name: string; in: 'header'; description: string; schema: JsonSchema }[];
  requestBody: { required: true; content: { 'application/json': { schema: JsonSchema } } };
  responses: Record<string, Answer>;
}

const COMPONENTS: Readonly<Record<CallbackResource, string>> = { invoice: 'Invoice', transaction: 'Transaction', payout: 'Payout' };

/** The requests to a profile's `callback_url`, one for each resource that events are about. */
export function webhooks(): Record<string, { post: Webhook }> {
  const resources = ['transaction', 'invoice', 'payout'] as const;
  return Object.fromEntries(resources.map((resource) => [`${resource}Callback`, { post: webhook(resource) }]));
}

function webhook(resource: CallbackResource): Webhook {
  return {
    operationId: `${resource}Callback`,
    summary: `What happened to ${resource === 'invoice' ? 'an invoice' : `a ${resource}`}`,
    description: `Sent to the \`callback_url\` of the profile until it answers 2xx, within 72 hours; 410 ends it. Id and bytes never change. Check \`webhook-signature\` over the bytes as they came, then read the ${resource} again before you believe it.`,
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: bodyOf(resource) } } },
    responses: { '2XX': { description: 'It was taken.' }, '410': { description: 'Nobody wants it; it is not sent again.' } },
  };
}

function bodyOf(resource: CallbackResource): JsonSchema {
  const events = EVENTS.filter((event) => resourceOf(event) === resource);
  const told = events.map((event) => `\`${event}\`: ${EVENT_WORDS[event]}`).join(' ');
  const about = (description: string): JsonSchema => ({ ...refTo(COMPONENTS[resource]), description });
  return {
    type: 'object',
    required: ['callback_id', 'callback_status', 'signature', 'result', resource],
    properties: {
      callback_id: { type: 'string', format: 'uuid', description: 'The same when it is sent again.' },
      callback_status: { type: 'string', enum: events, description: `The event. ${told}` },
      signature: {
        type: 'string',
        description: 'Lower-case hex of HMAC-SHA256 over `callback_id`, keyed with the account’s `callback_token`.',
      },
      result: about('As a get answers it.'),
      [resource]: about('The same again.'),
    },
  };
}

const HEADERS: Webhook['parameters'] = [
  { name: 'webhook-id', in: 'header', description: 'The same as `callback_id`.', schema: { type: 'string' } },
  { name: 'webhook-timestamp', in: 'header', description: 'When it was sent, in seconds since 1970.', schema: { type: 'string' } },
  {
    name: 'webhook-signature',
    in: 'header',
    description:
      '`v1,` and base64 of HMAC-SHA256 over id, timestamp and body, with points between, keyed with `callback_token` (Standard Webhooks).',
    schema: { type: 'string' },
  },
];
