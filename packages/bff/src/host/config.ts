import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { misspelledNames } from '@crypto-checkout/protocol/spelling';
import { INVOICE_EXPIRATIONS } from '@crypto-checkout/protocol/schema/invoice';
import {
  flag,
  integer,
  isHttpUrl,
  listOf,
  logLevel,
  optional,
  optionalPostgresUrl,
  optionalSmtpUrl,
  optionalUrl,
  port,
  readSettings,
  setting,
  text,
  url,
  type Environment,
  type Refuse,
  type Settings,
  type SettingValues,
} from '@crypto-checkout/protocol/schema/setting';
import {
  isOnrampUrl,
  isSupportUrl,
  ONRAMP_URL_RULE,
  ONRAMP_PLACEHOLDER_LIST,
  SUPPORT_URL_RULE,
} from '../http/url-rules.ts';
import { isMailAddress } from '../http/mail-address.ts';
import { type Network, parseNetwork } from '../http/network.ts';
import { COLOR_RULE, COUNTRY_RULE, isCountry, isMerchantColor } from '../merchant/merchant.ts';
import { DEFAULT_EXCHANGE_EXPIRATION, DEFAULT_RATE_LIMIT, OptionsError } from '../options.ts';
import type { Catalogue } from '../orders/catalogue.ts';
import { readCatalogue } from './catalogue.ts';

const origins = listOf(readOrigin);
/** A text that buyers copy into a field of one line. */
const oneLine = (max: number): typeof optional =>
  optional.refine(
    (value) => value === null || (value.length <= max && !/[\p{Cc}\u2028\u2029]/u.test(value)),
    `must be one line of at most ${max} characters`,
  );
const networks = listOf(readNetwork);
const keys = listOf(readKey);

