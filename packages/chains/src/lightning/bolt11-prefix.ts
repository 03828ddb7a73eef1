/** Human-readable prefixes: main network, test network, regtest, signet. */
export type LightningPrefix = 'bc' | 'tb' | 'bcrt' | 'tbs';

/** Pico-bitcoin per unit of each multiplier, largest first. One millisatoshi is 10 pico-bitcoin. */
const MULTIPLIERS: readonly (readonly [suffix: string, pico: bigint])[] = [
  ['', 1_000_000_000_000n],
  ['m', 1_000_000_000n],
  ['u', 1_000_000n],
  ['n', 1_000n],
  ['p', 1n],
];

/**
 * `ln`, the network, and the amount in the largest unit that represents it exactly (BOLT11: the
 * shortest form).
 */
export function prefixOf(prefix: LightningPrefix, amountMsat: bigint | null): string {
  if (amountMsat === null) return `ln${prefix}`;
  const pico = amountMsat * 10n;
  const [suffix, unit] = MULTIPLIERS.find(([, size]) => pico % size === 0n) ?? ['p', 1n];
  return `ln${prefix}${pico / unit}${suffix}`;
}

/**
 * Parses such a prefix. Null when it is malformed, has a leading zero, or the amount is not a
 * multiple of a millisatoshi.
 */
export function amountMsatOf(
  text: string,
): { prefix: LightningPrefix; amountMsat: bigint | null } | null {
  const parts = /^ln(bcrt|bc|tbs|tb)(?:([1-9]\d{0,17})([munp]?))?$/.exec(text);
  if (parts === null) return null;
  const prefix = parts[1] as LightningPrefix;
  if (parts[2] === undefined) return { prefix, amountMsat: null };
  const [, unit] = MULTIPLIERS.find(([suffix]) => suffix === parts[3]) ?? ['', 0n];
  const pico = BigInt(parts[2]) * unit;
  return pico % 10n === 0n ? { prefix, amountMsat: pico / 10n } : null;
}
