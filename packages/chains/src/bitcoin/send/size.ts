import type { BitcoinFormat } from '../address.ts';

/** Virtual bytes of a signed input (BIP 141), rounded up. */
const INPUT_SIZE: Readonly<Record<BitcoinFormat, number>> = { bech32: 68, p2sh: 91, p2pkh: 148 };
/** Version, counts, lock time and the mark of a witness. */
const OVERHEAD = 11;
/** Counts of more than 252 inputs or outputs take two bytes more. */
const LONG_COUNTS = 4;

export const inputSize = (format: BitcoinFormat): number => INPUT_SIZE[format];

/** The size of an output with this script: amount, length and script. */
export const outputSize = (script: Uint8Array): number => 9 + script.length;

/** Virtual bytes of a transaction; never below the real size. */
export const transactionSize = (
  formats: readonly BitcoinFormat[],
  scripts: readonly Uint8Array[],
): number =>
  OVERHEAD +
  (formats.length > 252 || scripts.length > 252 ? LONG_COUNTS : 0) +
  formats.reduce((sum, format) => sum + inputSize(format), 0) +
  scripts.reduce((sum, script) => sum + outputSize(script), 0);
