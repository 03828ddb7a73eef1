import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { addMultiples, type Affine } from './point-multiples.ts';

/**
 * The branch of receiving addresses (BIP44 change 0). Cached, because parsing an extended key costs
 * a hash, a checksum and a point.
 */
interface Branch {
  point: Affine;
  publicKey: Uint8Array;
  chainCode: Uint8Array;
  /** A cache of keys by batch number; the oldest batches are evicted. */
  batches: Map<number, readonly Affine[]>;
}

const { Fn, Fp } = secp256k1.Point;
const branches = new Map<string, Branch>();
const FIRST_HARDENED = 2 ** 31;
/** Indexes are used in order, so the next keys are soon needed. In a batch each costs a third. */
const BATCH = 16;
const MAX_BATCHES = 4;

/**
 * Derives the compressed public key of receiving address `index` (BIP44 change 0) from the
 * account's extended public key.
 * @throws Error when the extended key is invalid, or contains a private key: watching never needs
 * one.
 */
export function receivingKey(accountKey: string, index: number): Uint8Array {
  const { x, y } = receivingPoint(accountKey, index);
  return Uint8Array.of((y & 1n) === 1n ? 3 : 2, ...Fp.toBytes(x));
}

/** The same key uncompressed, as account hashes need it: `04`, x, y. */
export function uncompressedReceivingKey(accountKey: string, index: number): Uint8Array {
  const { x, y } = receivingPoint(accountKey, index);
  return Uint8Array.of(4, ...Fp.toBytes(x), ...Fp.toBytes(y));
}

function receivingPoint(accountKey: string, index: number): Affine {
  if (!Number.isInteger(index) || index < 0 || index >= FIRST_HARDENED)
    throw new RangeError(`Invalid address index ${index}`);
  const branch = receivingBranch(accountKey);
  const number = Math.floor(index / BATCH);
  const batch = branch.batches.get(number) ?? makeBatch(branch, number);
  return batch[index % BATCH]!;
}

function makeBatch(branch: Branch, number: number): readonly Affine[] {
  const tweaks = Array.from({ length: BATCH }, (_, at) => tweakOf(branch, number * BATCH + at));
  const keys = addMultiples(branch.point, tweaks);
  branch.batches.set(number, keys);
  const [oldest] = branch.batches.keys();
  if (branch.batches.size > MAX_BATCHES) branch.batches.delete(oldest!);
  return keys;
}

/**
 * BIP32's CKDpub up to the multiplication. With a chance of one in 2^127 an index has no key; BIP32
 * then takes the next index.
 */
function tweakOf(branch: Branch, index: number): Uint8Array {
  const data = Buffer.alloc(37);
  data.set(branch.publicKey);
  data.writeUInt32BE(index, 33);
  const tweak = createHmac('sha512', branch.chainCode).update(data).digest().subarray(0, 32);
  return Fn.isValidNot0(BigInt(`0x${tweak.toString('hex')}`)) ? tweak : tweakOf(branch, index + 1);
}

function receivingBranch(accountKey: string): Branch {
  const known = branches.get(accountKey);
  if (known !== undefined) return known;
  const account = HDKey.fromExtendedKey(accountKey);
  if (account.privateKey !== null)
    throw new Error('Expected an extended public key, got an extended private key');
  const { publicKey, chainCode } = account.deriveChild(0);
  if (publicKey === null || chainCode === null)
    throw new Error('The extended key has no receiving branch');
  const branch = {
    point: secp256k1.Point.fromBytes(publicKey).toAffine(),
    publicKey,
    chainCode,
    batches: new Map(),
  };
  branches.set(accountKey, branch);
  return branch;
}
