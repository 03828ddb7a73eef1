import { base58 } from '@scure/base';
import { AddressError, type ParsedAddress, requireSomebody } from './address-error.ts';

/**
 * Public keys that the holder of the seed exported. Ed25519 can't derive a child from a public key (SLIP-10 is hardened only), so the
 * watching side draws from a pool, and the key holder refills it.
 */
export interface SolanaPool {
  /** The public key of target `index`, 32 bytes; asks the key holder for more when the pool ends before it. */
  publicKey(index: number): Promise<Uint8Array>;
}

/** A Solana address is the public key in base58, on every network. */
export function solanaAddress(publicKey: Uint8Array): string {
  return base58.encode(publicKey);
}

/**
 * Solana addresses carry neither checksum nor network: only form and length can be checked.
 * @throws AddressError
 */
export function parseSolanaAddress(text: string): ParsedAddress {
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(text);
  } catch (cause) {
    throw new AddressError(`"${text}" is not a Solana address`, { cause });
  }
  if (bytes.length !== 32) throw new AddressError(`"${text}" is not a Solana address: 32 bytes in base58`);
  requireSomebody(bytes, text);
  return { address: text, tag: null };
}
