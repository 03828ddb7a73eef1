import { base58 } from '@scure/base';
import { AddressError, type ParsedAddress, requireNonZeroAccount } from '../parsed-address.ts';

/**
 * Public keys exported by the holder of the seed. Ed25519 can't derive child keys from a public key
 * (SLIP-10 is hardened only), so the watching side uses a pool that the key holder refills.
 */
export interface SolanaPool {
  /**
   * The 32-byte public key at `index`. Requests more keys from the key holder when the pool is too
   * small.
   */
  publicKey(index: number): Promise<Uint8Array>;
}

/** A Solana address is the public key in base58, on every network. */
export function solanaAddress(publicKey: Uint8Array): string {
  return base58.encode(publicKey);
}

/**
 * Checks form and length only: Solana addresses contain neither a checksum nor the network.
 * @throws AddressError
 */
export function parseSolanaAddress(text: string): ParsedAddress {
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(text);
  } catch (cause) {
    throw new AddressError(`"${text}" is not a Solana address`, { cause });
  }
  if (bytes.length !== 32)
    throw new AddressError(`"${text}" is not a Solana address: 32 bytes in base58`);
  requireNonZeroAccount(bytes, text);
  return { address: text, tag: null };
}
