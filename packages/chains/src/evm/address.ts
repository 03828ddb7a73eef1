import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex, utf8 } from '@scure/base';
import { AddressError, type ParsedAddress, requireNonZeroAccount } from '../parsed-address.ts';

/** The EIP-55 address of an uncompressed public key; the same on every EVM chain. */
export function evmAddress(publicKey: Uint8Array): string {
  return checksummed(hex.encode(accountHash(publicKey)));
}

/** The account of a public key on EVM chains and TRON: the last 20 bytes of the hash of x and y. */
export function accountHash(publicKey: Uint8Array): Uint8Array {
  return keccak_256(publicKey.subarray(1)).slice(-20);
}

/**
 * Accepts one case throughout, or mixed case with a right EIP-55 checksum.
 * @throws AddressError
 */
export function parseEvmAddress(text: string): ParsedAddress {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new AddressError(`"${text}" is not an EVM address: 0x and 40 hex digits`);
  const digits = text.slice(2);
  requireNonZeroAccount(hex.decode(digits.toLowerCase()), text);
  const address = checksummed(digits.toLowerCase());
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!isOneCase && text !== address)
    throw new AddressError(`"${text}" has a wrong EIP-55 checksum`);
  return { address, tag: null };
}

/**
 * EIP-55: a letter is upper case where the hash of the lower-case digits has a nibble of 8 or more.
 */
function checksummed(lowerCaseDigits: string): string {
  const hash = hex.encode(keccak_256(utf8.decode(lowerCaseDigits)));
  const digits = Array.from(lowerCaseDigits, (digit, at) =>
    Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${digits.join('')}`;
}
