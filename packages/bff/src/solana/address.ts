import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';

export const SYSTEM_PROGRAM = base58.decode('11111111111111111111111111111111');
export const TOKEN_PROGRAM = base58.decode('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const ASSOCIATED_TOKEN_PROGRAM = base58.decode(
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
);

/** Decodes a public key; null for an invalid one. */
export function publicKeyOf(text: string): Uint8Array | null {
  try {
    const bytes = base58.decode(text);
    return bytes.length === 32 ? bytes : null;
  } catch {
    return null;
  }
}

/**
 * The associated token account of an owner and a mint: the first derived address, with the bump
 * counting down, that is not a public key, so that only the program controls it.
 */
export function tokenAccountOf(owner: Uint8Array, mint: Uint8Array): Uint8Array {
  const end = new TextEncoder().encode('ProgramDerivedAddress');
  for (let bump = 255; bump >= 0; bump--) {
    const address = sha256(
      Uint8Array.from([
        ...owner,
        ...TOKEN_PROGRAM,
        ...mint,
        bump,
        ...ASSOCIATED_TOKEN_PROGRAM,
        ...end,
      ]),
    );
    if (!isPublicKey(address)) return address;
  }
  throw new Error('no token account address found for this owner and mint');
}

function isPublicKey(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}
