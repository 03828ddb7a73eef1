import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad, base64nopad, hex } from '@scure/base';
import { AddressError, type ParsedAddress, requireNonZeroAccount } from '../parsed-address.ts';

type Network = 'mainnet' | 'testnet';

/** Hash and depth of the published wallet v4r2 code cell. */
const WALLET_V4R2 = {
  hash: hex.decode('feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0'),
  depth: 7,
};
/** Wallet id of the first subwallet in workchain 0; the target's index is added to it. */
const FIRST_WALLET_ID = 698_983_191;
const NON_BOUNCEABLE = 0x51;
const BOUNCEABLE = 0x11;
const TEST_ONLY = 0x80;

interface Cell {
  hash: Uint8Array;
  depth: number;
}

/**
 * Derives the address of subwallet `index` of a wallet v4r2 from the public key: the hash of its
 * initial state. The address is non-bounceable, so transfers before the wallet's deployment are not
 * returned.
 */
export function tonAddress(network: Network, publicKey: Uint8Array, index: number): string {
  return friendly(network, 0, initialState(publicKey, FIRST_WALLET_ID + index));
}

/**
 * Reads friendly addresses (base64 or base64url, bounceable or not) and raw ones (`0:<hex>`).
 * Returns the non-bounceable friendly form.
 * @throws AddressError
 */
export function parseTonAddress(network: Network, text: string): ParsedAddress {
  const raw = /^(0|-1):([0-9a-fA-F]{64})$/.exec(text);
  if (raw !== null)
    return parsed(network, Number(raw[1]), hex.decode((raw[2] ?? '').toLowerCase()), text);
  const bytes = friendlyBytes(text);
  const flags = bytes[0] ?? 0;
  if ((flags & TEST_ONLY) !== 0 && network === 'mainnet')
    throw new AddressError(`"${text}" is for test networks only`);
  const kind = flags & ~TEST_ONLY;
  if (kind !== BOUNCEABLE && kind !== NON_BOUNCEABLE)
    throw new AddressError(`"${text}" is not a TON address: unknown flags`);
  const workchain = bytes[1] === 0xff ? -1 : bytes[1];
  if (workchain !== 0 && workchain !== -1)
    throw new AddressError(`"${text}" is in an unknown workchain`);
  return parsed(network, workchain, bytes.slice(2, 34), text);
}

function parsed(
  network: Network,
  workchain: number,
  hash: Uint8Array,
  text: string,
): ParsedAddress {
  requireNonZeroAccount(hash, text);
  return { address: friendly(network, workchain, hash), tag: null };
}

function friendlyBytes(text: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = /[-_]/.test(text) ? base64urlnopad.decode(text) : base64nopad.decode(text);
  } catch (cause) {
    throw new AddressError(`"${text}" is not a TON address`, { cause });
  }
  if (bytes.length !== 36)
    throw new AddressError(`"${text}" is not a TON address: 48 characters of base64`);
  const checksum = crc16(bytes.slice(0, 34));
  if (bytes[34] !== checksum >> 8 || bytes[35] !== (checksum & 0xff))
    throw new AddressError(`"${text}" has a wrong checksum`);
  return bytes;
}

function friendly(network: Network, workchain: number, hash: Uint8Array): string {
  const flags = NON_BOUNCEABLE | (network === 'testnet' ? TEST_ONLY : 0);
  const body = Uint8Array.from([flags, workchain & 0xff, ...hash]);
  const checksum = crc16(body);
  return base64urlnopad.encode(Uint8Array.from([...body, checksum >> 8, checksum & 0xff]));
}

/**
 * StateInit with code and data, without split depth, special and libraries: the bits `00110` and
 * two references.
 */
function initialState(publicKey: Uint8Array, walletId: number): Uint8Array {
  const data = cell(
    `${bits(0, 32)}${bits(walletId, 32)}${Array.from(publicKey, (byte) => bits(byte, 8)).join('')}0`,
    [],
  );
  return cell('00110', [WALLET_V4R2, data]).hash;
}

/**
 * TON's representation hash of an ordinary cell: descriptors, padded data, then depths and hashes
 * of its references.
 */
function cell(content: string, references: readonly Cell[]): Cell {
  const length = content.length;
  const padded =
    length % 8 === 0 ? content : `${content}1`.padEnd(Math.ceil((length + 1) / 8) * 8, '0');
  const data = Array.from({ length: padded.length / 8 }, (_, at) =>
    Number.parseInt(padded.slice(at * 8, at * 8 + 8), 2),
  );
  const depths = references.flatMap(({ depth }) => [depth >> 8, depth & 0xff]);
  const hashes = references.flatMap(({ hash }) => [...hash]);
  const descriptors = [references.length, Math.floor(length / 8) + Math.ceil(length / 8)];
  const depth =
    references.length === 0 ? 0 : 1 + Math.max(...references.map((reference) => reference.depth));
  return { hash: sha256(Uint8Array.from([...descriptors, ...data, ...depths, ...hashes])), depth };
}

function bits(value: number, width: number): string {
  return value.toString(2).padStart(width, '0');
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let remainder = 0;
  for (const byte of bytes) {
    remainder ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1)
      remainder =
        ((remainder & 0x8000) === 0 ? remainder << 1 : (remainder << 1) ^ 0x1021) & 0xffff;
  }
  return remainder;
}
