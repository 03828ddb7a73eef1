import { INVOICE_STATUSES, RISK_LEVELS } from '@crypto-checkout/protocol/status';
import type { JsonSchema } from './schema.ts';

const DATE = 'UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`';

/** What a filter of a list means, by its name. */
const FILTERS: Readonly<Record<string, JsonSchema>> = {
  p: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'Page, from 1.', examples: [1] },
  txid: { type: 'string', description: 'The blockchain’s id of a transaction.' },
  address: { type: 'string', description: 'An address, in full.' },
  status: { type: 'string', enum: [...INVOICE_STATUSES], description: 'The status that they are in.' },
  profile_id: { type: 'string', format: 'uuid', description: 'The profile that they were created with.' },
  invoice_id: { type: 'string', format: 'uuid', description: 'The invoice that they pay.' },
  reference_id: { type: 'string', description: 'Your own reference, in full.' },
  date_from: { type: 'string', description: `Created at this time or later: ${DATE}.`, examples: ['2026-11-01'] },
  date_to: {
    type: 'string',
    description: `Created at this time or earlier: ${DATE}; a day without a time counts in full.`,
    examples: ['2026-11-30'],
  },
  risk_level: {
    type: 'string',
    enum: [...RISK_LEVELS, 'null'],
    description: 'The result of the risk analysis; `null` where there was none.',
  },
};

/** @throws Error for a filter that nobody described */
export function filterSchema(name: string): JsonSchema {
  const schema = FILTERS[name];
  if (!schema) throw new Error(`The filter ${name} has no description in openapi/filter.ts`);
  return schema;
}
