import type { EvmNetwork } from '@crypto-checkout/chains/adapter';
import type { AddressProof } from '@crypto-checkout/protocol/address-proof';
import type { Generated } from 'kysely';
import type {
  Decimal,
  DefaultDecimal,
  Json,
  Maybe,
  MaybeDecimal,
  MaybeJson,
  MaybeTimestamp,
  TextArray,
  Timestamp,
} from '../column.ts';

export interface InvoiceTable {
  account_id: string;
  id: string;
  profile_id: string;
  wallet_id: string;
  kind: string;
  chain: string;
  status: 'new' | 'pending' | 'paid' | 'complete' | 'expired';
  created_at: Timestamp;
  expires_at: MaybeTimestamp;
  requested_text: Maybe<string>;
  requested_currency: string;
  invoiced: MaybeDecimal;
  rate_usd: MaybeDecimal;
  fee_amount: MaybeDecimal;
  min_confirmations: Maybe<number>;
  required_confirmations: number;
  positive_difference: Decimal;
  negative_difference: Decimal;
  zero_conf_enabled: Generated<boolean>;
  notes: Maybe<string>;
  passthrough: Maybe<string>;
  address: Maybe<string>;
  tag: Maybe<string>;
  x_address: Maybe<string>;
  public_address: Maybe<string>;
  lightning: MaybeJson<{
    paymentRequest: string | null;
    paymentHash: string | null;
    lnurl: string | null;
  }>;
  /** The network of a payment link, where it is not that of the tables. */
  evm: MaybeJson<EvmNetwork>;
  lnurl_invoice_id: Maybe<string>;
  renewals: Generated<number>;
  extended: Generated<boolean>;
  paid_total: DefaultDecimal;
  /** The shop's order; part of the address proof. */
  order_id: Maybe<string>;
  proof: MaybeJson<AddressProof>;
  /** Of a lightning request beside an address. */
  lightning_proof: MaybeJson<AddressProof>;
  /** Beside an address: a payment was seen, so the request is not shown any more. */
  request_closed: Generated<boolean>;
  events: TextArray;
  version: Generated<number>;
  updated_at: Timestamp;
}

export interface QuoteTable {
  account_id: string;
  invoice_id: string;
  number: number;
  invoiced: Decimal;
  rate_usd: MaybeDecimal;
  currency_rates: Json;
  starts_at: Timestamp;
  expires_at: MaybeTimestamp;
}

export interface DepositTargetTable {
  watch_key: string;
  account_id: string;
  invoice_id: string;
  chain: string;
  created_at: Timestamp;
}
