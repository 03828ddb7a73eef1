import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@crypto-checkout/chains/error';
import { loadSeed } from '@crypto-checkout/chains/keys';
import { readNamedFile } from '@crypto-checkout/chains/read-file';
import { parsePolicy, POLICY, type Policy } from './policy.ts';
import { beginSignedLog } from './signed-log.ts';

/** The folder of the signer: `keys.json`, `network`, `policy.json` and `signed.log`. */
export interface FolderOptions {
  dir: string;
  passphraseFile?: string;
}

export interface PolicyOptions extends FolderOptions {
  /** Default: `policy.json` in the folder. */
  policy?: string;
}

/**
 * The seed of the folder's keys.
 * @throws ConfigError when the folder has none: new keys would be those of other addresses
 */
export function seedOf({ dir, passphraseFile }: FolderOptions): Uint8Array {
  requireKeyFile(dir);
  return loadSeed(dir, { mnemonic: undefined, passphraseFile: passphraseFile ?? null });
}

/** @throws ConfigError */
export function requireKeyFile(dir: string): void {
  if (!existsSync(join(dir, 'keys.json')))
    throw new ConfigError(`${dir} has no keys.json: make the keys with public-keys first.`);
}

/**
 * The same for the first run, which makes the keys and begins the log.
 * @throws ConfigError when the folder was used, and its keys are missing
 */
export function firstSeedOf({ dir, passphraseFile }: FolderOptions): Uint8Array {
  const used = ['signed.log', 'clock', 'network'].find((name) => existsSync(join(dir, name)));
  if (used !== undefined && !existsSync(join(dir, 'keys.json')))
    throw new ConfigError(
      `${dir} has no keys.json, and was used with keys (it has ${used}): restore keys.json from a backup, or use an empty folder.`,
    );
  const seed = loadSeed(dir, { mnemonic: undefined, passphraseFile: passphraseFile ?? null });
  // Later runs begin no log: a log that was lost must not be forgotten.
  if (used === undefined) beginSignedLog(join(dir, 'signed.log'));
  return seed;
}

/**
 * Keeps the network that the public keys of the folder are for. The words alone fit every network.
 * @throws ConfigError when they were made for the other one
 */
export function keepNetwork(dir: string, network: Policy['network']): void {
  const kept = keptNetwork(dir);
  if (kept === network) return;
  if (kept !== null)
    throw new ConfigError(
      `The public keys of ${dir} are for the ${kept}: use another folder for the ${network}.`,
    );
  writeFileSync(join(dir, 'network'), `${network}\n`, { mode: 0o600 });
}

export interface FolderPolicy {
  policy: Policy;
  /** As `sha256sum` prints it for the file. */
  sha256: string;
}

/**
 * The policy of the folder.
 * @throws ConfigError for a mistake in it, or one for another network than the public keys
 */
export function folderPolicy({
  dir,
  policy: path = join(dir, 'policy.json'),
}: PolicyOptions): FolderPolicy {
  const bytes = readNamedFile(POLICY, path);
  const policy = parsePolicy(path, bytes.toString('utf8'));
  const kept = keptNetwork(dir);
  if (kept !== null && kept !== policy.network)
    throw new ConfigError(
      `The policy ${path} is for the ${policy.network}, but the public keys of ${dir} are for the ${kept}: make the two match, or use another folder.`,
    );
  return { policy, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Null for a folder whose public keys were printed by an earlier version, or never. */
function keptNetwork(dir: string): string | null {
  const path = join(dir, 'network');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}
