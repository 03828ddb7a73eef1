import { bech32 } from '@scure/base';
import { AddressError } from '../parsed-address.ts';

/**
 * blech32, Elements' longer bech32 for confidential addresses: the same alphabet, but a checksum of
 * twelve characters over a 60-bit code. Version 0 programs use the final constant 1, later ones
 * (blech32m) another.
 */
const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [
  0x7d52fba40bd886n,
  0x5e8dbf1a03950cn,
  0x1c3a3c74072a18n,
  0x385d72fa0e5139n,
  0x7093e5a608865bn,
];
const CHECKSUM_LENGTH = 12;

export function encodeBlech32(prefix: string, version: number, program: Uint8Array): string {
  const words = [version, ...bech32.toWords(program)];
  const remainder =
    polymod([...expanded(prefix), ...words, ...Array<number>(CHECKSUM_LENGTH).fill(0)]) ^
    finalConstant(version);
  const checksum = Array.from({ length: CHECKSUM_LENGTH }, (_, at) =>
    Number((remainder >> BigInt(5 * (CHECKSUM_LENGTH - 1 - at))) & 31n),
  );
  return `${prefix}1${[...words, ...checksum].map((word) => ALPHABET.charAt(word)).join('')}`;
}

/** @throws AddressError when a character or the checksum is wrong */
export function decodeBlech32(text: string): {
  prefix: string;
  version: number;
  program: Uint8Array;
} {
  const separator = text.lastIndexOf('1');
  const prefix = text.slice(0, separator);
  const words = Array.from(text.slice(separator + 1), (character) => ALPHABET.indexOf(character));
  const version = words[0] ?? -1;
  if (separator < 1 || words.length <= CHECKSUM_LENGTH || words.includes(-1))
    throw new AddressError(`"${text}" is not blech32`);
  if (polymod([...expanded(prefix), ...words]) !== finalConstant(version))
    throw new AddressError(`"${text}" has a wrong checksum`);
  const program = bech32.fromWordsUnsafe(words.slice(1, -CHECKSUM_LENGTH));
  if (!program) throw new AddressError(`"${text}" has wrong padding`);
  return { prefix, version, program };
}

function finalConstant(version: number): bigint {
  return version === 0 ? 1n : 0x455972a3350f7a1n;
}

function expanded(prefix: string): number[] {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function polymod(words: readonly number[]): bigint {
  let checksum = 1n;
  for (const word of words) {
    const top = checksum >> 55n;
    checksum = ((checksum & 0x7fffffffffffffn) << 5n) ^ BigInt(word);
    for (const [bit, generator] of GENERATOR.entries())
      if (((top >> BigInt(bit)) & 1n) === 1n) checksum ^= generator;
  }
  return checksum;
}
