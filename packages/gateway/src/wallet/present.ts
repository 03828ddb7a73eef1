import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, type ChainId, kindOf, KINDS } from '@crypto-checkout/protocol/kind';
import type { WalletRow } from './store.ts';

interface Balance {
  available: string;
  pending: string;
  /** Bitcoin-like wallets: the part of what is pending that is accepted without a confirmation. */
  zero_confirmed?: string;
  /** Account-model chains: received on deposit addresses, not yet moved together. */
  to_consolidate?: string;
  currency: string;
}

/** §2.9 */
export interface Wallet {
  id: string;
  name: string;
  balances: Balance;
  token_balances?: Balance[];
}

/** A wallet as the interface shows it: its chain's own coin, and on chains with tokens one balance for each. */
export function presentWallet(row: WalletRow): Wallet {
  const chain = CHAINS[row.chain as ChainId];
  const assets = assetsOf(row.chain);
  const [own, ...tokens] = assets.map((asset) => presentBalance(row, asset, chain.family));
  if (!own) throw new Error(`The wallet ${row.id} is for a chain without a coin: ${row.chain}`);
  return { id: row.id, name: row.name, balances: own, ...(assets.length > 1 ? { token_balances: tokens } : {}) };
}

/** What a wallet of a chain can hold, its own coin first. */
function assetsOf(chain: string): string[] {
  return [...new Set(KINDS.filter((kind) => kind.chain === chain).map(({ asset }) => asset))];
}

function presentBalance(row: WalletRow, asset: string, family: string): Balance {
  const available = sumOf(row, asset, 'available');
  return {
    available: formatAmount(available),
    pending: formatAmount(sumOf(row, asset, 'pending')),
    ...(family === 'utxo' || family === 'liquid' ? { zero_confirmed: formatAmount(sumOf(row, asset, 'zero_confirmed')) } : {}),
    // Nothing is moved together yet: what came in lies where it came in.
    ...(CONSOLIDATED.has(family) ? { to_consolidate: formatAmount(available) } : {}),
    currency: kindOf(asset)?.symbol ?? asset,
  };
}

/** Every invoice has an address of its own there, with a balance of its own. */
const CONSOLIDATED = new Set(['evm', 'tron', 'solana', 'ton']);

function sumOf(row: WalletRow, asset: string, bucket: string): bigint {
  return row.balances
    .filter((balance) => balance.currency === asset && balance.bucket === bucket)
    .reduce((sum, { amount }) => sum + parseAmount(amount), 0n);
}
