import { INVOICE_STATUSES, REFUND_STATUSES, RISK_LEVELS } from '@crypto-checkout/protocol/status';
import type { JsonSchema } from './schema.ts';

const DATE = 'UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`';

/** Descriptions of list filters, by name, or by resource and name. */
const FILTERS: Readonly<Record<string, JsonSchema>> = {
  p: {
    type: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Page, from 1.',
    examples: [1],
  },
  txid: { type: 'string', description: 'Transaction id on the chain.' },
  address: { type: 'string', description: 'Complete address.' },
  status: { type: 'string', enum: [...INVOICE_STATUSES], description: 'Status.' },
  'refunds status': {
    type: 'string',
    enum: [...REFUND_STATUSES, 'waiting'],
    description: 'Status; `waiting` for all that can be approved or rejected.',
  },
  transaction_id: {
    type: 'string',
    format: 'uuid',
    description: 'Id of the transaction that they return.',
  },
  profile_id: {
    type: 'string',
    format: 'uuid',
    description: 'Id of the profile that they were created with.',
  },
  order_id: { type: 'string', description: 'Complete id of the order in the shop. An extension.' },
  invoice_id: { type: 'string', format: 'uuid', description: 'Id of the invoice that they pay.' },
  reference_id: { type: 'string', description: 'Complete reference of the caller.' },
  date_from: {
    type: 'string',
    description: `Created at this time or later: ${DATE}.`,
    examples: ['2026-11-01'],
  },
  date_to: {
    type: 'string',
    description: `Created at this time or earlier: ${DATE}; a date without a time includes the whole day.`,
    examples: ['2026-11-30'],
  },
  risk_level: {
    type: 'string',
    enum: [...RISK_LEVELS, 'null'],
    description: 'Result of the risk analysis; `null` without an analysis.',
  },
};

/** @throws Error for a filter without a description */
export function filterSchema(resource: string, name: string): JsonSchema {
  const schema = FILTERS[`${resource} ${name}`] ?? FILTERS[name];
  if (!schema) throw new Error(`The filter ${name} has no description in openapi/filter.ts`);
  return schema;
}
