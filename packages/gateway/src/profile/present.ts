import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { KINDS } from '@crypto-checkout/protocol/kind';
import type { ProfileRow } from './store.ts';

const ORDER = new Map(KINDS.map(({ kind }, number) => [kind, number]));

/** §2.8, as every read of it answers. */
export function presentProfile(row: ProfileRow) {
  const network = row.is_testnet ? 'testnet' : 'mainnet';
  return {
    id: row.id,
    account: row.account_name,
    account_id: row.account_id,
    name: row.name,
    notification_email: row.notification_email,
    invoice_expiration: row.invoice_expiration,
    addresses_expiration: row.addresses_expiration,
    notification_email_kinds: row.notification_email_kinds,
    onramp_api_key: row.onramp_api_key,
    allow_smart_contract_payouts: row.allow_smart_contract_payouts,
    stablecoin_precision: row.stablecoin_precision,
    acceptance_range: { positive_difference: row.positive_difference, negative_difference: row.negative_difference },
    reserve_wallet: row.reserve_wallet,
    callback_url: row.callback_url,
    currencies: row.currencies
      .toSorted((a, b) => rank(a.kind) - rank(b.kind))
      .map(({ kind, wallet_id, custom_fee, min_confirmations, zero_conf_max_amount }) => ({
        kind,
        network,
        wallet_id,
        custom_fee,
        min_confirmations,
        ...(zero_conf_max_amount === null ? {} : { zero_conf_max_amount: formatAmount(parseAmount(zero_conf_max_amount)) }),
      })),
  };
}

/** The order of the kinds table, whatever the database answers. */
const rank = (kind: string): number => ORDER.get(kind) ?? ORDER.size;
