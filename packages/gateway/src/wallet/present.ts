import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId, kindOf, KINDS } from '@crypto-checkout/protocol/kind';
import type { AddressFormat } from '@crypto-checkout/protocol/schema/wallet';
import type { WalletRow } from './store.ts';

interface Balance {
  available: string;
  pending: string;
  /**
   * Bitcoin-like chains, native coin: the part of `pending` that is accepted without a
   * confirmation.
   */
  zero_confirmed?: string;
  /** Account-model chains and all tokens: the amount on deposit addresses that is not swept yet. */
  to_consolidate?: string;
  currency: string;
}

export interface Wallet {
  id: string;
  name: string;
  balances: Balance;
  token_balances?: Balance[];
  /** Bitcoin wallets only. */
  address_format?: AddressFormat;
}

/**
 * A wallet with the balance of its chain's native coin and, on chains with tokens, one balance per
 * token.
 */
export function presentWallet(row: WalletRow): Wallet {
  const chain = CHAINS[row.chain as ChainId];
  const assets = assetsOf(row.chain);
  const [coin, ...tokens] = assets;
  if (coin === undefined)
    throw new Error(`Wallet ${row.id} has a chain without a coin: ${row.chain}`);
  return {
    id: row.id,
    name: row.name,
    balances: presentBalance(
      row,
      coin,
      BITCOIN_LIKE.has(chain.family) ? 'zero_confirmed' : 'to_consolidate',
    ),
    ...(tokens.length > 0
      ? { token_balances: tokens.map((asset) => presentBalance(row, asset, 'to_consolidate')) }
      : {}),
    ...(row.chain === 'bitcoin' ? { address_format: row.address_format } : {}),
  };
}

/** Assets of a chain in the order of the balances, native coin first. */
export function assetsOf(chain: string): string[] {
  return [...new Set(KINDS.filter((kind) => kind.chain === chain).map(({ asset }) => asset))];
}

const BITCOIN_LIKE = new Set<string>(['utxo', 'liquid']);

function presentBalance(
  row: WalletRow,
  asset: string,
  part: 'zero_confirmed' | 'to_consolidate',
): Balance {
  return {
    available: sumOf(row, asset, 'available'),
    pending: sumOf(row, asset, 'pending'),
    [part]: sumOf(row, asset, part),
    currency: kindOf(asset)?.symbol ?? asset,
  };
}

function sumOf(row: WalletRow, asset: string, bucket: string): string {
  const parts = row.balances.filter(
    (balance) => balance.currency === asset && balance.bucket === bucket,
  );
  return formatAmount(parts.reduce((sum, { amount }) => sum + parseAmount(amount), 0n));
}
