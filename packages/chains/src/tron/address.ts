import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { AddressError, type ParsedAddress, requireNonZeroAccount } from '../parsed-address.ts';
import { accountHash } from '../evm/address.ts';

const base58check = createBase58check(sha256);
/** The same on the main network, Nile and Shasta. */
const PREFIX = 0x41;

/** The address of an uncompressed public key: byte 0x41 and the EVM account in base58check. */
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
  if (bytes.length !== 21 || bytes[0] !== PREFIX)
    throw new AddressError(`"${text}" is not a TRON address`);
  requireNonZeroAccount(bytes.subarray(1), text);
  return { address: text, tag: null };
}
