import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, hex, utf8 } from '@scure/base';
import { amountMsatOf, prefixOf, type LightningPrefix } from './bolt11-prefix.ts';

/** The text is not a valid BOLT11 request, or its signature is wrong. */
export class Bolt11Error extends Error {
  override readonly name = 'Bolt11Error';
}

/** A decoded BOLT11 request. Hashes and keys are lower-case hex. */
export interface Bolt11 {
  prefix: LightningPrefix;
  /** Null: the payer chooses the amount. */
  amountMsat: bigint | null;
  /** Seconds since the epoch. */
  timestamp: number;
  paymentHash: string;
  paymentSecret: string;
  /** Either a description or its hash is set. */
  description: string | null;
  descriptionHash: string | null;
  expirySeconds: number;
  /** Numbers of the set feature bits. */
  features: readonly number[];
}

export interface DecodedBolt11 extends Omit<Bolt11, 'paymentSecret'> {
  paymentSecret: string | null;
  /** Recovered from the signature. */
  nodeKey: string;
}

/** TLV onion and payment secret required, multi-part payments optional (BOLT9). */
export const FEATURES: readonly number[] = [8, 14, 17];
const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const TIMESTAMP_WORDS = 7;
const SIGNATURE_WORDS = 104;
const DEFAULT_EXPIRY = 3_600;

/**
 * Encodes and signs a BOLT11 request deterministically (RFC 6979).
 * @param nodeKey private key of the node
 */
export function encodeBolt11(request: Bolt11, nodeKey: Uint8Array): string {
  const prefix = prefixOf(request.prefix, request.amountMsat);
  const words = [
    ...integerWords(BigInt(request.timestamp), TIMESTAMP_WORDS),
    ...field('s', bech32.toWords(hex.decode(request.paymentSecret))),
    ...field('p', bech32.toWords(hex.decode(request.paymentHash))),
    ...describing(request),
    ...field('x', integerWords(BigInt(request.expirySeconds))),
    ...field('9', featureWords(request.features)),
  ];
  const [recovery = 0, ...signature] = secp256k1.sign(digest(prefix, words), nodeKey, {
    prehash: false,
    format: 'recovered',
  });
  return bech32.encode(
    prefix,
    [...words, ...bech32.toWords(Uint8Array.from([...signature, recovery]))],
    false,
  );
}

/**
 * Decodes a request and verifies its signature. Skips unknown fields, and known fields with a wrong
 * length (BOLT11).
 * @param text entirely in one case, with or without the scheme `lightning:`
 * @throws Bolt11Error
 */
export function decodeBolt11(text: string): DecodedBolt11 {
  const { prefix, words } = decodeBech32(text.replace(/^lightning:/i, ''));
  if (words.length < TIMESTAMP_WORDS + SIGNATURE_WORDS)
    throw new Bolt11Error('The request is too short');
  const data = words.slice(0, -SIGNATURE_WORDS);
  const fields = readFields(data.slice(TIMESTAMP_WORDS));
  const nodeKey = recoverNodeKey(prefix, data, words.slice(-SIGNATURE_WORDS), fields.get('n'));
  const paymentHash = hashField(fields.get('p'));
  if (paymentHash === null) throw new Bolt11Error('The request has no payment hash');
  const description = fields.get('d');
  const expiry = fields.get('x');
  return {
    ...readPrefix(prefix),
    timestamp: Number(integerOf(data.slice(0, TIMESTAMP_WORDS))),
    paymentHash,
    paymentSecret: hashField(fields.get('s')),
    description: description === undefined ? null : readText(description),
    descriptionHash: hashField(fields.get('h')),
    expirySeconds: expiry === undefined ? DEFAULT_EXPIRY : Number(integerOf(expiry)),
    features: featuresOf(fields.get('9') ?? []),
    nodeKey,
  };
}

function decodeBech32(text: string): { prefix: string; words: number[] } {
  try {
    return bech32.decode(text as `${string}1${string}`, false);
  } catch (cause) {
    throw new Bolt11Error('The request is malformed or its checksum is wrong', { cause });
  }
}

