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
      (value) => value === null || /^unix:\/.+/.test(value) || isOrigin(value),
      'must be unix: and the path of a socket, or https:// with a host and a port',
    ),
    'Address of the signer process: a socket, such as unix:/run/crypto-signer/signer.sock, or https://<host>:<port>.',
  ),
  SIGNER_CA: setting(
    '',
    optional,
    "With https: file of the signer's certificate, or of those that sign it, in PEM.",
  ),
  SIGNER_CERT: setting(
    '',
    optional,
    "With https: file of the gateway's certificate, which the signer asks for, in PEM.",
  ),
  SIGNER_CERT_KEY: setting('', optional, 'With https: file of the private key of SIGNER_CERT.'),
};

/** Settings of the signer process, for the same table. */
export const SIGNER_SETTINGS = {
  SIGNER_POLICY: setting(
    '',
    optional,
    "File of the signer's policy. Default: policy.json in its folder.",
  ),
};

/** An https address without a path. */
function isOrigin(value: string): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  return parsed?.protocol === 'https:' && /^https:\/\/[^/@?#]+\/?$/.test(value);
}
