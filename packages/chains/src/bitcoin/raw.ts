import { createHash } from 'node:crypto';
import { hex } from '@scure/base';
import { UnavailableError } from '../error.ts';
import { type BitcoinOutput, type BitcoinTransaction, signals } from './transaction.ts';

/** Reads numbers and parts of a serialized transaction or block. */
class Reader {
  readonly bytes: Uint8Array;
  at = 0;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw new RangeError('The bytes end too early');
    const part = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return part;
  }

  uint32(): number {
    const value = this.#view.getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  uint64(): bigint {
    const value = this.#view.getBigUint64(this.at, true);
    this.at += 8;
    return value;
  }

  /** Bitcoin's CompactSize. */
  count(): number {
    const [first = 0] = this.take(1);
    if (first < 0xfd) return first;
    if (first === 0xfe) return this.uint32();
    if (first === 0xff) return Number(this.uint64());
    const [low = 0, high = 0] = this.take(2);
    return low + 256 * high;
  }

  /** A hash in the order in which it is shown. */
  hash(): string {
    return hex.encode(Uint8Array.from(this.take(32)).toReversed());
  }
}

const doubleSha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const first = createHash('sha256');
  for (const part of parts) first.update(part);
  return createHash('sha256').update(first.digest()).digest();
};

/** The id of a transaction or block. */
const shownHash = (digest: Uint8Array): string => hex.encode(Uint8Array.from(digest).toReversed());

/** BIP 144 and LIP-0003: kinds of data behind the outputs. */
const WITNESS = 1;
const EXTENSION = 8;

interface Input {
  /** Null for a coinbase input. */
  outpoint: string | null;
  sequence: number;
}

const NOTHING = '0'.repeat(64);

function readInput(reader: Reader): Input {
  const txid = reader.hash();
  const index = reader.uint32();
  reader.take(reader.count());
  return { outpoint: txid === NOTHING ? null : `${txid}:${index}`, sequence: reader.uint32() };
}

function readOutput(reader: Reader, index: number): BitcoinOutput {
  const units = reader.uint64();
  return { index, units, script: hex.encode(reader.take(reader.count())) };
}

const times = <T>(count: number, read: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => read(at));

/** Version, flags, inputs and outputs; the reader stands behind them. */
function readBody(reader: Reader) {
  const version = reader.take(4);
  let from = reader.at;
  let flags = 0;
  let count = reader.count();
  if (count === 0) {
    [flags = 0] = reader.take(1);
    from = reader.at;
    count = reader.count();
  }
  const inputs = times(count, () => readInput(reader));
  const outputs = times(reader.count(), (index) => readOutput(reader, index));
  return { version, flags, inputs, outputs, body: reader.bytes.subarray(from, reader.at) };
}

function transactionOf(
  txid: string,
  { inputs, outputs }: { inputs: readonly Input[]; outputs: readonly BitcoinOutput[] },
): BitcoinTransaction {
  return {
    txid,
    inputs: inputs.flatMap(({ outpoint }) => outpoint ?? []),
    outputs,
    signalsReplacement: signals(inputs.map(({ sequence }) => sequence)),
  };
}

/**
 * Reads an unconfirmed transaction, whose id is known.
 * @throws UnavailableError for bytes that are no transaction
 */
export function parseTransaction(txid: string, digits: string): BitcoinTransaction {
  return readSafely(() => transactionOf(txid, readBody(new Reader(hex.decode(digits)))));
}

/**
 * Reads a whole transaction; its id is that of the bytes.
 * @throws UnavailableError for bytes that are no transaction
 */
export function parseRawTransaction(digits: string): BitcoinTransaction {
  return readSafely(() => {
    const reader = new Reader(hex.decode(digits));
    const transaction = readTransaction(reader);
    if (reader.at !== reader.bytes.length) throw new RangeError('Bytes follow the transaction');
    return transaction;
  });
}

const HEADER_BYTES = 80;
/** Where the header has the root of the tree of transactions. */
const ROOT_AT = 36;

export interface RawBlock {
  /** The hash of the header. */
  hash: string;
  transactions: BitcoinTransaction[];
}

/**
 * Reads a block. Dogecoin's blocks can hold the proof of another chain between header and
 * transactions, and Litecoin's end with an extension block.
 * @throws UnavailableError for bytes that are no block, or whose header names other transactions
 */
export function parseBlock(bytes: Uint8Array): RawBlock {
  return readSafely(() => {
    const reader = new Reader(bytes);
    const version = reader.uint32();
    reader.take(HEADER_BYTES - 4);
    const header = bytes.subarray(0, HEADER_BYTES);
    if ((version & AUXILIARY_PROOF) !== 0) skipAuxiliaryProof(reader);
    const transactions = times(reader.count(), () => readTransaction(reader));
    const root = shownHash(header.subarray(ROOT_AT, ROOT_AT + 32));
    if (merkleRoot(transactions.map(({ txid }) => txid)) !== root)
      throw new RangeError('The header names other transactions');
    return { hash: headerHash(header), transactions };
  });
}

/** The id of a block, from the bytes of its header. */
export const headerHash = (header: Uint8Array): string => shownHash(doubleSha256(header));

/** The root of the tree whose leaves are these ids; an odd one is paired with itself. */
function merkleRoot(txids: readonly string[]): string {
  let level: Uint8Array[] = txids.map((txid) => hex.decode(txid).toReversed());
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) => {
      const left = level[2 * at]!;
      return doubleSha256(left, level[2 * at + 1] ?? left);
    });
  return level[0] === undefined ? '' : shownHash(level[0]);
}

function readTransaction(reader: Reader): BitcoinTransaction {
  const { version, flags, body, ...parts } = readBody(reader);
  if ((flags & WITNESS) !== 0)
    for (const _ of parts.inputs) times(reader.count(), () => reader.take(reader.count()));
  // In blocks only the transaction that holds the extension block's coins has the mark; no data
  // follows there.
  if ((flags & EXTENSION) !== 0 && reader.take(1)[0] !== 0)
    throw new RangeError('A transaction with data of an extension block');
  const lockTime = reader.take(4);
  return transactionOf(shownHash(doubleSha256(version, body, lockTime)), parts);
}

/** Merged mining: the bit of the version, and the proof that follows the header. */
const AUXILIARY_PROOF = 0x100;

function skipAuxiliaryProof(reader: Reader): void {
  readTransaction(reader);
  reader.take(32);
  // Two branches of a Merkle tree, each with an index; then the header of the other chain.
  for (let branch = 0; branch < 2; branch += 1) reader.take(32 * reader.count() + 4);
  reader.take(80);
}

function readSafely<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UnavailableError('The node returned a transaction or block that is not readable', {
      cause,
    });
  }
}
