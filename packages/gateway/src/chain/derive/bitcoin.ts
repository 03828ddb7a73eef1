import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, createBase58check } from '@scure/base';
import { Address } from '@scure/btc-signer';
import { AddressError, type ParsedAddress } from './address-error.ts';

export type BitcoinChain = 'bitcoin' | 'litecoin' | 'dogecoin';
/** `bech32`: native segwit. `p2sh`: segwit wrapped for old wallets. `p2pkh`: Dogecoin, which has no segwit. */
export type BitcoinFormat = 'bech32' | 'p2sh' | 'p2pkh';
type Network = 'mainnet' | 'testnet';

interface Constants {
  bech32: string;
  pubKeyHash: number;
  scriptHash: number;
  wif: number;
}

/** From each project's `chainparams.cpp`. Dogecoin has no bech32 addresses, so its prefix is one that nothing can carry. */
const CONSTANTS: Record<BitcoinChain, Record<Network, Constants>> = {
  bitcoin: {
    mainnet: { bech32: 'bc', pubKeyHash: 0x00, scriptHash: 0x05, wif: 0x80 },
    testnet: { bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
  },
  litecoin: {
    mainnet: { bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 },
    testnet: { bech32: 'tltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
  },
  dogecoin: {
    mainnet: { bech32: 'none', pubKeyHash: 0x1e, scriptHash: 0x16, wif: 0x9e },
    testnet: { bech32: 'none', pubKeyHash: 0x71, scriptHash: 0xc4, wif: 0xf1 },
  },
};

/** The address that pays a compressed public key, which must be one: it comes from `receivingKey` and is not checked again. */
export function bitcoinAddress(chain: BitcoinChain, network: Network, format: BitcoinFormat, publicKey: Uint8Array): string {
  return FORMAT[format](hash160(publicKey), CONSTANTS[chain][network]);
}

/**
 * Checks checksum and network of a Bitcoin, Litecoin or Dogecoin address.
 * @throws AddressError
 */
export function parseBitcoinAddress(chain: BitcoinChain, network: Network, text: string): ParsedAddress {
  const constants = CONSTANTS[chain][network];
  const isSegwit = segwitPrefix(text) === constants.bech32;
  if (isSegwit && chain === 'dogecoin') throw new AddressError(`"${text}" is not a dogecoin address`);
  try {
    Address(constants).decode(isSegwit ? text.toLowerCase() : text);
  } catch (cause) {
    throw new AddressError(`"${text}" is not a ${chain} address on ${network}`, { cause });
  }
  return { address: isSegwit ? text.toLowerCase() : text, tag: null };
}

const base58check = createBase58check(sha256);

/** From the hash of the public key. BIP141: wrapped, the witness program (version 0, 20 bytes) is the script that is hashed. */
const FORMAT: Readonly<Record<BitcoinFormat, (keyHash: Uint8Array, constants: Constants) => string>> = {
  bech32: (keyHash, { bech32: prefix }) => bech32.encode(prefix, [0, ...bech32.toWords(keyHash)]),
  p2sh: (keyHash, { scriptHash }) => base58check.encode(Uint8Array.from([scriptHash, ...hash160(Uint8Array.from([0, 20, ...keyHash]))])),
  p2pkh: (keyHash, { pubKeyHash }) => base58check.encode(Uint8Array.from([pubKeyHash, ...keyHash])),
};

function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes));
}

/** BIP173: all lower or all upper case, never mixed. */
function segwitPrefix(text: string): string | null {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return null;
  const separator = lower.lastIndexOf('1');
  const prefix = separator > 0 ? lower.slice(0, separator) : '';
  return bech32.decodeUnsafe(lower) !== undefined || /^(bc|tb|ltc|tltc|none)$/.test(prefix) ? prefix : null;
}
