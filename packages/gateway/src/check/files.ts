import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isKeyFileInClear } from '@crypto-checkout/chains/key-file';
import { readPublicKeys } from '@crypto-checkout/chains/public-keys-file';
import { readSecretFile } from '@crypto-checkout/chains/secret-file';
import type { Config } from '../config.ts';
import { ConfigError } from '../config.ts';
import { fault, faultOf, type Finding, lookAt, ok, present, warning } from './finding.ts';

/**
 * The files of secrets: there, readable by the user of this command, and by nobody else.
 * @param isUsed whether the database was used with them, so that the next start makes no new ones
 */
export async function checkFiles(config: Config, isUsed: boolean): Promise<Finding[]> {
  const { dataDir, secretsKey } = config;
  return present([
    checkFolder(dataDir),
    secretsKey === null
      ? await checkSecret('secrets.key', join(dataDir, 'secrets.key'), isUsed)
      : ok('SECRETS_KEY', 'It is set.'),
    ...(config.keysMode === 'local'
      ? await checkKeys(config, isUsed)
      : [await checkPublicKeys(config)]),
  ]);
}

function checkFolder(dataDir: string): Finding | null {
  const folder = statSync(dataDir, { throwIfNoEntry: false });
  if (folder === undefined)
    return warning('DATA_DIR', `${dataDir} does not exist; the first start makes it.`);
  return (folder.mode & 0o077) === 0
    ? null
    : warning('DATA_DIR', `Others may look into it: run chmod 700 ${dataDir}.`);
}

async function checkSecret(name: string, path: string, isUsed: boolean): Promise<Finding> {
  const { found: text, mistake } = await lookAt(name, null, () => readSecretFile('The file', path));
  if (mistake !== null) return mistake;
  if (text !== null) return ok(name, `Only its owner may read ${path}.`);
  return isUsed
    ? fault(
        name,
        `${path} is missing, and the database was used with it: restore it from a backup.`,
      )
    : ok(name, `The first start makes ${path}.`);
}

async function checkKeys(config: Config, isUsed: boolean): Promise<Finding[]> {
  const { dataDir, keysPassphraseFile: passphrase } = config;
  const file = await checkSecret('keys.json', join(dataDir, 'keys.json'), isUsed);
  const sealed =
    passphrase === null
      ? warning(
          'KEYS_PASSPHRASE_FILE',
          'The private keys are in clear: set KEYS_PASSPHRASE_FILE, or use the signer process.',
        )
      : await checkSecret('KEYS_PASSPHRASE_FILE', passphrase, true);
  const isWaiting = passphrase !== null && file.result === 'ok' && isKeyFileInClear(dataDir);
  return present([
    file,
    sealed,
    isWaiting ? warning('keys.json', 'It is in clear; the next start seals it.') : null,
  ]);
}

async function checkPublicKeys({ keysMode, publicKeysFile }: Config): Promise<Finding> {
  const found = await faultOf('PUBLIC_KEYS_FILE', () => {
    if (publicKeysFile === null)
      throw new ConfigError(
        `KEYS_MODE=${keysMode} needs PUBLIC_KEYS_FILE, written by crypto-checkout-signer public-keys.`,
      );
    if (readPublicKeys(publicKeysFile).network !== 'mainnet')
      throw new ConfigError(
        'It has keys of a test network: print those of the main network with crypto-checkout-signer public-keys.',
      );
  });
  return found ?? ok('PUBLIC_KEYS_FILE', 'It has the public keys of a main network.');
}
