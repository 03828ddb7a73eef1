import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { misspelt } from '@crypto-checkout/protocol/nearest';
import { INVOICE_EXPIRATIONS } from '@crypto-checkout/protocol/schema/invoice';
import { isHttp, isOnramp, isPostgres, isSupport, ONRAMP_FORM, ONRAMP_NAMES, SUPPORT_FORM } from '../http/address.ts';
import { type Network, parseNetwork } from '../http/network.ts';
import { OptionsError } from '../options.ts';
import type { Catalogue } from '../order/catalogue.ts';
import { readCatalogue } from './catalogue.ts';

/** One environment variable: what it is without one, what it means, and how its text is read. */
export interface Setting<T> {
  fallback: string;
  meaning: string;
  read: z.ZodType<T, string>;
}

const setting = <T>(fallback: string, read: z.ZodType<T, string>, meaning: string): Setting<T> => ({ fallback, meaning, read });

const text = z.string();
const optional = text.transform((value) => (value === '' ? null : value));
const url = text.refine(isHttp, 'must be an http or https address').transform((value) => value.replace(/\/+$/, ''));
const optionalUrl = optional.refine((value) => value === null || isHttp(value), 'must be an http or https address');
const port = integer(0, 65_535);
const list = text.transform((value) => value.split(/[\s,]+/).filter((item) => item !== ''));
const origins = list.transform((items, context) => items.flatMap((item) => readOrigin(item, refuseIn(context, item))));
const networks = list.transform((items, context) => items.flatMap((item) => readNetwork(item, refuseIn(context, item))));
const keys = list.transform((items, context) => items.flatMap((item) => readKey(item, refuseIn(context, item))));
const flag = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

/** Every setting of the BFF. The README's table is checked against it. */
export const SETTINGS = {
  DATA_DIR: setting(
    '.data',
    text.min(1, 'must name a folder'),
    'Folder for checkouts; `credentials.json` and `bff.json` in it give what is not set here.',
  ),
  DATABASE_URL: setting(
    '',
    optional.refine(isPostgres, 'must be a postgres:// address'),
    'PostgreSQL for checkouts, when several processes share the load.',
  ),
  HOST: setting('127.0.0.1', text.min(1, 'must be an address'), 'Address that the server listens on.'),
  PORT: setting('8080', port, 'Port of the server; 0 takes a free one.'),
  METRICS_PORT: setting('0', port, 'Port of /metrics on 127.0.0.1; 0 switches it off.'),
  PUBLIC_URL: setting('', optionalUrl, 'Address under which buyers reach the pages; by default http://localhost and the port.'),
  SERVICE_URL: setting('', optionalUrl, 'Address of the payment service.'),
  API_KEY: setting('', optional, 'Key of the payment service.'),
  API_SECRET: setting('', optional, 'Secret of that key.'),
  API_KEYS: setting('', keys, 'More keys of the account, as `key:secret` separated by spaces; requests are spread over all.'),
  NONCE_WINDOW: setting(
    '',
    text.pipe(z.enum(['', 'true', 'false'], 'must be true or false')),
    'Whether the keys take nonces in any order; by default only for the key in bff.json.',
  ),
  CALLBACK_TOKEN: setting('', optional, 'What the service signs its callbacks with.'),
  PROFILE_ID: setting('', optional, 'Profile of the service that invoices are made under.'),
  ORDER_SECRET: setting('', optional, 'Signs order tokens.'),
  SHOP_SECRET: setting('', optional, 'Opens checkouts from server to server.'),
  SHOP_WEBHOOK_URL: setting('', optionalUrl, 'Where the shop is told about its orders.'),
  SHOP_WEBHOOK_SECRET: setting(
    '',
    optional.refine(isWebhookSecret, 'must be whsec_ and at least 24 bytes in base64'),
    'What that is signed with: `whsec_` and base64.',
  ),
  EMBED_ORIGINS: setting('', origins, 'Origins of shop pages that hold the element.'),
  SUCCESS_ORIGINS: setting('', origins, 'Origins that a success link may lead to; links of signed orders may lead to any https address.'),
  CATALOGUE: setting('', text, 'File with fixed prices, as JSON.'),
  ALLOW_CLIENT_PRICES: setting(
    'false',
    flag,
    'Whether a page of EMBED_ORIGINS may set a price itself; the shop hears of such orders with `unverified_price`.',
  ),
  LATE_PAYMENTS: setting(
    'ask',
    z.enum(['ask', 'accept'], 'must be ask or accept'),
    'Money that comes after its price ran out: `ask`, it does not count and the shop decides; `accept`, it counts at the price of its arrival.',
  ),
  EXCHANGE_EXPIRATION: setting(
    '3600',
    text.transform(Number).pipe(z.literal(INVOICE_EXPIRATIONS, `must be one of ${INVOICE_EXPIRATIONS.join(', ')}`)),
    "Seconds that a price holds for a buyer who pays from an exchange, where the profile's are fewer.",
  ),
  ONRAMP_URL: setting(
    '',
    optional.refine((value) => value === null || isOnramp(value), ONRAMP_FORM),
    `Page that sells coins for card payments, for profiles with onramp_api_key; ${ONRAMP_NAMES} are filled in.`,
  ),
  SOLANA_RPC_URL: setting(
    '',
    optionalUrl,
    "JSON-RPC of a Solana node, mainnet or devnet as the service is: wallets in the buyer's browser then pay in Solana with one tap.",
  ),
  MERCHANT_NAME: setting('', text.max(80, 'must have at most 80 characters'), "Shown to buyers; by default the host's name."),
  SUPPORT_URL: setting(
    '',
    optional.refine((value) => value === null || isSupport(value), SUPPORT_FORM),
    "The shop's help, shown to buyers: an https or mailto link.",
  ),
  ELEMENTS_DIR: setting(
    '',
    text,
    'Folder with the built browser files; by default those that `npm run build` made. Without any, pages have no scripts.',
  ),
  EXTENSIONS: setting(
    'true',
    flag,
    "Whether the service signs the bytes of callbacks and can renew, as ours does; false for one that doesn't.",
  ),
  RATE_LIMIT_RPS: setting('20', integer(1, 1_000_000), 'Requests a second of one key; every other limit is a multiple.'),
  RATE_LIMIT_BURST: setting('60', integer(1, 1_000_000), 'Requests of one key at once; every other limit is a multiple.'),
  TRUSTED_PROXIES: setting('', networks, 'Addresses or CIDRs of proxies whose X-Forwarded-For is believed.'),
  LOG_LEVEL: setting(
    'info',
    z.enum(['silent', 'error', 'warn', 'info', 'debug'], 'must be silent, error, warn, info or debug'),
    'How much is logged.',
  ),
} satisfies Record<string, Setting<unknown>>;

