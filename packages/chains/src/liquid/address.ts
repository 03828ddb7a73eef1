import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hmac } from '@noble/hashes/hmac.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, bech32m, createBase58check } from '@scure/base';
import { AddressError, type ParsedAddress } from '../parsed-address.ts';
import { decodeBlech32, encodeBlech32 } from './blech32.ts';

type Network = 'mainnet' | 'testnet';

/**
 * Elements' constants for Liquid and its test network: segwit prefixes and base58 version bytes.
 */
const CONSTANTS = {
  mainnet: { plain: 'ex', confidential: 'lq', scriptHash: 39, pubKeyHash: 57, blinded: 12 },
  testnet: { plain: 'tex', confidential: 'tlq', scriptHash: 19, pubKeyHash: 36, blinded: 23 },
} as const;
const base58check = createBase58check(sha256);
const BLINDING_KEY_BYTES = 33;

export interface LiquidAddress {
  /** Contains the blinding public key and so hides the amount. */
  confidential: string;
  /** The API's `public_address`. */
  plain: string;
}

/** Native segwit address of a public key, with the SLIP-77 blinding key of its script. */
export function liquidAddress(
  network: Network,
  publicKey: Uint8Array,
  masterBlindingKey: Uint8Array,
): LiquidAddress {
  const { plain, confidential } = CONSTANTS[network];
  const program = ripemd160(sha256(publicKey));
  const blindingKey = blindingPublicKey(
    masterBlindingKey,
    Uint8Array.from([0, program.length, ...program]),
  );
  return {
    confidential: encodeBlech32(confidential, 0, Uint8Array.from([...blindingKey, ...program])),
    plain: bech32.encode(plain, [0, ...bech32.toWords(program)]),
  };
}

/** SLIP-77: the blinding private key of a script is HMAC-SHA256(master blinding key, script). */
export function blindingPublicKey(masterBlindingKey: Uint8Array, script: Uint8Array): Uint8Array {
  return secp256k1.getPublicKey(hmac(sha256, masterBlindingKey, script), true);
}

/**
 * Reads segwit and base58 addresses, confidential or not.
 * @throws AddressError
 */
export function parseLiquidAddress(network: Network, text: string): ParsedAddress {
  const constants = CONSTANTS[network];
  const lower = text.toLowerCase();
  const isOneCase = text === lower || text === text.toUpperCase();
  if (isOneCase && lower.startsWith(`${constants.confidential}1`)) {
    const { program } = decodeBlech32(lower);
    // 33 bytes of blinding key, then a witness program of 20 or 32 bytes.
    if (program.length !== 53 && program.length !== 65)
      throw new AddressError(`"${text}" is not a Liquid address: wrong length`);
    return { address: lower, tag: null };
  }
  if (isOneCase && lower.startsWith(`${constants.plain}1`)) {
    const words = bech32.decodeUnsafe(lower)?.words;
    if (words === undefined || words[0] !== 0)
      throw new AddressError(`"${text}" has a wrong checksum`);
    return { address: lower, tag: null };
  }
  return parseBase58(network, text);
}

/** Removes the blinding key from a parsed confidential address; both forms pay the same script. */
export function plainLiquidAddress(address: string): string {
  for (const { plain, confidential } of Object.values(CONSTANTS)) {
    if (address.startsWith(`${plain}1`)) return address;
    if (!address.startsWith(`${confidential}1`)) continue;
    const { version, program } = decodeBlech32(address);
    const { encode, toWords } = version === 0 ? bech32 : bech32m;
    return encode(plain, [version, ...toWords(program.slice(BLINDING_KEY_BYTES))]);
  }
  const bytes = base58check.decode(address);
  const isBlinded = Object.values(CONSTANTS).some(({ blinded }) => bytes[0] === blinded);
  return isBlinded
    ? base58check.encode(Uint8Array.from([bytes[1]!, ...bytes.slice(2 + BLINDING_KEY_BYTES)]))
    : address;
}

function parseBase58(network: Network, text: string): ParsedAddress {
  const { scriptHash, pubKeyHash, blinded } = CONSTANTS[network];
  let bytes: Uint8Array;
  try {
    bytes = base58check.decode(text);
  } catch (cause) {
    throw new AddressError(`"${text}" is not a Liquid address on ${network}`, { cause });
  }
  const version = bytes[0] === blinded ? bytes[1] : bytes[0];
  const length = bytes[0] === blinded ? 55 : 21;
  if ((version !== scriptHash && version !== pubKeyHash) || bytes.length !== length) {
    throw new AddressError(`"${text}" is not a Liquid address on ${network}`);
  }
  return { address: text, tag: null };
}
