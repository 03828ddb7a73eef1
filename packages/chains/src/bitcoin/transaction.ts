/** The parts of a transaction that receiving needs. */
export interface BitcoinTransaction {
  txid: string;
  /** The outputs that it spends, as `<txid>:<index>`; none for a coinbase transaction. */
  inputs: readonly string[];
  outputs: readonly BitcoinOutput[];
  /** Whether an input signals that it may be replaced (BIP 125). */
  signalsReplacement: boolean;
}

export interface BitcoinOutput {
  index: number;
  /** In hex digits. */
  script: string;
  /** In the smallest unit. */
  units: bigint;
}

export interface BitcoinBlock {
  height: number;
  hash: string;
  parentHash: string;
  /** Median time past (BIP 113) in milliseconds: a miner can't move it far. */
  time: number;
  /** The first one is the coinbase transaction. */
  transactions: readonly BitcoinTransaction[];
}

/** BIP 125: higher sequence numbers do not signal. */
const MAX_REPLACEABLE_SEQUENCE = 0xffff_fffd;

export const signals = (sequences: readonly number[]): boolean =>
  sequences.some((sequence) => sequence <= MAX_REPLACEABLE_SEQUENCE);

/**
 * The number of blocks after which the outputs of a block's transaction can be spent: those of its
 * coinbase, and on Litecoin what left the extension blocks (LIP-0002). Zero for every other one.
 */
export function maturityOf(
  { transactions }: BitcoinBlock,
  transaction: BitcoinTransaction,
): number {
  if (transaction === transactions[0]) return COINBASE_MATURITY;
  const isLast = transaction === transactions.at(-1);
  return isLast && EXTENSION_BLOCK.test(transaction.outputs[0]?.script ?? '')
    ? PEG_OUT_MATURITY
    : 0;
}

const COINBASE_MATURITY = 100;
const PEG_OUT_MATURITY = 6;
/** The first output of a block's last transaction holds the coins of the extension block. */
const EXTENSION_BLOCK = /^5[89]20[0-9a-f]{64}$/;
