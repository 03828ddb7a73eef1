import { CURRENCIES } from '@crypto-checkout/protocol/currency';
import { KINDS, PAYOUT_ONLY_KINDS } from '@crypto-checkout/protocol/kind';
import type { JsonSchema } from './schema.ts';

const payable = KINDS.filter(({ chain }) => chain !== 'lightning').map(({ kind }) => kind);

/** Words that requests choose from; refusing others is the work of the verbs, because they also know what is offered today. */
export const VOCABULARY: Readonly<Record<string, JsonSchema>> = {
  Kind: { type: 'string', description: 'A coin on a chain (§2.1).', enum: KINDS.map(({ kind }) => kind) },
  PayoutKind: {
    type: 'string',
    description: 'What a payout can send; the two of lightning pay from the lightning wallet, to a request or to an address (§4.3).',
    enum: [...new Set([...payable, ...PAYOUT_ONLY_KINDS])],
  },
  PayoutCurrency: {
    type: 'string',
    description: 'What an amount of a payout can be stated in: the currencies of invoices without USDT (§4.3), and the coin that is sent.',
    enum: [...new Set(['TON', ...[...CURRENCIES, ...KINDS].map(({ symbol }) => symbol)])].filter((symbol) => symbol !== 'USDT'),
  },
  Currency: { type: 'string', description: 'What an amount can be stated in (§4.1).', enum: CURRENCIES.map(({ symbol }) => symbol) },
};