/** All settings of the BFF. A test compares the table in docs/run/settings.md with it. */
export const SETTINGS = {
  DATA_DIR: setting(
    '.data',
    text.min(1, 'must name a folder'),
    'Folder for checkouts. Its `credentials.json` and `bff.json` provide the settings that are not set here.',
  ),
  DATABASE_URL: setting(
    '',
    optionalPostgresUrl,
    'PostgreSQL database for checkouts; required when several processes share the load.',
  ),
  HOST: setting(
    '127.0.0.1',
    text.min(1, 'must be an address'),
    'Address that the server listens on.',
  ),
  PORT: setting('8080', port, 'Port of the server; 0 selects a free one.'),
  METRICS_PORT: setting('0', port, 'Port of /metrics on 127.0.0.1; 0 disables it.'),
  PUBLIC_URL: setting(
    '',
    optionalUrl,
    'Public address of the pages; by default http://localhost and the port.',
  ),
  SERVICE_URL: setting('', optionalUrl, 'Address of the payment service.'),
  API_KEY: setting('', optional, 'Key of the payment service.'),
  API_SECRET: setting('', optional, 'Secret of that key.'),
  API_KEYS: setting(
    '',
    keys,
    'More keys of the account, as `key:secret` separated by spaces. Requests are spread over all keys.',
  ),
  NONCE_WINDOW: setting(
    '',
    text.pipe(z.enum(['', 'true', 'false'], 'must be true or false')),
    'Whether the keys accept nonces in any order; by default only the key in bff.json does.',
  ),
  CALLBACK_TOKEN: setting('', optional, 'Token that signs the callbacks of the service.'),
  PROFILE_ID: setting('', optional, 'Profile of the service for new invoices.'),
  ORDER_SECRET: setting('', optional, 'Secret that signs order tokens.'),
  SHOP_SECRET: setting('', optional, 'Secret that opens checkouts from server to server.'),
  SHOP_WEBHOOK_URL: setting('', optionalUrl, "URL of the shop's webhook for events of its orders."),
  SHOP_WEBHOOK_SECRET: setting(
    '',
    optional.refine(isWebhookSecret, 'must be whsec_ and at least 24 bytes in base64'),
    'Secret that signs the webhook: `whsec_` and base64.',
  ),
  EMBED_ORIGINS: setting('', origins, 'Origins of shop pages that embed the element.'),
  SUCCESS_ORIGINS: setting(
    '',
    origins,
    'Origins that a success link may lead to. Links of signed orders may lead to any https address.',
  ),
  CATALOGUE: setting('', text, 'JSON file with fixed prices.'),
  ALLOW_CLIENT_PRICES: setting(
    'false',
    flag,
    'Whether a page of EMBED_ORIGINS may set the price. Webhooks of such orders contain `unverified_price`.',
  ),
  LATE_PAYMENTS: setting(
    'ask',
    z.enum(['ask', 'accept'], 'must be ask or accept'),
    'Payments after the quote expired. `ask`: they do not count, and the shop decides. `accept`: they count at the price of their arrival.',
  ),
  EXCHANGE_EXPIRATION: setting(
    String(DEFAULT_EXCHANGE_EXPIRATION),
    text
      .transform(Number)
      .pipe(z.literal(INVOICE_EXPIRATIONS, `must be one of ${INVOICE_EXPIRATIONS.join(', ')}`)),
    'Seconds that a quote holds for a buyer who pays from an exchange, if the profile has fewer.',
  ),
  ONRAMP_URL: setting(
    '',
    optional.refine((value) => value === null || isOnrampUrl(value), ONRAMP_URL_RULE),
    `URL of a page that sells coins for card payments, for profiles with onramp_api_key. Placeholders: ${ONRAMP_PLACEHOLDER_LIST}.`,
  ),
  SOLANA_RPC_URL: setting(
    '',
    optionalUrl,
    "JSON-RPC URL of a Solana node on the network of the service. With it, wallets in the buyer's browser pay in Solana with one tap.",
  ),
  MERCHANT_NAME: setting(
    '',
    text.max(80, 'must have at most 80 characters'),
    'Name shown to buyers; by default the host of PUBLIC_URL.',
  ),
  MERCHANT_LOGO: setting(
    '',
    text,
    'SVG or PNG file of at most 20,000 bytes, shown beside the name and in the tab.',
  ),
  MERCHANT_COLOR: setting(
    '',
    optional.refine((value) => value === null || isMerchantColor(value), COLOR_RULE),
    'Colour of buttons and links on the hosted page, as `#rrggbb`; dark enough for white text.',
  ),
  MERCHANT_LEGAL_NAME: setting(
    '',
    oneLine(120),
    'Name of the company that is paid. Buyers copy it into the form of an exchange, which may have to ask for it.',
  ),
  MERCHANT_ADDRESS: setting(
    '',
    oneLine(200),
    'Postal address of that company, in one line. Needs MERCHANT_LEGAL_NAME.',
  ),
  MERCHANT_COUNTRY: setting(
    '',
    optional.refine(isCountry, COUNTRY_RULE),
    'Country of that company, as a code of two capital letters. Needs MERCHANT_LEGAL_NAME.',
  ),
  SUPPORT_URL: setting(
    '',
    optional.refine((value) => value === null || isSupportUrl(value), SUPPORT_URL_RULE),
    'Help link shown to buyers: https or mailto.',
  ),
  ELEMENTS_DIR: setting(
    '',
    text,
    'Folder with the built browser files; by default the output of `npm run build`. Without it, pages have no scripts.',
  ),
  RECEIPT_SMTP_URL: setting(
    '',
    optionalSmtpUrl,
    'Server for receipts by e-mail, such as smtp://user:password@host:587 or smtps://host. Without it, buyers cannot ask for them.',
  ),
  RECEIPT_SMTP_FROM: setting(
    '',
    optional.refine(isSender, 'must be an e-mail address, with or without a name'),
    'Sender of receipts, with or without a name; by default no-reply at the host of PUBLIC_URL.',
  ),
  EXTENSIONS: setting(
    'true',
    flag,
    'Whether the service signs the bytes of callbacks and can renew quotes. Set false for a service without these extensions.',
  ),
  RATE_LIMIT_RPS: setting(
    String(DEFAULT_RATE_LIMIT.perSecond),
    integer(1, 1_000_000),
    'Requests per second of one key. All other limits are multiples.',
  ),
  RATE_LIMIT_BURST: setting(
    String(DEFAULT_RATE_LIMIT.burst),
    integer(1, 1_000_000),
    'Requests of one key at once. All other limits are multiples.',
  ),
  MAX_STREAMS: setting(
    '10000',
    integer(1, 1_000_000),
    'Event streams that may be open at once, of all buyers; never more than three quarters of the open files that the process may have.',
  ),
  TRUSTED_PROXIES: setting(
    '',
    networks,
    'Addresses or CIDR ranges of proxies with a trusted X-Forwarded-For.',
  ),
  LOG_LEVEL: setting('info', logLevel, 'Minimum level of log lines.'),
} satisfies Settings;

type Values = SettingValues<typeof SETTINGS>;

/** The parsed settings. Missing secrets and addresses come from the files of the gateway. */
export interface Config extends Omit<Values, 'NONCE_WINDOW' | 'CATALOGUE'> {
  SERVICE_URL: string;
  API_KEY: string;
  API_SECRET: string;
  CALLBACK_TOKEN: string;
  PROFILE_ID: string;
  ORDER_SECRET: string;
  SHOP_SECRET: string;
  nonceWindow: boolean;
  catalogue: Catalogue;
}

const Credentials = z.object({
  gateway_url: z.string().optional(),
  public_url: z.string().optional(),
  callback_token: z.string().optional(),
  profile_id: z.string().optional(),
  order_secret: z.string().optional(),
  shop_secret: z.string().optional(),
});
const OwnKey = z.object({ api_key: z.string(), api_secret: z.string() });

