import type { BitcoinFormat } from '../address.ts';
import type { SpendableCoin } from './coins.ts';
import { feeOf } from './fees.ts';
import { inputSize, transactionSize } from './size.ts';

export interface SelectOptions {
  /** In satoshi per byte. */
  rate: number;
  /** Of the outputs. */
  total: bigint;
  scripts: readonly Uint8Array[];
  changeScript: Uint8Array;
  /** Change below is left to the fee. */
  dust: bigint;
}

export interface Selection {
  coins: readonly SpendableCoin[];
  fee: bigint;
  /** Zero: nothing worth an output is left. */
  change: bigint;
}

/** Larger transactions are not relayed: 100,000 virtual bytes. */
const MAX_INPUTS = 500;

/**
 * Chooses coins for a payment: the smallest single one that is enough, else the largest ones. Null
 * when they are not enough.
 */
export function select(coins: readonly SpendableCoin[], options: SelectOptions): Selection | null {
  const useful = coins
    .filter(({ units, format }) => units > feeOf(options.rate, inputSize(format)))
    .toSorted((a, b) => (a.units < b.units ? -1 : a.units > b.units ? 1 : 0));
  for (const coin of useful) {
    const found = balance([coin], options);
    if (found !== null) return found;
  }
  const chosen: SpendableCoin[] = [];
  for (const coin of useful.toReversed().slice(0, MAX_INPUTS)) {
    chosen.push(coin);
    const found = balance(chosen, options);
    if (found !== null) return found;
  }
  return null;
}

/** Fee and change of these coins; null when they are not enough. */
export function balance(
  coins: readonly SpendableCoin[],
  { rate, total, scripts, changeScript, dust }: SelectOptions,
): Selection | null {
  const formats: BitcoinFormat[] = coins.map(({ format }) => format);
  const rest = coins.reduce((sum, { units }) => sum + units, 0n) - total;
  const feeWithChange = feeOf(rate, transactionSize(formats, [...scripts, changeScript]));
  if (rest - feeWithChange >= dust)
    return { coins: [...coins], fee: feeWithChange, change: rest - feeWithChange };
  return rest >= feeOf(rate, transactionSize(formats, scripts))
    ? { coins: [...coins], fee: rest, change: 0n }
    : null;
}
