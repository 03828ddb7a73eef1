import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';

type Point = InstanceType<typeof secp256k1.Point>;

/** The branch of receiving addresses (BIP44 change 0), read once: parsing an extended key costs a hash, a checksum and a point. */
interface Branch {
  point: Point;
  publicKey: Uint8Array;
  chainCode: Uint8Array;
}

const branches = new Map<string, Branch>();
const FIRST_HARDENED = 2 ** 31;

/**
 * The compressed public key of receiving address `index` (BIP44 change 0), from the account's extended public key alone.
 * @throws Error when the extended key is not valid, or carries a private key: watching never needs one.
 */
export function receivingKey(accountKey: string, index: number): Uint8Array {
  const branch = receivingBranch(accountKey);
  return childKey(branch, index);
}

/**
 * BIP32's CKDpub. Written out because an invoice waits for it: everything here is public, so the multiplication need not take
 * constant time, and the parent's point is kept instead of being decompressed again, which makes it more than twice as fast.
 */
function childKey({ point, publicKey, chainCode }: Branch, index: number): Uint8Array {
  if (!Number.isInteger(index) || index < 0 || index >= FIRST_HARDENED)
    throw new RangeError(`No receiving address has the number ${index}`);
  const data = Buffer.alloc(37);
  data.set(publicKey);
  data.writeUInt32BE(index, 33);
  const tweak = BigInt(`0x${createHmac('sha512', chainCode).update(data).digest('hex').slice(0, 64)}`);
  const child = tweak < secp256k1.Point.Fn.ORDER && tweak > 0n ? secp256k1.Point.BASE.multiplyUnsafe(tweak).add(point) : null;
  // One chance in 2^127, says BIP32: proceed with the next number.
  if (child === null || child.is0()) return childKey({ point, publicKey, chainCode }, index + 1);
  return child.toBytes(true);
}

function receivingBranch(accountKey: string): Branch {
  const known = branches.get(accountKey);
  if (known !== undefined) return known;
  const account = HDKey.fromExtendedKey(accountKey);
  if (account.privateKey !== null) throw new Error('An extended private key was given where an extended public key belongs');
  const { publicKey, chainCode } = account.deriveChild(0);
  if (publicKey === null || chainCode === null) throw new Error('The extended key gave no receiving branch');
  const branch = { point: secp256k1.Point.fromBytes(publicKey), publicKey, chainCode };
  branches.set(accountKey, branch);
  return branch;
}
