import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { hex, utf8 } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { ConfigError } from './error.ts';
import { readOrCreateMnemonic } from './key-file.ts';
import type { SolanaPool } from './solana/address.ts';
import { xrpAddress } from './xrp/address.ts';

type Network = 'mainnet' | 'testnet';

/** Bitcoin has two accounts and is listed apart. */
const UTXO_CHAINS = (Object.keys(CHAINS) as ChainId[]).flatMap((chain) => {
  const { utxo } = CHAIN_DETAILS[chain];
  return utxo === undefined || chain === 'bitcoin' ? [] : [[chain, utxo] as const];
});

/**
 * Key material for receiving payments. It can't spend. The blinding key reveals amounts, the
 * lightning key signs requests.
 */
export interface PublicKeys {
  network: Network;
  /** The address format of `kind=BTC`, unless the wallet has its own setting. */
  bitcoinFormat: 'bech32' | 'p2sh';
  /** Extended public keys of the accounts. */
  bitcoin: { bech32: string; p2sh: string };
  /** The same of the other UTXO chains, by chain. */
  utxo: Readonly<Partial<Record<ChainId, string>>>;
  liquid: { account: string; masterBlindingKey: Uint8Array };
  evm: string;
  tron: string;
  /** The only receiving account; invoices differ by destination tag. */
  xrp: string;
  ton: Uint8Array;
  solana: SolanaPool;
  lightning: { nodeKey: Uint8Array };
  /** BIP 32: names these keys in a PSBT; null in a keys file of an earlier version. */
  masterFingerprint: number | null;
  /**
   * Identifies the keys without revealing them: processes on one database must use the same keys.
   */
  fingerprint: string;
}

export interface KeyOptions {
  network: Network;
  /**
   * Set by tests only. Without it, the first start generates a mnemonic and stores it in
   * `keys.json`.
   */
  mnemonic?: string | undefined;
  /** Seals `keys.json`. Default: null, the mnemonic is stored in clear. */
  passphraseFile?: string | null | undefined;
  /** The address format of `kind=BTC`. Default: `bech32`. */
  bitcoinFormat?: 'bech32' | 'p2sh' | undefined;
}

/** Number of Solana keys per export. */
const POOL_BATCH = 32;

/**
 * Reads the operator's mnemonic, or generates one at the first start, and returns public keys only.
 * @param dataDir folder of `keys.json` (mode 0600)
 * @throws ConfigError with one sentence when the file is unreadable or contains no valid mnemonic
 */
export function loadKeys(dataDir: string, options: KeyOptions): PublicKeys {
  return publicKeysOf(loadSeed(dataDir, options), options);
}

/**
 * Returns the seed of all private keys. Only the `Signer` and `publicKeysOf` may use it.
 * @throws ConfigError as `loadKeys`
 */
export function loadSeed(
  dataDir: string,
  { mnemonic: configured, passphraseFile = null }: Pick<KeyOptions, 'mnemonic' | 'passphraseFile'>,
): Uint8Array {
  const mnemonic = configured ?? readOrCreateMnemonic(dataDir, passphraseFile);
  if (!validateMnemonic(mnemonic, wordlist))
    throw new ConfigError('TEST_MNEMONIC must be a BIP39 mnemonic.');
  return mnemonicToSeedSync(mnemonic);
}

/** Derives the public keys of a seed. Test networks use coin type 1 (SLIP-44) where wallets do. */
export function publicKeysOf(
  seed: Uint8Array,
  { network, bitcoinFormat = 'bech32' }: KeyOptions,
): PublicKeys {
  const root = HDKey.fromMasterSeed(seed);
  const account = (path: string): string => root.derive(path).publicExtendedKey;
  const coin = (mainnet: number): number => (network === 'mainnet' ? mainnet : 1);
  return {
    network,
    bitcoinFormat,
    bitcoin: { bech32: account(`m/84'/${coin(0)}'/0'`), p2sh: account(`m/49'/${coin(0)}'/0'`) },
    utxo: Object.fromEntries(
      UTXO_CHAINS.map(([chain, { coinType, addressFormat }]) => [
        chain,
        account(`m/${addressFormat === 'bech32' ? 84 : 44}'/${coin(coinType)}'/0'`),
      ]),
    ),
    liquid: {
      account: account(`m/84'/${coin(1776)}'/0'`),
      masterBlindingKey: masterBlindingKey(seed),
    },
    evm: account(`m/44'/60'/0'`),
    tron: account(`m/44'/195'/0'`),
    xrp: xrpAddress(publicKeyAt(root, `m/44'/144'/0'/0/0`)),
    ton: ed25519.getPublicKey(slip10(seed, [44, 607, 0]).key),
    solana: solanaPool(seed),
    // The path of lnd's node identity key: purpose 1017, family 6.
    lightning: { nodeKey: privateKeyAt(root, `m/1017'/${coin(0)}'/6'/0/0`) },
    masterFingerprint: root.fingerprint,
    fingerprint: hex.encode(sha256(publicKeyAt(root, `m/1017'/${coin(0)}'/6'/0/0`)).slice(0, 16)),
  };
}

function publicKeyAt(root: HDKey, path: string): Uint8Array {
  const { publicKey } = root.derive(path);
  if (publicKey === null) throw new Error(`No public key at ${path}`);
  return publicKey;
}

function privateKeyAt(root: HDKey, path: string): Uint8Array {
  const { privateKey } = root.derive(path);
  if (privateKey === null) throw new Error(`No private key at ${path}`);
  return privateKey;
}

interface Slip10Node {
  key: Uint8Array;
  chainCode: Uint8Array;
}

/** SLIP-10 for ed25519: every step is hardened. */
function slip10(seed: Uint8Array, path: readonly number[]): Slip10Node {
  return path.reduce(slip10Child, slip10Node(hmac(sha512, utf8.decode('ed25519 seed'), seed)));
}

function slip10Child(parent: Slip10Node, step: number): Slip10Node {
  const data = new Uint8Array(37);
  data.set(parent.key, 1);
  new DataView(data.buffer).setUint32(33, (step + 0x8000_0000) >>> 0);
  return slip10Node(hmac(sha512, parent.chainCode, data));
}

function slip10Node(bytes: Uint8Array): Slip10Node {
  return { key: bytes.slice(0, 32), chainCode: bytes.slice(32) };
}

/** The key holder's side of the pool. Exports m/44'/501'/n'/0' in batches, on demand. */
function solanaPool(seed: Uint8Array): SolanaPool {
  const parent = slip10(seed, [44, 501]);
  const exported = new Map<number, Uint8Array>();
  const exportBatch = (first: number): void => {
    for (let at = first; at < first + POOL_BATCH; at += 1) {
      exported.set(at, ed25519.getPublicKey(slip10Child(slip10Child(parent, at), 0).key));
    }
  };
  return {
    async publicKey(index) {
      if (!exported.has(index)) exportBatch(index - (index % POOL_BATCH));
      const key = exported.get(index);
      if (key === undefined) throw new RangeError(`No Solana key for target ${index}`);
      return key;
    },
  };
}

/** SLIP-77: the SLIP-21 node `SLIP-0077` of the seed. */
function masterBlindingKey(seed: Uint8Array): Uint8Array {
  const root = hmac(sha512, utf8.decode('Symmetric key seed'), seed);
  return hmac(sha512, root.slice(0, 32), Uint8Array.from([0, ...utf8.decode('SLIP-0077')])).slice(
    32,
  );
}