function readPrefix(prefix: string): Pick<Bolt11, 'prefix' | 'amountMsat'> {
  const read = amountMsatOf(prefix);
  if (read === null) throw new Bolt11Error(`"${prefix}" is not a lightning prefix`);
  return read;
}

function readFields(words: readonly number[]): Map<string, number[]> {
  const fields = new Map<string, number[]>();
  for (let at = 0; at < words.length;) {
    const type = ALPHABET.charAt(words[at] ?? 0);
    const length = (words[at + 1] ?? 0) * 32 + (words[at + 2] ?? 0);
    const content = words.slice(at + 3, at + 3 + length);
    if (at + 3 > words.length || content.length !== length)
      throw new Bolt11Error('The request ends inside a field');
    if (hasRightLength(type, length) && !fields.has(type)) fields.set(type, content);
    at += 3 + length;
  }
  return fields;
}

function hasRightLength(type: string, length: number): boolean {
  if (type === 'p' || type === 'h' || type === 's') return length === 52;
  return type === 'n' ? length === 53 : true;
}

function recoverNodeKey(
  prefix: string,
  data: readonly number[],
  signature: readonly number[],
  stated: number[] | undefined,
): string {
  const bytes = bytesOf(signature);
  const recovery = bytes[64] ?? 4;
  try {
    const recovered = secp256k1.Signature.fromBytes(
      Uint8Array.from([recovery, ...bytes.slice(0, 64)]),
      'recovered',
    );
    const key = hex.encode(recovered.recoverPublicKey(digest(prefix, data)).toBytes(true));
    if (stated !== undefined && hex.encode(bytesOf(stated).slice(0, 33)) !== key)
      throw new Bolt11Error('The signature belongs to another node');
    return key;
  } catch (cause) {
    if (cause instanceof Bolt11Error) throw cause;
    throw new Bolt11Error('The signature of the request is invalid', { cause });
  }
}

/** The signed digest: SHA-256 of the prefix and the data, padded with zero bits to whole bytes. */
function digest(prefix: string, words: readonly number[]): Uint8Array {
  return sha256(Uint8Array.from([...utf8.decode(prefix), ...bytesOf(words, true)]));
}

function describing({ description, descriptionHash }: Bolt11): number[] {
  if (descriptionHash !== null) return field('h', bech32.toWords(hex.decode(descriptionHash)));
  return field('d', bech32.toWords(utf8.decode(description ?? '')));
}

function field(type: string, content: readonly number[]): number[] {
  if (content.length > 1023) throw new Bolt11Error(`Field ${type} is too long: at most 639 bytes`);
  return [ALPHABET.indexOf(type), content.length >> 5, content.length & 31, ...content];
}

function hashField(words: readonly number[] | undefined): string | null {
  return words === undefined ? null : hex.encode(bytesOf(words).slice(0, 32));
}

function readText(words: readonly number[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(words));
  } catch (cause) {
    throw new Bolt11Error('The description is not UTF-8', { cause });
  }
}

function integerWords(value: bigint, length?: number): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0n || words.length < (length ?? 1); rest >>= 5n)
    words.unshift(Number(rest & 31n));
  return words;
}

function integerOf(words: readonly number[]): bigint {
  const value = words.reduce((sum, word) => sum * 32n + BigInt(word), 0n);
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new Bolt11Error('A number of the request is too large');
  return value;
}

function featureWords(bits: readonly number[]): number[] {
  return integerWords(bits.reduce((set, bit) => set | (1n << BigInt(bit)), 0n));
}

function featuresOf(words: readonly number[]): number[] {
  const last = words.length - 1;
  return words
    .flatMap((word, at) =>
      [0, 1, 2, 3, 4].filter((bit) => (word >> bit) & 1).map((bit) => (last - at) * 5 + bit),
    )
    .toSorted((a, b) => a - b);
}

/**
 * Converts five-bit words to bytes. An incomplete last byte is dropped, or filled with zeros when
 * `padded`.
 */
function bytesOf(words: readonly number[], padded = false): Uint8Array {
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const word of words) {
    held = (held << 5) | word;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
    held &= (1 << bits) - 1;
  }
  if (padded && bits > 0) bytes.push((held << (8 - bits)) & 0xff);
  return Uint8Array.from(bytes);
}