type Values = { [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K]['read']> };

/** Settings as the host needs them, secrets and addresses filled in from the files of the gateway where they are not set. */
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
 * Reads the settings from the environment; the only place that does.
 * @throws OptionsError with one sentence for each mistake
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const values = readSettings(env);
  const dataDir = resolve(values.DATA_DIR);
  const file = readFile(join(dataDir, 'credentials.json'), Credentials) ?? {};
  const own = values.API_KEY === null ? readFile(join(dataDir, 'bff.json'), OwnKey) : null;
  if (values.SHOP_WEBHOOK_URL !== null && values.SHOP_WEBHOOK_SECRET === null)
    throw new OptionsError('SHOP_WEBHOOK_SECRET is missing: what the shop is told at SHOP_WEBHOOK_URL is signed with it.');
  const SERVICE_URL = url.safeParse(values.SERVICE_URL ?? file.gateway_url ?? '').data;
  if (SERVICE_URL === undefined) throw new OptionsError('SERVICE_URL is missing: the address of the payment service.');
  return {
    ...values,
    DATA_DIR: dataDir,
    SERVICE_URL,
    // What is missing stays empty: createBff says which, one sentence each.
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

function readSettings(env: Readonly<Record<string, string | undefined>>): Values {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, { fallback, read }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = env[name]?.trim() ?? '';
    const result = read.safeParse(given === '' ? fallback : given);
    if (result.success) values[name] = result.data;
    else mistakes.push(`${name} ${mistakeIn(result.error, SECRET.has(name) ? null : given)}.`);
  }
  if (mistakes.length > 0) throw new OptionsError(mistakes.join('\n'));
  return values as Values;
}

/** What is allowed, and what was given instead: all of it, or the item of a list that is wrong. */
function mistakeIn({ issues: [issue] }: z.ZodError, given: string | null): string {
  const item: unknown = issue?.code === 'custom' ? issue.params?.['item'] : undefined;
  const message = issue?.message ?? 'is not valid';
  return given === null ? message : `${message}, not "${typeof item === 'string' ? item : given}"`;
}

/** Environment variables that are nearly settings of ours. */
export const misspeltSettings = (env: Readonly<Record<string, string | undefined>>): [name: string, meant: string][] =>
  misspelt(Object.keys(env), Object.keys(SETTINGS));

// Never repeated in a message that ends in a log.
const SECRET = new Set(['API_SECRET', 'API_KEYS', 'CALLBACK_TOKEN', 'ORDER_SECRET', 'SHOP_SECRET', 'SHOP_WEBHOOK_SECRET', 'DATABASE_URL']);

function readFile<T>(path: string, schema: z.ZodType<T>): T | null {
  if (!existsSync(path)) return null;
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new OptionsError(`${path} is not readable as what the gateway wrote there.`, { cause: error });
  }
}

function integer(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return text
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

function isWebhookSecret(value: string | null): boolean {
  const base64 = value?.startsWith('whsec_') ? value.slice('whsec_'.length) : value;
  return (
    base64 === null || base64 === undefined || (/^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0 && base64.length >= 32)
  );
}

/** One item of a list is wrong. */
function refuseIn(context: z.core.$RefinementCtx, item: string): (message: string) => void {
  return (message) => context.addIssue({ code: 'custom', message, params: { item } });
}

function readOrigin(item: string, refuse: (message: string) => void): string[] {
  const parsed = isHttp(item) ? new URL(item) : null;
  if (parsed && item.replace(/\/$/, '') === parsed.origin) return [parsed.origin];
  refuse('must hold origins such as https://shop.example or http://localhost:5173');
  return [];
}

function readNetwork(item: string, refuse: (message: string) => void): Network[] {
  const network = parseNetwork(item);
  if (network) return [network];
  refuse('must hold addresses or CIDRs');
  return [];
}

function readKey(item: string, refuse: (message: string) => void): { key: string; secret: string }[] {
  const [key, secret, more] = item.split(':');
  if (key && secret && more === undefined) return [{ key, secret }];
  refuse('must hold pairs of key:secret');
  return [];
}
