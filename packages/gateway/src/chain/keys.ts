import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { hex, utf8 } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { entropyToMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../config.ts';
import type { SolanaPool } from './derive/solana.ts';
import { xrpAddress } from './derive/xrp.ts';

type Network = 'mainnet' | 'testnet';

/** All that watching for payments needs; nothing in it can spend. The blinding key reveals amounts, the lightning key signs requests. */
export interface PublicKeys {
  network: Network;
  /** What `kind=BTC` shows; a wallet setting, bech32 unless set. */
  bitcoinFormat: 'bech32' | 'p2sh';
  /** Extended public keys of the accounts. */
  bitcoin: { bech32: string; p2sh: string };
  litecoin: string;
  dogecoin: string;
  liquid: { account: string; masterBlindingKey: Uint8Array };
  evm: string;
  tron: string;
  /** The one receiving account; invoices differ by destination tag. */
  xrp: string;
  ton: Uint8Array;
  solana: SolanaPool;
  lightning: { nodeKey: Uint8Array };
  /** Names this set of keys without revealing it: two processes on one database must hold the same. */
  fingerprint: string;
}

export interface KeyOptions {
  network: Network;
  /** Only tests set it: otherwise a random mnemonic is made at first start and kept in `keys.json`. */
  mnemonic?: string | undefined;
  /** What `kind=BTC` shows. Default `bech32`. */
  bitcoinFormat?: 'bech32' | 'p2sh' | undefined;
}

const FILE = 'keys.json';
const stored = z.object({ mnemonic: z.string().refine((words) => validateMnemonic(words, wordlist), 'is not a BIP39 mnemonic') });
/** How many Solana keys the holder exports at a time. */
const POOL_BATCH = 32;

/**
 * Reads the operator's mnemonic, or makes one at first start, and gives the public material only.
 * @param dataDir folder of `keys.json` (mode 0600)
 * @throws ConfigError with one sentence when the file is not readable or holds no valid mnemonic
 */
export function loadKeys(dataDir: string, options: KeyOptions): PublicKeys {
  return publicKeysOf(loadSeed(dataDir, options), options);
}

/**
 * What all private keys follow from: for the `Signer` alone, and for exporting the public ones.
 * @throws ConfigError as `loadKeys`
 */
export function loadSeed(dataDir: string, { mnemonic: given }: Pick<KeyOptions, 'mnemonic'>): Uint8Array {
  const mnemonic = given ?? readOrCreate(join(dataDir, FILE), dataDir);
  if (!validateMnemonic(mnemonic, wordlist)) throw new ConfigError('TEST_MNEMONIC must be a BIP39 mnemonic.');
  return mnemonicToSeedSync(mnemonic);
}

/** The public material of a seed. Coin type 1 on test networks (SLIP-44) wherever wallets use it. */
export function publicKeysOf(seed: Uint8Array, { network, bitcoinFormat = 'bech32' }: KeyOptions): PublicKeys {
  const root = HDKey.fromMasterSeed(seed);
  const account = (path: string): string => root.derive(path).publicExtendedKey;
  const coin = (mainnet: number): number => (network === 'mainnet' ? mainnet : 1);
  return {
    network,
    bitcoinFormat,
    bitcoin: { bech32: account(`m/84'/${coin(0)}'/0'`), p2sh: account(`m/49'/${coin(0)}'/0'`) },
    litecoin: account(`m/84'/${coin(2)}'/0'`),
    dogecoin: account(`m/44'/${coin(3)}'/0'`),
    liquid: { account: account(`m/84'/${coin(1776)}'/0'`), masterBlindingKey: masterBlindingKey(seed) },
    evm: account(`m/44'/60'/0'`),
    tron: account(`m/44'/195'/0'`),
    xrp: xrpAddress(publicKeyAt(root, `m/44'/144'/0'/0/0`)),
    ton: ed25519.getPublicKey(slip10(seed, [44, 607, 0]).key),
    solana: solanaPool(seed),
    // The path of lnd's node identity key: purpose 1017, family 6.
    lightning: { nodeKey: privateKeyAt(root, `m/1017'/${coin(0)}'/6'/0/0`) },
    fingerprint: hex.encode(sha256(publicKeyAt(root, `m/1017'/${coin(0)}'/6'/0/0`)).slice(0, 16)),
  };
}

/** Two processes that start at once must end with one mnemonic: whoever links the file first wins, the other reads it. */
function readOrCreate(path: string, dataDir: string): string {
  const existing = readMnemonic(path);
  if (existing !== null) return existing;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${hex.encode(randomBytes(6))}`;
  const mnemonic = entropyToMnemonic(randomBytes(32), wordlist);
  writeFileSync(draft, `${JSON.stringify({ mnemonic }, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isErrorCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const kept = readMnemonic(path);
  if (kept === null) throw new ConfigError(`The key file ${path} could not be written.`);
  return kept;
}

function readMnemonic(path: string): string | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return null;
    throw new ConfigError(`The key file ${path} is not readable.`, { cause: error });
  }
  const mnemonic = parseStored(text);
  if (mnemonic === null) throw new ConfigError(`The key file ${path} holds no valid mnemonic; restore it from a backup, never delete it.`);
  return mnemonic;
}

/** No cause is kept: the messages of JSON and zod quote what they read, which is the mnemonic. */
function parseStored(text: string): string | null {
  try {
    return stored.parse(JSON.parse(text)).mnemonic;
  } catch {
    return null;
  }
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
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

/** SLIP-10 for ed25519: every step hardened. */
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

/** The key holder's side of the pool: exports m/44'/501'/n'/0' a batch at a time, only where targets are asked for. */
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
  return hmac(sha512, root.slice(0, 32), Uint8Array.from([0, ...utf8.decode('SLIP-0077')])).slice(32);
}
