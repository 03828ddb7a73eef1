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
export interface LndConfig {
  url: string;
  certificateFile: string | null;
  /** Hex digits, or the path of a file. */
  macaroon: string;
  sendMacaroon: string | null;
  /** Highest routing fee, in percent of the amount. */
  feeLimit: Amount;
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
} satisfies Settings;

/** The node's address can name a private host. */
export const SECRET_LIGHTNING_SETTINGS = ['LND_URL', 'LND_MACAROON', 'LND_SEND_MACAROON'] as const;

/** @throws ConfigError when a setting lacks another one */
export function lndConfig(values: SettingValues<typeof LIGHTNING_SETTINGS>): LndConfig | null {
  const { LND_URL: url, LND_MACAROON: macaroon, LND_SEND_MACAROON: sendMacaroon } = values;
  if (url === null) {
    if (macaroon === null && sendMacaroon === null && values.LND_CERT === null) return null;
    throw new ConfigError('LND_CERT and LND_MACAROON need LND_URL, the address of the node.');
  }
  if (macaroon === null)
    throw new ConfigError('LND_URL needs LND_MACAROON, which makes and reads invoices.');
  return {
    url,
    certificateFile: values.LND_CERT,
    macaroon,
    sendMacaroon,
    feeLimit: values.LND_FEE_LIMIT,
  };
}

function isHttps(value: string | null): boolean {
  if (value === null) return true;
  if (!URL.canParse(value)) return false;
  const { protocol, pathname, username, search } = new URL(value);
  return protocol === 'https:' && pathname === '/' && username === '' && search === '';
}
