import { CHAIN_DETAILS, type UtxoParameters } from '@crypto-checkout/protocol/chain-details';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, createBase58check } from '@scure/base';
import { Address } from '@scure/btc-signer';
import { AddressError, type ParsedAddress } from '../parsed-address.ts';

/**
 * `bech32`: native segwit. `p2sh`: segwit nested in P2SH for old wallets. `p2pkh`: chains without
 * segwit.
 */
export type BitcoinFormat = 'bech32' | 'p2sh' | 'p2pkh';
type Network = 'mainnet' | 'testnet';

/** Address versions as @scure/btc-signer reads them. */
interface Versions {
  bech32: string;
  pubKeyHash: number;
  scriptHash: number;
  wif: number;
}

/**
 * Key path and addresses of a UTXO chain, from its file in protocol/src/chains.
 * @throws RangeError for a chain of another family
 */
export function utxoParameters(chain: ChainId): UtxoParameters {
  const { utxo } = CHAIN_DETAILS[chain];
  if (utxo === undefined) throw new RangeError(`${chain} is not a UTXO chain`);
  return utxo;
}

/** Chains without segwit get a prefix that matches no address. */
function versionsOf(chain: ChainId, network: Network): Versions {
  const { bech32: prefix, ...versions } = utxoParameters(chain)[network];
  return { ...versions, bech32: prefix ?? NO_SEGWIT };
}

const NO_SEGWIT = 'none';

/**
 * The address of a compressed public key. The key comes from `receivingKey` and is not validated
 * again.
 */
export function bitcoinAddress(
  chain: ChainId,
  network: Network,
  format: BitcoinFormat,
  publicKey: Uint8Array,
): string {
  return FORMAT[format](hash160(publicKey), versionsOf(chain, network));
}

/**
 * Checks the checksum and network of an address of a UTXO chain.
 * @throws AddressError
 */
export function parseBitcoinAddress(chain: ChainId, network: Network, text: string): ParsedAddress {
  const versions = versionsOf(chain, network);
  const isSegwit = segwitPrefix(text) === versions.bech32;
  if (isSegwit && versions.bech32 === NO_SEGWIT)
    throw new AddressError(`"${text}" is not a ${chain} address`);
  try {
    Address(versions).decode(isSegwit ? text.toLowerCase() : text);
  } catch (cause) {
    throw new AddressError(`"${text}" is not a ${chain} address on ${network}`, { cause });
  }
  return { address: isSegwit ? text.toLowerCase() : text, tag: null };
}

const base58check = createBase58check(sha256);

/**
 * From the hash of the public key. BIP141: nested segwit hashes the witness program (version 0, 20
 * bytes) as the script.
 */
const FORMAT: Readonly<Record<BitcoinFormat, (keyHash: Uint8Array, versions: Versions) => string>> =
  {
    bech32: (keyHash, { bech32: prefix }) => bech32.encode(prefix, [0, ...bech32.toWords(keyHash)]),
    p2sh: (keyHash, { scriptHash }) =>
      base58check.encode(
        Uint8Array.from([scriptHash, ...hash160(Uint8Array.from([0, 20, ...keyHash]))]),
      ),
    p2pkh: (keyHash, { pubKeyHash }) =>
      base58check.encode(Uint8Array.from([pubKeyHash, ...keyHash])),
  };

function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes));
}

/** BIP173: entirely lower or upper case, never mixed. */
function segwitPrefix(text: string): string | null {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return null;
  const separator = lower.lastIndexOf('1');
  const prefix = separator > 0 ? lower.slice(0, separator) : '';
  return bech32.decodeUnsafe(lower) !== undefined || PREFIXES.has(prefix) ? prefix : null;
}

/** Segwit prefixes of all UTXO chains, whose addresses are recognized even with a wrong checksum. */
const PREFIXES: ReadonlySet<string> = new Set([
  NO_SEGWIT,
  ...Object.values(CHAIN_DETAILS).flatMap(({ utxo }) =>
    [utxo?.mainnet.bech32, utxo?.testnet.bech32].flatMap((prefix) => prefix ?? []),
  ),
]);
