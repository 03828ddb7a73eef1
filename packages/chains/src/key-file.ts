import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { hex, utf8 } from '@scure/base';
import { entropyToMnemonic, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { z } from 'zod';
import { ConfigError } from './error.ts';
import { readSecretFile, requireOwnerOnly } from './secret-file.ts';
import { syncFolder } from './sync-folder.ts';

const FILE = 'keys.json';
const SETTING = 'KEYS_PASSPHRASE_FILE';
const MIN_PASSPHRASE = 12;

/** 128 MiB and about half a second a try (RFC 7914). */
const COST = { n: 131_072, r: 8, p: 1 };
/** Above what `COST` needs, so that a file cannot ask for any amount of memory. */
const MAX_MEMORY = 256 * 1024 * 1024;

const hexText = z.string().regex(/^(?:[0-9a-f]{2})+$/);
const inClear = z.object({
  mnemonic: z
    .string()
    .refine((words) => validateMnemonic(words, wordlist), 'is not a BIP39 mnemonic'),
});
/** The key is scrypt of the passphrase; the mnemonic is sealed with AES-256-GCM. */
const sealedFile = z.object({
  sealed: z.object({
    scrypt: z.object({ n: z.int(), r: z.int(), p: z.int(), salt: hexText }),
    aes_256_gcm: z.object({ nonce: hexText, tag: hexText, ciphertext: hexText }),
  }),
});
const keyFile = z.union([inClear, sealedFile]);
type Sealed = z.infer<typeof sealedFile>;

/**
 * Reads the operator's mnemonic, or generates one at the first start. With a passphrase the file is
 * sealed; a file in clear is sealed then, and stays as it is when that fails.
 * @param dataDir folder of `keys.json` (mode 0600)
 * @param passphraseFile file of the passphrase, or null
 * @throws ConfigError with one sentence that names the file and the remedy
 */
export function readOrCreateMnemonic(dataDir: string, passphraseFile: string | null): string {
  const path = join(dataDir, FILE);
  const passphrase = passphraseFile === null ? null : readPassphrase(passphraseFile);
  const stored = readKeyFile(path);
  if (stored === null) return create(path, passphrase);
  if ('sealed' in stored) {
    if (passphrase === null)
      throw new ConfigError(`The key file ${path} is sealed: set ${SETTING}.`);
    return unseal(stored, passphrase, path, passphraseFile ?? '');
  }
  if (passphrase !== null) replace(path, stored.mnemonic, passphrase);
  return stored.mnemonic;
}

/** Reports whether the mnemonic is stored in clear. */
export function isKeyFileInClear(dataDir: string): boolean {
  const stored = readKeyFile(join(dataDir, FILE));
  return stored !== null && 'mnemonic' in stored;
}

function readPassphrase(path: string): string {
  let text: string;
  try {
    requireOwnerOnly(SETTING, path);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${SETTING} is not readable: ${path}.`, { cause: error });
  }
  const passphrase = text.replace(/\r?\n$/, '');
  if (passphrase.length < MIN_PASSPHRASE)
    throw new ConfigError(
      `${SETTING} must contain at least ${MIN_PASSPHRASE} characters, for example of: openssl rand -base64 32.`,
    );
  return passphrase;
}

function readKeyFile(path: string): z.infer<typeof keyFile> | null {
  const text = readSecretFile('The key file', path);
  if (text === null) return null;
  const stored = parse(text);
  if (stored === null)
    throw new ConfigError(
      `The key file ${path} holds no valid mnemonic. Restore it from a backup; never delete it.`,
    );
  return stored;
}

/** Omits the cause: messages of JSON.parse and zod quote the input, which is the mnemonic. */
function parse(text: string): z.infer<typeof keyFile> | null {
  try {
    return keyFile.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Two processes that start together must use the same mnemonic: the first link wins, and the other
 * process reads it.
 */
function create(path: string, passphrase: string | null): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mnemonic = entropyToMnemonic(randomBytes(32), wordlist);
  const draft = writeDraft(path, mnemonic, passphrase);
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isErrorCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const stored = readKeyFile(path);
  if (stored === null) throw new ConfigError(`The key file ${path} could not be written.`);
  if ('mnemonic' in stored) return stored.mnemonic;
  if (passphrase === null) throw new ConfigError(`The key file ${path} is sealed: set ${SETTING}.`);
  return unseal(stored, passphrase, path, SETTING);
}

/** Replaces a file in clear by a sealed one, after reading back what was written. */
function replace(path: string, mnemonic: string, passphrase: string): void {
  const draft = writeDraft(path, mnemonic, passphrase);
  try {
    const written = readKeyFile(draft);
    if (written === null || 'mnemonic' in written || open(written, passphrase) !== mnemonic)
      throw new ConfigError(`The key file ${path} could not be sealed.`);
    renameSync(draft, path);
    syncFolder(dirname(path));
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeDraft(path: string, mnemonic: string, passphrase: string | null): string {
  const draft = `${path}.${process.pid}.${hex.encode(randomBytes(6))}`;
  const content = passphrase === null ? { mnemonic } : seal(mnemonic, passphrase);
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
  chmodSync(draft, 0o600);
  return draft;
}

function seal(mnemonic: string, passphrase: string): Sealed {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, { ...COST, salt }), nonce);
  const ciphertext = Buffer.concat([cipher.update(mnemonic, 'utf8'), cipher.final()]);
  return {
    sealed: {
      scrypt: { ...COST, salt: hex.encode(salt) },
      aes_256_gcm: {
        nonce: hex.encode(nonce),
        tag: hex.encode(cipher.getAuthTag()),
        ciphertext: hex.encode(ciphertext),
      },
    },
  };
}

function unseal(stored: Sealed, passphrase: string, path: string, source: string): string {
  const mnemonic = open(stored, passphrase);
  if (mnemonic === null || !validateMnemonic(mnemonic, wordlist))
    throw new ConfigError(
      `The passphrase in ${source} does not open the key file ${path}, or the file is damaged.`,
    );
  return mnemonic;
}

/** Null for another passphrase, and for a damaged file. */
function open({ sealed }: Sealed, passphrase: string): string | null {
  const { scrypt, aes_256_gcm: box } = sealed;
  try {
    const key = keyOf(passphrase, { ...scrypt, salt: hex.decode(scrypt.salt) });
    const decipher = createDecipheriv('aes-256-gcm', key, hex.decode(box.nonce), {
      authTagLength: 16,
    });
    decipher.setAuthTag(hex.decode(box.tag));
    return utf8.encode(
      Buffer.concat([decipher.update(hex.decode(box.ciphertext)), decipher.final()]),
    );
  } catch {
    return null;
  }
}

function keyOf(
  passphrase: string,
  { n, r, p, salt }: typeof COST & { salt: Uint8Array },
): Uint8Array {
  return scryptSync(passphrase.normalize('NFKD'), salt, 32, { N: n, r, p, maxmem: MAX_MEMORY });
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