/**
 * Reads the settings from the environment, and is the only place that does.
 * @throws OptionsError with one sentence per mistake
 */
export function loadConfig(env: Environment): Config {
  const { values, mistakes } = readSettings(SETTINGS, env, SECRET);
  const dataDir = resolve(values.DATA_DIR);
  const file = readFile(join(dataDir, 'credentials.json'), Credentials) ?? {};
  const own = values.API_KEY === null ? readFile(join(dataDir, 'bff.json'), OwnKey) : null;
  mistakes.push(...missingIn(values));
  const SERVICE_URL = url.safeParse(values.SERVICE_URL ?? file.gateway_url ?? '').data;
  if (values.SERVICE_URL === null && SERVICE_URL === undefined)
    mistakes.push('SERVICE_URL is missing: the address of the payment service.');
  if (SERVICE_URL === undefined || mistakes.length > 0) throw new OptionsError(mistakes.join('\n'));
  return {
    ...values,
    DATA_DIR: dataDir,
    SERVICE_URL,
    // Missing values stay empty: createBff reports each in one sentence.
    API_KEY: values.API_KEY ?? own?.api_key ?? '',
    API_SECRET: values.API_SECRET ?? own?.api_secret ?? '',
    CALLBACK_TOKEN: values.CALLBACK_TOKEN ?? file.callback_token ?? '',
    PROFILE_ID: values.PROFILE_ID ?? file.profile_id ?? '',
    ORDER_SECRET: values.ORDER_SECRET ?? file.order_secret ?? '',
    SHOP_SECRET: values.SHOP_SECRET ?? file.shop_secret ?? '',
    PUBLIC_URL: (values.PUBLIC_URL ?? file.public_url)?.replace(/\/+$/, '') ?? null,
    nonceWindow: values.NONCE_WINDOW === '' ? own !== null : values.NONCE_WINDOW === 'true',
    catalogue: readCatalogue(values.CATALOGUE),
  };
}

/** Settings that another one needs, one sentence each. An invalid value is undefined. */
function missingIn(values: Partial<Values>): string[] {
  const { MERCHANT_LEGAL_NAME, MERCHANT_ADDRESS, MERCHANT_COUNTRY } = values;
  return [
    ...((values.SHOP_WEBHOOK_URL ?? null) !== null && values.SHOP_WEBHOOK_SECRET === null
      ? ['SHOP_WEBHOOK_SECRET is missing: it signs the webhooks to SHOP_WEBHOOK_URL.']
      : []),
    ...(MERCHANT_LEGAL_NAME === null && (MERCHANT_ADDRESS ?? MERCHANT_COUNTRY ?? null) !== null
      ? [
          'MERCHANT_LEGAL_NAME is missing: MERCHANT_ADDRESS and MERCHANT_COUNTRY belong to that company.',
        ]
      : []),
  ];
}

/** Environment variables that resemble a setting. */
export const misspeltSettings = (env: Environment): [name: string, meant: string][] =>
  misspelledNames(Object.keys(env), Object.keys(SETTINGS));

// Values of these settings never appear in messages, which end up in logs.
const SECRET: ReadonlySet<string> = new Set<keyof typeof SETTINGS>([
  'API_SECRET',
  'API_KEYS',
  'CALLBACK_TOKEN',
  'ORDER_SECRET',
  'SHOP_SECRET',
  'SHOP_WEBHOOK_SECRET',
  'DATABASE_URL',
  'RECEIPT_SMTP_URL',
]);

function readFile<T>(path: string, schema: z.ZodType<T>): T | null {
  if (!existsSync(path)) return null;
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new OptionsError(`${path} does not have the format that the gateway writes.`, {
      cause: error,
    });
  }
}

function isSender(value: string | null): boolean {
  return value === null || isMailAddress(/^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(value)?.[1] ?? value);
}

function isWebhookSecret(value: string | null): boolean {
  const base64 = value?.startsWith('whsec_') ? value.slice('whsec_'.length) : value;
  return (
    base64 === null ||
    base64 === undefined ||
    (/^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0 && base64.length >= 32)
  );
}

function readOrigin(item: string, refuse: Refuse): string | undefined {
  const parsed = isHttpUrl(item) ? new URL(item) : null;
  if (parsed && item.replace(/\/$/, '') === parsed.origin) return parsed.origin;
  refuse('must hold origins such as https://shop.example or http://localhost:5173');
  return undefined;
}

function readNetwork(item: string, refuse: Refuse): Network | undefined {
  const network = parseNetwork(item);
  if (network) return network;
  refuse('must hold addresses or CIDRs');
  return undefined;
}

function readKey(item: string, refuse: Refuse): { key: string; secret: string } | undefined {
  const [key, secret, more] = item.split(':');
  if (key && secret && more === undefined) return { key, secret };
  refuse('must hold pairs of key:secret');
  return undefined;
}
