import { HDKey } from '@scure/bip32';

/** Accounts read once: parsing an extended key costs a hash, a checksum and a point. */
const receiving = new Map<string, HDKey>();

/**
 * The compressed public key of receiving address `index` (BIP44 change 0), from the account's extended public key alone.
 * @throws Error when the extended key is not valid, or carries a private key: watching never needs one.
 */
export function receivingKey(accountKey: string, index: number): Uint8Array {
  const { publicKey } = receivingBranch(accountKey).deriveChild(index);
  if (publicKey === null) throw new Error(`Extended key gave no public key for index ${index}`);
  return publicKey;
}

function receivingBranch(accountKey: string): HDKey {
  const known = receiving.get(accountKey);
  if (known !== undefined) return known;
  const account = HDKey.fromExtendedKey(accountKey);
  if (account.privateKey !== null) throw new Error('An extended private key was given where an extended public key belongs');
  const branch = account.deriveChild(0);
  receiving.set(accountKey, branch);
  return branch;
}
