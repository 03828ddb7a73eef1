import { z } from 'zod';
import { amountText } from './amount.ts';

/** §2.9. */
export const balance = z.object({
  available: amountText,
  pending: amountText,
  currency: z.string(),
  /** Bitcoin-like wallets. */
  zero_confirmed: amountText.nullish(),
  /** Account-model chains. */
  to_consolidate: amountText.nullish(),
});
export type Balance = z.infer<typeof balance>;

export const wallet = z.object({
  id: z.string(),
  name: z.string(),
  balances: balance,
  /** For chains with tokens. */
  token_balances: z.array(balance).default([]),
});
export type Wallet = z.infer<typeof wallet>;
