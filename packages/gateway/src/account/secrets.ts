import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { readSecretFile } from '@crypto-checkout/chains/secret-file';
import { ConfigError } from '../config.ts';

/**
 * Seals values that must be readable later (API secrets, callback tokens): AES-256-GCM, bound to
 * the row's id.
 */
export interface Secrets {
  /**
   * @param about the id of the key or account; a sealed text that was moved to another row does not
   * open.
   */
  seal(text: string, about: string): string;
  /** @throws ConfigError when another key sealed it */
  unseal(sealed: string, about: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Cache of opened secrets: every request needs its key's. A changed row has another sealed text, so
 * no entry gets stale.
 */
const MAX_OPEN = 1_000;

/** @param key 32 bytes */
export function createSecrets(key: Uint8Array): Secrets {
  const open = new Map<string, { about: string; text: string }>();
  return {
    seal(text, about) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `v1.${Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')}`;
    },
    unseal(sealed, about) {
      const known = open.get(sealed);
      if (known?.about === about) return known.text;
      const text = unseal(key, sealed, about);
      if (open.size >= MAX_OPEN) open.clear();
      open.set(sealed, { about, text });
      return text;
    },
  };
}

function unseal(key: Uint8Array, sealed: string, about: string): string {
  const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return (
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') +
      decipher.final('utf8')
    );
  } catch (cause) {
    const message =
      'The secrets in the database were sealed with another key; set SECRETS_KEY (or DATA_DIR/secrets.key) to the one they were made with.';
    throw new ConfigError(message, { cause });
  }
}

/** Secure random bytes. */
interface RandomBytes {
  bytes(length: number): Uint8Array;
}

/**
 * An API key's name on the wire. The prefixes of key and secret let scanners recognize a leaked
 * one.
 */
export const newKey = ({ bytes }: RandomBytes): string =>
  `ck_${Buffer.from(bytes(16)).toString('hex')}`;

export const newSecret = ({ bytes }: RandomBytes): string =>
  `cs_${Buffer.from(bytes(32)).toString('hex')}`;

/**
 * The sealing key: from the configuration, else from `secrets.key` in the data folder, which the
 * first start creates.
 * @param mustExist the database was used with a key: a new one would open nothing. Default false
 */
export function loadSecretsKey(
  { secretsKey, dataDir }: { secretsKey: string | null; dataDir: string },
  { mustExist = false }: { mustExist?: boolean } = {},
): Buffer {
  if (secretsKey !== null) return Buffer.from(secretsKey, 'hex');
  const file = join(dataDir, 'secrets.key');
  if (!existsSync(file)) {
    if (mustExist)
      throw new ConfigError(
        `${file} is missing, and the database was used with it: restore it from a backup, or set SECRETS_KEY.`,
      );
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeOnce(file, randomBytes(32).toString('hex'));
  }
  const text = readSecretFile('The key file', file)?.trim() ?? '';
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new ConfigError(`${file} must hold 64 hex digits.`);
  return Buffer.from(text, 'hex');
}

/**
 * Atomic, and never over an existing file: two processes that start together end up with the same
 * key.
 */
function writeOnce(file: string, text: string): void {
  const fresh = `${file}.new-${process.pid}`;
  const handle = openSync(fresh, 'w', 0o600);
  writeSync(handle, text);
  fsyncSync(handle);
  closeSync(handle);
  try {
    linkSync(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  unlinkSync(fresh);
}
