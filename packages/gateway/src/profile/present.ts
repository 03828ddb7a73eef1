import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { KINDS } from '@crypto-checkout/protocol/kind';
import { z } from 'zod';
import { usualConfirmations } from './default-confirmations.ts';
import type { ProfileRow } from './store.ts';

const ORDER = new Map(KINDS.map(({ kind }, number) => [kind, number]));

/**
 * A profile on the wire, as every read returns it.
 * @param unavailable kinds in which no invoice can be made now
 */
export function presentProfile(row: ProfileRow, unavailable: ReadonlySet<string>) {
  const reserve = reserveOf(row);
  return present(
    row,
    reserve && { kind: reserve.kind, network: networkOf(row), wallet_id: reserve.walletId },
    unavailable,
  );
}

/** As create and update return it: the reserve wallet's id is in `wallet`. */
export function presentWrittenProfile(row: ProfileRow, unavailable: ReadonlySet<string>) {
  const reserve = reserveOf(row);
  return present(
    row,
    reserve && { kind: reserve.kind, network: networkOf(row), wallet: reserve.walletId },
    unavailable,
  );
}

function present<Reserve>(
  row: ProfileRow,
  reserve_wallet: Reserve,
  unavailable: ReadonlySet<string>,
) {
  const network = networkOf(row);
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
    acceptance_range: {
      positive_difference: row.positive_difference,
      negative_difference: row.negative_difference,
    },
    reserve_wallet,
    callback_url: row.callback_url,
    currencies: row.currencies
      .toSorted((a, b) => rank(a.kind) - rank(b.kind))
      .map(({ kind, wallet_id, custom_fee, min_confirmations, zero_conf_max_amount }) => ({
        kind,
        network,
        wallet_id,
        custom_fee,
        min_confirmations: min_confirmations ?? usualConfirmations(kind, row),
        ...(zero_conf_max_amount === null
          ? {}
          : { zero_conf_max_amount: formatAmount(parseAmount(zero_conf_max_amount)) }),
        ...(unavailable.has(kind) ? { unavailable: true as const } : {}),
      })),
  };
}

const networkOf = ({ is_testnet }: ProfileRow): string => (is_testnet ? 'testnet' : 'mainnet');

const reference = z.string().optional();
const storedReserve = z.object({ kind: z.string(), wallet: reference, wallet_id: reference });

function reserveOf({ reserve_wallet }: ProfileRow): { kind: string; walletId: string } | null {
  const { data } = storedReserve.safeParse(reserve_wallet);
  const walletId = data?.wallet_id ?? data?.wallet;
  return data === undefined || walletId === undefined ? null : { kind: data.kind, walletId };
}

/** In the order of the kinds table, independent of the database. */
const rank = (kind: string): number => ORDER.get(kind) ?? ORDER.size;
