import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { loadSeed, publicKeysOf, type PublicKeys } from '@crypto-checkout/chains/keys';
import { readPublicKeys } from '@crypto-checkout/chains/public-keys-file';
import {
  createSigner,
  SignatureAwaitedError,
  SigningRefusedError,
  type Signer,
} from '@crypto-checkout/chains/signer';
import { type Config, ConfigError } from '../config.ts';
import type { Db } from '../database/database.ts';
import { findPurpose } from '../signer/client/payout-purpose.ts';
import { createRemoteSigner, type SignerAddress } from '../signer/client/remote-signer.ts';
import { findApproval } from '../signer/client/stored-approval.ts';
import { readTls } from '../signer/tls.ts';

export type KeyConfig = Pick<
  Config,
  | 'dataDir'
  | 'testMnemonic'
  | 'keysPassphraseFile'
  | 'keysMode'
  | 'publicKeysFile'
  | 'signerUrl'
  | 'signerTls'
>;

export interface OpenKeysOptions {
  config: KeyConfig;
  network: PublicKeys['network'];
  db: Db;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Whether the database was used with keys: new ones have other addresses. Default false. */
  mustExist?: boolean;
}

/**
 * Opens the keys: in this process, in a signer process, or public keys alone.
 * @throws ConfigError with one sentence
 */
export function openKeys(options: OpenKeysOptions): { keys: PublicKeys; signer: Signer } {
  const { config, db, network, log, mustExist = false } = options;
  switch (config.keysMode) {
    case 'local': {
      const mnemonic = config.testMnemonic ?? undefined;
      if (mustExist && mnemonic === undefined) requireKeyFile(config);
      const seed = loadSeed(config.dataDir, {
        mnemonic,
        passphraseFile: config.keysPassphraseFile,
      });
      if (network === 'mainnet') warnOfHotKeys(config, log);
      return { keys: publicKeysOf(seed, { network }), signer: createSigner(seed) };
    }
    case 'watch':
      return { keys: publicKeys(options), signer: WATCH_ONLY };
    case 'signer':
      return {
        keys: publicKeys(options),
        signer: createRemoteSigner({
          ...signerAddress(config),
          approvalOf: (id) => findApproval(db, id),
          purposeOf: (id) => findPurpose(db, id),
        }),
      };
    default:
      throw new Error(`Unknown mode ${String(config.keysMode satisfies never)}`);
  }
}

function requireKeyFile({ dataDir }: KeyConfig): void {
  const path = join(dataDir, 'keys.json');
  if (!existsSync(path))
    throw new ConfigError(
      `${path} is missing, and the database was used with its keys: restore it from a backup, or set KEYS_MODE if the keys were moved.`,
    );
}

/** Plans of real chains are exported, signed elsewhere and imported. */
export const WATCH_ONLY: Signer = {
  async sign({ plan }) {
    if (plan.family === 'sandbox')
      throw new SigningRefusedError(
        'This service has no private keys (KEYS_MODE=watch): it cannot send on a simulated chain',
      );
    throw new SignatureAwaitedError(
      'Transactions wait for their signatures (KEYS_MODE=watch): see crypto-checkout-gateway unsigned',
    );
  },
};

function publicKeys({ config, network }: OpenKeysOptions): PublicKeys {
  if (config.publicKeysFile === null)
    throw new ConfigError(
      `KEYS_MODE=${config.keysMode} needs PUBLIC_KEYS_FILE, written by crypto-checkout-signer public-keys.`,
    );
  const keys = readPublicKeys(config.publicKeysFile);
  if (keys.network !== network)
    throw new ConfigError(
      `PUBLIC_KEYS_FILE has the keys of the ${keys.network}, but the nodes are on the ${network}.`,
    );
  return keys;
}

const TLS_SETTINGS = { ca: 'SIGNER_CA', cert: 'SIGNER_CERT', key: 'SIGNER_CERT_KEY' };

/** @throws ConfigError with one sentence */
export function signerAddress({
  signerUrl,
  signerTls,
}: Pick<KeyConfig, 'signerUrl' | 'signerTls'>): SignerAddress {
  if (signerUrl === null)
    throw new ConfigError(
      'KEYS_MODE=signer needs SIGNER_URL, for example unix:/run/crypto-signer/signer.sock.',
    );
  if (!signerUrl.startsWith('https:')) return { socket: signerUrl.slice('unix:'.length) };
  const { ca, cert, key } = signerTls;
  if (ca === null || cert === null || key === null)
    throw new ConfigError(
      'SIGNER_URL with https needs SIGNER_CA, SIGNER_CERT and SIGNER_CERT_KEY.',
    );
  return { url: signerUrl, tls: readTls({ ca, cert, key }, TLS_SETTINGS) };
}

/** An operator should hear of it before the first payment: a thief of this machine can spend. */
function warnOfHotKeys(
  { dataDir, keysPassphraseFile }: KeyConfig,
  log: OpenKeysOptions['log'],
): void {
  log.warn(
    { event: 'keys_are_hot', sealed: keysPassphraseFile !== null },
    keysPassphraseFile === null
      ? `the private keys of a main network are in ${dataDir}, in clear: set KEYS_PASSPHRASE_FILE, and keep only what you can afford to lose`
      : `the private keys of a main network are in ${dataDir}, sealed with a passphrase: keep only what you can afford to lose`,
  );
}
