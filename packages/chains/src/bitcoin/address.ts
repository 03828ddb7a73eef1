import {
  type AddressVersions,
  CHAIN_DETAILS,
  type UtxoParameters,
} from '@crypto-checkout/protocol/chain-details';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, createBase58check, hex } from '@scure/base';
import { Address, OutScript } from '@scure/btc-signer';
import { AddressError, OtherNetworkError, type ParsedAddress } from '../parsed-address.ts';

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
const asVersions = ({ bech32: prefix, ...versions }: AddressVersions): Versions => ({
  ...versions,
  bech32: prefix ?? NO_SEGWIT,
});

/** Accounts have one test network; its addresses are those of each test network of the chain. */
const versionsOf = (chain: ChainId, network: Network): Versions[] => {
  const { mainnet, testnet, regtest } = utxoParameters(chain);
  return (network === 'mainnet' ? [mainnet] : [testnet, regtest]).map(asVersions);
};

const NO_SEGWIT = 'none';

/**
 * The address of a compressed public key. The key comes from `receivingKey` and is not validated
 * again.
 */
export const bitcoinAddress = (
  versions: AddressVersions,
  format: BitcoinFormat,
  publicKey: Uint8Array,
): string => FORMAT[format](hash160(publicKey), asVersions(versions));

/**
 * Checks the checksum and network of an address of a UTXO chain.
 * @throws AddressError
 */
export function parseBitcoinAddress(chain: ChainId, network: Network, text: string): ParsedAddress {
  if (MWEB.test(text))
    throw new AddressError(
      `"${text}" is an address of Litecoin's extension blocks (MWEB), which payments can't reach`,
    );
  for (const versions of versionsOf(chain, network)) {
    const isSegwit = versions.bech32 !== NO_SEGWIT && segwitPrefix(text) === versions.bech32;
    const address = isSegwit ? text.toLowerCase() : text;
    if (decodes(versions, address)) return { address, tag: null };
  }
  throw new AddressError(`"${text}" is not a ${chain} address on ${network}`);
}

/** LIP-0005: stealth addresses. */
const MWEB = /^(?:ltcmweb|rltcmweb|tmweb)1/i;

function decodes(versions: Versions, address: string): boolean {
  try {
    return Address(versions).decode(address) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The script that pays an address of this network.
 * @throws OtherNetworkError
 */
export function scriptOf(versions: AddressVersions, address: string): Uint8Array {
  try {
    return OutScript.encode(Address(asVersions(versions)).decode(address));
  } catch (cause) {
    throw new OtherNetworkError(address, cause);
  }
}

/**
 * The address that a script (hex digits) pays, in the forms that this wallet gives out; null for
 * every other form.
 */
export function addressOfScript(versions: AddressVersions, script: string): string | null {
  if (script.length === 44 && script.startsWith('0014')) {
    const { bech32: prefix } = versions;
    const hash = hex.decode(script.slice(4));
    return prefix === null ? null : bech32.encode(prefix, [0, ...bech32.toWords(hash)]);
  }
  if (script.length === 46 && script.startsWith('a914') && script.endsWith('87'))
    return versioned(versions.scriptHash, hex.decode(script.slice(4, 44)));
  if (script.length === 50 && script.startsWith('76a914') && script.endsWith('88ac'))
    return versioned(versions.pubKeyHash, hex.decode(script.slice(6, 46)));
  return null;
}

const base58check = createBase58check(sha256);
const versioned = (version: number, hash: Uint8Array): string =>
  base58check.encode(Uint8Array.from([version, ...hash]));

/**
 * From the hash of the public key. BIP141: nested segwit hashes the witness program (version 0, 20
 * bytes) as the script.
 */
const FORMAT: Readonly<Record<BitcoinFormat, (keyHash: Uint8Array, versions: Versions) => string>> =
  {
    bech32: (keyHash, { bech32: prefix }) => bech32.encode(prefix, [0, ...bech32.toWords(keyHash)]),
    p2sh: (keyHash, { scriptHash }) =>
      versioned(scriptHash, hash160(Uint8Array.from([0, 20, ...keyHash]))),
    p2pkh: (keyHash, { pubKeyHash }) => versioned(pubKeyHash, keyHash),
  };

function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes));
}

/** BIP173: entirely lower or upper case, never mixed. */
function segwitPrefix(text: string): string | null {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return null;
  const separator = lower.lastIndexOf('1');
  return separator > 0 ? lower.slice(0, separator) : null;
}
