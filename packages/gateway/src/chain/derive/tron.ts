import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { AddressError, type ParsedAddress, requireSomebody } from './address-error.ts';
import { accountHash } from './evm.ts';

const base58check = createBase58check(sha256);
/** The same on the main network, Nile and Shasta. */
const PREFIX = 0x41;

/** The address of an uncompressed public key: the EVM account behind the byte 0x41, in base58check. */
export function tronAddress(publicKey: Uint8Array): string {
  return base58check.encode(Uint8Array.from([PREFIX, ...accountHash(publicKey)]));
}

/** @throws AddressError */
export function parseTronAddress(text: string): ParsedAddress {
  let bytes: Uint8Array;
  try {
    bytes = base58check.decode(text);
  } catch (cause) {
    throw new AddressError(`"${text}" is not a TRON address: its checksum is wrong`, { cause });
  }
  if (bytes.length !== 21 || bytes[0] !== PREFIX) throw new AddressError(`"${text}" is not a TRON address`);
  requireSomebody(bytes.subarray(1), text);
  return { address: text, tag: null };
}
