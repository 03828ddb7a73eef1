import { z } from 'zod';
import { CURRENCIES } from '../../amount/currency.ts';
import { KINDS, PAYOUT_ONLY_KINDS } from '../../kinds/kind.ts';

/*
 * Kinds and currencies of requests. The schemas accept any text and publish the list of values: the
 * service accepts only those that are offered at the time, and gives the reason for a refusal.
 */

const kinds = KINDS.map(({ kind }) => kind);
const onChain = KINDS.filter(({ chain }) => chain !== 'lightning').map(({ kind }) => kind);
const symbols = ['TON', ...[...CURRENCIES, ...KINDS].map(({ symbol }) => symbol)];

export const kindText = z.string().meta({ description: 'A coin on a chain.', enum: kinds });

export const payoutKindText = z.string().meta({
  description:
    'Kinds that a payout can send. Both lightning kinds pay from the lightning wallet, to a payment request or an address.',
  enum: [...new Set([...onChain, ...PAYOUT_ONLY_KINDS])],
});

export const currencyText = z.string().meta({
  description: 'Currencies of an amount.',
  enum: CURRENCIES.map(({ symbol }) => symbol),
});

export const payoutCurrencyText = z.string().meta({
  description:
    'Currencies of the amount of a payout: the currencies of invoices without USDT, and the coin of the payout.',
  enum: [...new Set(symbols)].filter((symbol) => symbol !== 'USDT'),
});
