import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { addMultiples, type Affine } from './multiples.ts';

/** The branch of receiving addresses (BIP44 change 0), read once: parsing an extended key costs a hash, a checksum and a point. */
interface Branch {
  point: Affine;
  publicKey: Uint8Array;
  chainCode: Uint8Array;
  /** Keys that were made together, by the number of their batch; the oldest are forgotten. */
  batches: Map<number, readonly Affine[]>;
}

const { Fn, Fp } = secp256k1.Point;
const branches = new Map<string, Branch>();
const FIRST_HARDENED = 2 ** 31;
/** Numbers are given out in order, so whoever needs one key soon needs the next ones, which cost a third each when made together. */
const BATCH = 16;
const MAX_BATCHES = 4;

/**
 * The compressed public key of receiving address `index` (BIP44 change 0), from the account's extended public key alone.
 * @throws Error when the extended key is not valid, or carries a private key: watching never needs one.
 */
export function receivingKey(accountKey: string, index: number): Uint8Array {
  const { x, y } = receivingPoint(accountKey, index);
  return Uint8Array.of((y & 1n) === 1n ? 3 : 2, ...Fp.toBytes(x));
}

/** The same key uncompressed, as accounts are hashed from it: `04`, x, y. */
export function uncompressedReceivingKey(accountKey: string, index: number): Uint8Array {
  const { x, y } = receivingPoint(accountKey, index);
  return Uint8Array.of(4, ...Fp.toBytes(x), ...Fp.toBytes(y));
}

function receivingPoint(accountKey: string, index: number): Affine {
  if (!Number.isInteger(index) || index < 0 || index >= FIRST_HARDENED)
    throw new RangeError(`No receiving address has the number ${index}`);
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

/** BIP32's CKDpub, up to the multiplication. One chance in 2^127 that a number has no key: the next one's is taken, as it says. */
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
  if (account.privateKey !== null) throw new Error('An extended private key was given where an extended public key belongs');
  const { publicKey, chainCode } = account.deriveChild(0);
  if (publicKey === null || chainCode === null) throw new Error('The extended key gave no receiving branch');
  const branch = { point: secp256k1.Point.fromBytes(publicKey).toAffine(), publicKey, chainCode, batches: new Map() };
  branches.set(accountKey, branch);
  return branch;
}
