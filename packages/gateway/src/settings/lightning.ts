import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import {
  optional,
  setting,
  text,
  type Settings,
  type SettingValues,
} from '@crypto-checkout/protocol/schema/setting';
import { ConfigError } from '@crypto-checkout/chains/error';

/** The lightning node. */
export interface LightningConfig {
  program: 'lnd' | 'cln' | 'phoenixd';
  url: string;
  certificateFile: string | null;
  /** A macaroon or a rune, or the path of a file with it; of phoenixd its password. */
  credential: string;
  sendCredential: string | null;
  /** Highest routing fee, in percent of the amount. */
  feeLimit: Amount;
  /** The public key of the node that it takes the place of; null: none. */
  replaces: string | null;
}

export const LIGHTNING_SETTINGS = {
  LND_URL: setting(
    '',
    optional.refine(isHttps, 'must be an https URL without user and path'),
    'REST address of an LND node, such as https://127.0.0.1:8080. Without it, a test network simulates lightning, and a main network does not offer it.',
  ),
  LND_CERT: setting(
    '',
    optional,
    "Path of the node's tls.cert; without it, the node needs a certificate of a public authority.",
  ),
  LND_MACAROON: setting(
    '',
    optional,
    'Macaroon that makes and reads invoices, and may not spend: hex digits, or the path of a file.',
  ),
  LND_SEND_MACAROON: setting(
    '',
    optional,
    'Macaroon that pays: hex digits, or the path of a file. Without it, nothing is paid out over lightning.',
  ),
  LND_FEE_LIMIT: setting(
    '0.5',
    text
      .regex(/^\d{1,2}(\.\d{1,4})?$/, 'must be a percentage below 100, as in 0.5')
      .transform(parseAmount),
    'Highest routing fee of a payout over lightning, in percent of its amount; at least 5 satoshis.',
  ),
  CLN_URL: setting(
    '',
    optional.refine(isHttps, 'must be an https URL without user and path'),
    'Address of clnrest of a Core Lightning node, in the place of LND_URL, such as https://127.0.0.1:3010.',
  ),
  CLN_CERT: setting(
    '',
    optional,
    "Path of clnrest's server.pem; without it, the node needs a certificate of a public authority.",
  ),
  CLN_RUNE: setting(
    '',
    optional,
    'Rune that makes and reads invoices, and may not spend: its text, or the path of a file.',
  ),
  CLN_SEND_RUNE: setting(
    '',
    optional,
    'Rune that pays: its text, or the path of a file. Without it, nothing is paid out over lightning.',
  ),
  CLN_FEE_LIMIT: setting(
    '0.5',
    text
      .regex(/^\d{1,2}(\.\d{1,4})?$/, 'must be a percentage below 100, as in 0.5')
      .transform(parseAmount),
    'Highest routing fee of a payout, as LND_FEE_LIMIT.',
  ),
  PHOENIXD_URL: setting(
    '',
    optional.refine(isPhoenixd, 'must be an http URL on this machine, or an https URL'),
    'Address of phoenixd, in the place of LND_URL, such as http://127.0.0.1:9740. It receives only.',
  ),
  PHOENIXD_PASSWORD: setting(
    '',
    optional,
    'The http-password-limited-access of phoenix.conf, which makes and reads invoices, and may not spend.',
  ),
  LIGHTNING_REPLACES_NODE: setting(
    '',
    optional.refine(isPublicKey, 'must be a public key: 02 or 03, and 64 more hex digits'),
    'Public key of the lightning node that the present one takes the place of, for good. Without it, another node than the one whose payments were read ends the start.',
  ),
} satisfies Settings;

/** The node's address can name a private host. */
export const SECRET_LIGHTNING_SETTINGS = [
  'LND_URL',
  'LND_MACAROON',
  'LND_SEND_MACAROON',
  'CLN_URL',
  'CLN_RUNE',
  'CLN_SEND_RUNE',
  'PHOENIXD_URL',
  'PHOENIXD_PASSWORD',
] as const;

type Values = SettingValues<typeof LIGHTNING_SETTINGS>;

/** @throws ConfigError when a setting lacks another one, or for two nodes */
export function lightningConfig(values: Values): LightningConfig | null {
  const nodes = [lndConfig(values), clnConfig(values), phoenixdConfig(values)];
  const named = nodes.filter((node) => node !== null);
  if (named.length > 1)
    throw new ConfigError(
      `${named.map(({ program }) => `${program.toUpperCase()}_URL`).join(' and ')} exclude each other: one node receives lightning.`,
    );
  const [node] = named;
  return node === undefined ? null : { ...node, replaces: values.LIGHTNING_REPLACES_NODE };
}

type NodeConfig = Omit<LightningConfig, 'replaces'>;

function lndConfig(values: Values): NodeConfig | null {
  const { LND_URL: url, LND_MACAROON: credential, LND_SEND_MACAROON: sendCredential } = values;
  if (url === null) {
    if (credential === null && sendCredential === null && values.LND_CERT === null) return null;
    throw new ConfigError('LND_CERT and LND_MACAROON need LND_URL, the address of the node.');
  }
  if (credential === null)
    throw new ConfigError('LND_URL needs LND_MACAROON, which makes and reads invoices.');
  const { LND_CERT: certificateFile, LND_FEE_LIMIT: feeLimit } = values;
  return { program: 'lnd', url, certificateFile, credential, sendCredential, feeLimit };
}

function clnConfig(values: Values): NodeConfig | null {
  const { CLN_URL: url, CLN_RUNE: credential, CLN_SEND_RUNE: sendCredential } = values;
  if (url === null) {
    if (credential === null && sendCredential === null && values.CLN_CERT === null) return null;
    throw new ConfigError('CLN_CERT and CLN_RUNE need CLN_URL, the address of the node.');
  }
  if (credential === null)
    throw new ConfigError('CLN_URL needs CLN_RUNE, which makes and reads invoices.');
  const { CLN_CERT: certificateFile, CLN_FEE_LIMIT: feeLimit } = values;
  return { program: 'cln', url, certificateFile, credential, sendCredential, feeLimit };
}

function phoenixdConfig(values: Values): NodeConfig | null {
  const { PHOENIXD_URL: url, PHOENIXD_PASSWORD: credential } = values;
  if (url === null && credential === null) return null;
  if (url === null || credential === null)
    throw new ConfigError('PHOENIXD_URL and PHOENIXD_PASSWORD belong together: set both.');
  const receivesOnly = { certificateFile: null, sendCredential: null, feeLimit: 0n };
  return { program: 'phoenixd', url, credential, ...receivesOnly };
}

/** The password must not cross a network in clear. */
function isPhoenixd(value: string | null): boolean {
  if (value === null || isHttps(value)) return true;
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'http:' && isHttps(value.replace(/^http:/i, 'https:')) && isHere(hostname);
}

const isHere = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

function isPublicKey(value: string | null): boolean {
  return value === null || /^0[23][0-9a-f]{64}$/.test(value);
}

function isHttps(value: string | null): boolean {
  if (value === null) return true;
  if (!URL.canParse(value)) return false;
  const { protocol, pathname, username, search } = new URL(value);
  return protocol === 'https:' && pathname === '/' && username === '' && search === '';
}
