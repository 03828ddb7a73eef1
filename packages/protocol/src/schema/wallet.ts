import { z } from 'zod';
import { amountText } from './amount.ts';

/** §2.9. */
export const balance = z.object({
  available: amountText,
  pending: amountText,
  currency: z.string(),
  /** Bitcoin-like wallets, their own coin. */
  zero_confirmed: amountText.nullish(),
  /** Account-model chains, and every token. */
  to_consolidate: amountText.nullish(),
});
export type Balance = z.infer<typeof balance>;

/** §2.1: `bech32` begins with bc1, `p2sh` with 3. */
export const addressFormat = z.enum(['bech32', 'p2sh'], 'must be bech32 or p2sh');
export type AddressFormat = z.infer<typeof addressFormat>;

/** Ours. */
export const updateWallet = z.object({ address_format: addressFormat });

export const wallet = z.object({
  id: z.string(),
  name: z.string(),
  balances: balance,
  /** For chains with tokens. */
  token_balances: z.array(balance).default([]),
  /** Ours: in which form addresses of kind BTC are given out; bitcoin wallets only (§2.1). */
  address_format: addressFormat.optional(),
});
export type Wallet = z.infer<typeof wallet>;

/** As this service sends it: chains without tokens leave the member out. */
export const sentWallet = wallet.extend({ token_balances: z.array(balance).optional() });
