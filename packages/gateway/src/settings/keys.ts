import { optional, setting } from '@crypto-checkout/protocol/schema/setting';
import { z } from 'zod';

/** Settings of the private keys, for the table of all settings. */
export const KEY_SETTINGS = {
  KEYS_PASSPHRASE_FILE: setting(
    '',
    optional,
    'File with a passphrase that seals DATA_DIR/keys.json; without it the mnemonic is stored in clear.',
  ),
  KEYS_MODE: setting(
    'local',
    z.enum(['local', 'watch', 'signer'], 'must be local, watch or signer'),
    'Where the private keys are: in DATA_DIR, on another machine that signs exported transactions (watch), or in a signer process.',
  ),
  PUBLIC_KEYS_FILE: setting(
    '',
    optional,
    'Public keys, written by `crypto-checkout-signer public-keys`, for the modes watch and signer.',
  ),
  SIGNER_URL: setting(
    '',
    optional.refine(
      (value) => value === null || /^unix:\/.+/.test(value),
      'must be unix: and the path of a socket',
    ),
    'Socket of the signer process, such as unix:/run/crypto-signer/signer.sock.',
  ),
};
