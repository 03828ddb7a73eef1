import type { Generated } from 'kysely';
import type { Decimal, DefaultDecimal, Maybe, Timestamp } from '../column.ts';

export interface WalletTable {
  account_id: string;
  id: string;
  name: string;
  chain: string;
  address_format: Generated<'bech32' | 'p2sh'>;
  created_at: Timestamp;
}

export interface PostingTable {
  account_id: string;
  entry_id: string;
  line: number;
  book: 'wallet' | 'chain' | 'exchange';
  wallet_id: Maybe<string>;
  bucket: Maybe<Bucket>;
  currency: string;
  amount: Decimal;
  reason: string;
  resource_id: string;
  created_at: Timestamp;
}

/** `reserved`: held back for a payout. */
export type Bucket = 'pending' | 'available' | 'frozen' | 'reserved';

export interface BalanceTable {
  account_id: string;
  wallet_id: string;
  currency: string;
  bucket: Bucket;
  amount: DefaultDecimal;
}

/** A network fee that the chain took, and that a wallet has no money for yet. */
export interface OwedFeeTable {
  resource_id: string;
  account_id: string;
  wallet_id: string;
  currency: string;
  reason: string;
  amount: Decimal;
}
