import type { AddressProof } from '@crypto-checkout/protocol/address-proof';
import type { DepositTarget } from '@crypto-checkout/chains/adapter';
import type { Db } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { CurrencyRates, InvoiceRow } from './store.ts';

/** Columns of a new invoice; the others have defaults. */
export type NewInvoice = Pick<
  InvoiceRow,
  | 'account_id'
  | 'id'
  | 'profile_id'
  | 'wallet_id'
  | 'kind'
  | 'chain'
  | 'created_at'
  | 'expires_at'
  | 'requested_text'
  | 'requested_currency'
  | 'invoiced'
  | 'rate_usd'
  | 'fee_amount'
  | 'min_confirmations'
  | 'required_confirmations'
  | 'positive_difference'
  | 'negative_difference'
  | 'zero_conf_enabled'
  | 'notes'
  | 'passthrough'
  | 'lnurl_invoice_id'
  | 'expiration_seconds'
  | 'order_id'
>;

interface NewRows extends NewInvoice {
  address: string | null;
  tag: string | null;
  xAddress: string | null;
  publicAddress: string | null;
  lightningJson: string | null;
  evmJson: string | null;
  proofJson: string | null;
  lightningProofJson: string | null;
  ratesJson: string;
  /** One entry for each watch key in all three. */
  watchKeys: readonly string[];
  chains: readonly string[];
  indexes: readonly number[];
}

/** A deposit target with its key index. */
export interface NumberedTarget extends DepositTarget {
  index: number;
}

const insertRows = statement<NewRows>`
  with i as (
    insert into invoice (account_id, id, profile_id, wallet_id, kind, chain, status, created_at, expires_at, requested_text,
      requested_currency, invoiced, rate_usd, fee_amount, min_confirmations, required_confirmations, positive_difference,
      negative_difference, zero_conf_enabled, notes, passthrough, address, tag, x_address, public_address, lightning,
      evm, lnurl_invoice_id, expiration_seconds, order_id, proof, lightning_proof, updated_at)
    values (${'account_id'}, ${'id'}, ${'profile_id'}, ${'wallet_id'}, ${'kind'}, ${'chain'}, 'new', ${'created_at'},
      ${'expires_at'}, ${'requested_text'}, ${'requested_currency'}, ${'invoiced'}, ${'rate_usd'}, ${'fee_amount'},
      ${'min_confirmations'}, ${'required_confirmations'}, ${'positive_difference'}, ${'negative_difference'},
      ${'zero_conf_enabled'}, ${'notes'}, ${'passthrough'}, ${'address'}, ${'tag'}, ${'xAddress'}, ${'publicAddress'},
      ${'lightningJson'}, ${'evmJson'}, ${'lnurl_invoice_id'}, ${'expiration_seconds'}, ${'order_id'},
      ${'proofJson'}, ${'lightningProofJson'}, ${'created_at'})
    returning account_id, id, created_at),
  q as (
    insert into quote (account_id, invoice_id, number, invoiced, rate_usd, currency_rates, starts_at, expires_at)
    select account_id, id, 1, ${'invoiced'}::numeric, ${'rate_usd'}::numeric, ${'ratesJson'}::jsonb, created_at,
      ${'expires_at'}::timestamptz
    from i where ${'invoiced'}::numeric is not null)
  insert into deposit_target (watch_key, account_id, invoice_id, chain, key_index, created_at)
  select t.watch_key, account_id, id, t.chain, t.key_index, created_at
  from i, unnest(${'watchKeys'}::text[], ${'chains'}::text[], ${'indexes'}::bigint[]) as t(watch_key, chain, key_index)`;

export interface NewInvoiceDetails {
  rates: CurrencyRates;
  proof: AddressProof | null;
  /** A lightning request beside the address. */
  beside?: NumberedTarget | null;
  lightningProof?: AddressProof | null;
}

/** Inserts an invoice, its quote and its deposit targets in one statement. */
export async function insertInvoice(
  db: Db,
  invoice: NewInvoice,
  target: NumberedTarget,
  { rates, proof, beside = null, lightningProof = null }: NewInvoiceDetails,
): Promise<void> {
  const { address, tag, xAddress, publicAddress } = target;
  const lightning = target.lightning ?? beside?.lightning ?? null;
  const lightningJson = lightning === null ? null : JSON.stringify(lightning);
  const evmJson = target.evm === undefined ? null : JSON.stringify(target.evm);
  const proofJson = proof === null ? null : JSON.stringify(proof);
  const lightningProofJson = lightningProof === null ? null : JSON.stringify(lightningProof);
  const ratesJson = JSON.stringify(rates);
  const watchKeys = [...target.watchKeys, ...(beside?.watchKeys ?? [])];
  const own = target.watchKeys.length;
  const chains = watchKeys.map((_, at) => (at < own ? invoice.chain : 'lightning'));
  const indexes = watchKeys.map((_, at) => (at < own ? target.index : beside!.index));
  await insertRows(
    db,
    Object.assign({}, invoice, {
      address,
      tag,
      xAddress,
      publicAddress,
      watchKeys,
      chains,
      indexes,
      lightningJson,
      evmJson,
      proofJson,
      lightningProofJson,
      ratesJson,
    }),
  );
}
