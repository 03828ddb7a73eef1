import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58xrp } from '@scure/base';
import { AddressError, type ParsedAddress } from '../parsed-address.ts';

type Network = 'mainnet' | 'testnet';

/** X-address prefixes of XLS-5d. Classic r-addresses are the same on both networks. */
const X_PREFIX: Record<Network, readonly [number, number]> = {
  mainnet: [0x05, 0x44],
  testnet: [0x04, 0x93],
};
const MAX_TAG = 0xffff_ffff;
/**
 * 2³¹ − 1, a prime: multiplication by a smaller number is a bijection. Wallets with signed 32-bit
 * tags accept every result.
 */
const TAG_MODULUS = 2_147_483_647n;
const TAG_STEP = 1_103_515_245n;

/** The r-address of a compressed public key. */
export function xrpAddress(publicKey: Uint8Array): string {
  return withChecksum(Uint8Array.from([0, ...ripemd160(sha256(publicKey))]));
}

/** The X-address (XLS-5d): account, tag and network in one string. */
export function xAddress(network: Network, address: string, tag: string | null): string {
  const bytes = new Uint8Array(31);
  bytes.set(X_PREFIX[network], 0);
  bytes.set(accountOf(address), 2);
  if (tag !== null) {
    bytes[22] = 1;
    new DataView(bytes.buffer).setUint32(23, Number(tag), true);
  }
  return withChecksum(bytes);
}

/**
 * The destination tag of target `index`. Tags are scattered, so a mistyped digit rarely matches
 * another invoice. 0 is never used, because wallets read it as "none".
 * @throws RangeError beyond 2³¹ − 3 targets
 */
export function tagOf(index: number): string {
  const number = BigInt(index) + 1n;
  if (index < 0 || number >= TAG_MODULUS)
    throw new RangeError(`No destination tag for target ${index}`);
  return String((number * TAG_STEP) % TAG_MODULUS);
}

/**
 * Reads `r…`, `r…:tag` and X-addresses. An X-address must belong to this network.
 * @throws AddressError
 */
export function parseXrpAddress(network: Network, text: string): ParsedAddress {
  if (/^[XT]/.test(text)) return parseXAddress(network, text);
  const [address = '', tag = null, ...rest] = text.split(':');
  accountOf(address);
  if (rest.length > 0 || (tag !== null && !isTag(tag)))
    throw new AddressError(`"${text}" has no valid destination tag (0 to ${MAX_TAG})`);
  return { address, tag };
}

function parseXAddress(network: Network, text: string): ParsedAddress {
  const bytes = checked(text, 31);
  const [first, second] = X_PREFIX[network];
  if (bytes[0] !== first || bytes[1] !== second)
    throw new AddressError(`"${text}" is an X-address of another network than ${network}`);
  const flag = bytes[22];
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  if ((flag !== 0 && flag !== 1) || view.getUint32(27, true) !== 0)
    throw new AddressError(`"${text}" carries a tag of an unknown form`);
  const tag = flag === 1 ? String(view.getUint32(23, true)) : null;
  return { address: withChecksum(Uint8Array.from([0, ...bytes.slice(2, 22)])), tag };
}

function isTag(text: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(text) && Number(text) <= MAX_TAG;
}

function accountOf(address: string): Uint8Array {
  const bytes = checked(address, 21);
  if (bytes[0] !== 0) throw new AddressError(`"${address}" is not an XRP account`);
  return bytes.slice(1);
}

function withChecksum(bytes: Uint8Array): string {
  return base58xrp.encode(Uint8Array.from([...bytes, ...checksumOf(bytes)]));
}

function checked(text: string, length: number): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = base58xrp.decode(text);
  } catch (cause) {
    throw new AddressError(`"${text}" is not an XRP address`, { cause });
  }
  const body = bytes.slice(0, -4);
  if (body.length !== length)
    throw new AddressError(`"${text}" is not an XRP address: wrong length`);
  if (checksumOf(body).some((byte, at) => byte !== bytes[length + at]))
    throw new AddressError(`"${text}" has a wrong checksum`);
  return body;
}

function checksumOf(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes)).slice(0, 4);
}
