import { z } from 'zod';
import { amountText } from './fields/amount.ts';
import { id } from './fields/common-fields.ts';

export const balance = z
  .object({
    available: amountText.meta({
      description: 'Amount that payouts can use.',
      examples: ['0.0123'],
    }),
    pending: amountText.meta({ description: 'Amount that is not confirmed yet.', examples: ['0'] }),
    currency: z.string().meta({ description: 'Symbol of the coin.', examples: ['BTC'] }),
    zero_confirmed: amountText.nullish().meta({
      description:
        'Native coin of bitcoin-like chains: amount that was accepted before it was in a block.',
      examples: ['0'],
    }),
    to_consolidate: amountText.nullish().meta({
      description: 'Account-based chains, and every token: amount on the addresses of invoices.',
      examples: [null],
    }),
  })
  .meta({ description: 'Balance of one coin in a wallet.' });
export type Balance = z.infer<typeof balance>;

/** `bech32` addresses begin with bc1, `p2sh` addresses with 3. */
export const addressFormat = z.enum(['bech32', 'p2sh'], 'must be bech32 or p2sh');
export type AddressFormat = z.infer<typeof addressFormat>;

export const updateWallet = z
  .object({
    address_format: addressFormat.meta({
      description: 'Format of new addresses of kind `BTC`.',
      examples: ['bech32'],
    }),
  })
  .meta({ description: 'Changes to a wallet.' });

const tokenBalances = z
  .array(balance)
  .meta({ description: 'Balances of the tokens; only on chains with tokens.', examples: [[]] });

export const wallet = z
  .object({
    id,
    name: z.string().meta({ description: 'Display name.', examples: ['Bitcoin wallet'] }),
    balances: balance.meta({ description: 'Balance of the native coin of the chain.' }),
    token_balances: tokenBalances.default([]),
    address_format: addressFormat.optional().meta({
      description: 'Bitcoin only: format of new addresses of kind `BTC`, `bech32` or `p2sh`.',
      examples: ['bech32'],
    }),
  })
  .meta({ description: 'Balances on one chain.' });
export type Wallet = z.infer<typeof wallet>;

/** A wallet as the gateway sends it: chains without tokens omit the member. */
export const sentWallet = wallet
  .extend({ token_balances: tokenBalances.optional() })
  .meta({ description: 'Balances on one chain.' });
