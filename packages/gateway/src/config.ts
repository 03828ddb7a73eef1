import { resolve } from 'node:path';
import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { addressIn } from './notice/address.ts';
import { readRiskRules, type RiskRule } from './risk/rules.ts';

/** A setting that is missing or wrong; each line of the message is one sentence for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** One environment variable: what it means, what it is without one, and how its text is read. */
export interface Setting<T> {
  fallback: string;
  meaning: string;
  read: z.ZodType<T, string>;
}

const setting = <T>(fallback: string, read: z.ZodType<T, string>, meaning: string): Setting<T> => ({ fallback, meaning, read });

const text = z.string();
const optional = z.string().transform((value) => (value === '' ? null : value));
const optionalUrl = optional.refine((value) => value === null || isHttp(value), 'must be an http or https URL');
const url = z.string().refine(isHttp, 'must be an http or https URL').transform(withoutSlash);
const port = integer(0, 65_535);
const optionalPort = z.union([z.literal('').transform(() => null), port], integerMessage(0, 65_535));
const list = z.string().transform((value) =>
  value
    .split(/[\s,]+/)
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const networks = list.transform((items, check) => items.flatMap((item) => readNetwork(item, (message) => check.addIssue(message))));
const openings = z.string().transform((value, check) => readOpenings(value, (message) => check.addIssue(message)));
const percent = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,4})?$/, 'must be a percentage below 100 with at most 4 decimals, as in 0.5')
  .transform(parseAmount);
const riskRules = z.string().transform((value, check) => readRiskRules(value, (message) => check.addIssue(message)));
const flag = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

/** Every setting of the gateway. The README's table is checked against it. */
export const SETTINGS = {
  DATA_DIR: setting('.data', text.min(1, 'must name a folder'), 'Folder for everything that persists: database, keys, credentials.'),
  HOST: setting(
    '127.0.0.1',
    text.min(1, 'must be an address'),
    'Address that the service listens on. Sandbox control answers loopback only.',
  ),
  PORT: setting('8081', port, 'Port of the service; 0 takes a free one.'),
  GATEWAY_PORT: setting('', optionalPort, 'The same, and stronger than PORT: for an environment that the BFF shares.'),
  GATEWAY_URL: setting('', optionalUrl, 'Address of the service as its callers know it; by default made from HOST and PORT.'),
  PUBLIC_URL: setting('http://localhost:8080', url, 'Address of the hosted payment pages (the BFF).'),
  SHOP_URL: setting('', optionalUrl, 'Address of the demo shop, for credentials.json only; by default made from SHOP_PORT.'),
  SHOP_PORT: setting(
    '8082',
    port,
    'Port of the demo shop: under `npm start` it listens there, and the gateway writes it into credentials.json.',
  ),
  LNURL_BASE_URL: setting('', optionalUrl, 'Address that LNURL codes name; by default PUBLIC_URL.'),
  METRICS_PORT: setting('0', port, 'Port of /metrics on 127.0.0.1; 0 switches it off.'),
  DATABASE_URL: setting(
    '',
    optional.refine(isPostgres, 'must be a postgres:// URL'),
    'PostgreSQL to use; by default one is started under DATA_DIR.',
  ),
  DATABASE_POOL: setting('10', integer(2, 500), 'Connections to the database, at most.'),
  SECRETS_KEY: setting(
    '',
    optional.refine(isSecretsKey, 'must be 64 hex digits'),
    'Key that seals the secrets in the database; by default DATA_DIR/secrets.key.',
  ),
  CALLBACK_URL: setting(
    '',
    optionalUrl,
    'Callback address of the default profile, at first start only; by default PUBLIC_URL + /callbacks.',
  ),
  OUTBOUND_ALLOW: setting(
    '',
    openings,
    'Private destinations that callbacks may reach: CIDR:ports, as in 10.0.0.0/8:443,8443 separated by spaces.',
  ),
  SMTP_URL: setting(
    '',
    optional.refine(isSmtp, 'must be an smtp:// or smtps:// URL'),
    'Server for e-mail notices, smtp://user:password@host:587 or smtps://; without one none are sent.',
  ),
  SMTP_FROM: setting(
    '',
    optional.refine((value) => value === null || addressIn(value) !== null, 'must be an e-mail address, with or without a name'),
    'Sender of e-mail notices, with or without a name; by default no-reply at the host of PUBLIC_URL.',
  ),
  TRUSTED_PROXIES: setting('', networks, 'Addresses or CIDRs of proxies whose X-Forwarded-For is believed.'),
  RATE_LIMIT_RPS: setting('20', integer(1, 1_000_000), 'Requests a second of one key; every other limit is a multiple.'),
  RATE_LIMIT_BURST: setting('60', integer(1, 1_000_000), 'Requests of one key at once; every other limit is a multiple.'),
  SANDBOX: setting('true', flag, 'Whether chains without a node are simulated; never beside a main network.'),
  SANDBOX_BLOCK_SECONDS: setting('10', integer(0, 86_400), 'Seconds between two sandbox blocks; 0 mines only by hand.'),
  SCAN_INTERVAL_MS: setting('1000', integer(20, 600_000), 'Milliseconds between two looks at a chain.'),
  ETH_RPC_URL: setting('', optionalUrl, 'JSON-RPC of an Ethereum node; without one Ethereum is simulated.'),
  ETH_TOKENS: setting(
    '',
    z.string().transform(readTokens),
    'Token contracts on that node as JSON, {"ETH_USDT":"0x…"}; by default the main network ones.',
  ),
  PAYOUT_ADDRESS_DELAY: setting(
    '0',
    integer(0, 31_536_000),
    'Seconds that a payout to an address that was never paid before waits, unless it is approved; 0 is none.',
  ),
  CONSOLIDATE_AFTER_MINUTES: setting(
    '10',
    integer(0, 525_600),
    'Minutes that a final payment lies on its deposit address before it is moved to where payouts leave from.',
  ),
  EXCHANGE_SPREAD: setting('0', percent, 'Percent that the built-in exchange keeps of every conversion.'),
  AUTOMATION_INTERVAL_MINUTES: setting(
    '60',
    integer(1, 1_440),
    'Minutes between two looks at automatic conversions and automatic funding.',
  ),
  RISK_RULES: setting('', riskRules, 'Rules for the risk of payments as JSON, [{"kind":"BTC","min_amount":"1","level":"high"}]; see Risk.'),
  RATES: setting('fixed', z.enum(['fixed', 'live'], 'must be fixed or live'), 'Where exchange rates come from; a main network needs live.'),
  TEST_MNEMONIC: setting('', optional, 'Keys from this published mnemonic instead of random ones. Tests only.'),
  LOG_LEVEL: setting(
    'info',
    z.enum(['silent', 'error', 'warn', 'info', 'debug'], 'must be silent, error, warn, info or debug'),
    'How much is logged.',
  ),
} satisfies Record<string, Setting<unknown>>;

type Values = { [K in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[K]['read']> };

export interface Config {
  dataDir: string;
  host: string;
  port: number;
  gatewayUrl: string | null;
  publicUrl: string;
  shopUrl: string;
  lnurlBaseUrl: string;
  metricsPort: number;
  databaseUrl: string | null;
  databasePool: number;
  secretsKey: string | null;
  callbackUrl: string;
  outboundAllow: readonly Opening[];
  smtpUrl: string | null;
  smtpFrom: string;
  trustedProxies: readonly Network[];
  rateLimitRps: number;
  rateLimitBurst: number;
  sandbox: boolean;
  sandboxBlockSeconds: number;
  scanIntervalMs: number;
  ethRpcUrl: string | null;
  ethTokens: Readonly<Record<string, string>> | null;
  payoutAddressDelaySeconds: number;
  consolidateAfterMinutes: number;
  /** Percent. */
  exchangeSpread: Amount;
  automationIntervalMinutes: number;
  riskRules: readonly RiskRule[];
  rates: 'fixed' | 'live';
  testMnemonic: string | null;
  logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
}

/** Addresses with a common beginning, as in `10.0.0.0/8`. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** An exception from the outbound guard; no ports means every port. */
export interface Opening {
  network: Network;
  ports: readonly number[];
}

/**
 * Reads the settings from the environment; the only place that does.
 * @throws ConfigError with one sentence for each mistake
 * @example const config = loadConfig(process.env);
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const values = readSettings(env);
  const publicUrl = values.PUBLIC_URL;
  return {
    dataDir: resolve(values.DATA_DIR),
    host: values.HOST,
    port: values.GATEWAY_PORT ?? values.PORT,
    gatewayUrl: values.GATEWAY_URL && withoutSlash(values.GATEWAY_URL),
    publicUrl,
    shopUrl: withoutSlash(values.SHOP_URL ?? `http://localhost:${values.SHOP_PORT}`),
    lnurlBaseUrl: withoutSlash(values.LNURL_BASE_URL ?? publicUrl),
    metricsPort: values.METRICS_PORT,
    databaseUrl: values.DATABASE_URL,
    databasePool: values.DATABASE_POOL,
    secretsKey: values.SECRETS_KEY,
    callbackUrl: values.CALLBACK_URL ?? `${publicUrl}/callbacks`,
    outboundAllow: values.OUTBOUND_ALLOW,
    smtpUrl: values.SMTP_URL,
    smtpFrom: values.SMTP_FROM ?? `no-reply@${new URL(publicUrl).hostname}`,
    trustedProxies: values.TRUSTED_PROXIES,
    rateLimitRps: values.RATE_LIMIT_RPS,
    rateLimitBurst: values.RATE_LIMIT_BURST,
    sandbox: values.SANDBOX,
    sandboxBlockSeconds: values.SANDBOX_BLOCK_SECONDS,
    scanIntervalMs: values.SCAN_INTERVAL_MS,
    ethRpcUrl: values.ETH_RPC_URL,
    ethTokens: values.ETH_TOKENS,
    payoutAddressDelaySeconds: values.PAYOUT_ADDRESS_DELAY,
    consolidateAfterMinutes: values.CONSOLIDATE_AFTER_MINUTES,
    exchangeSpread: values.EXCHANGE_SPREAD,
    automationIntervalMinutes: values.AUTOMATION_INTERVAL_MINUTES,
    riskRules: values.RISK_RULES,
    rates: values.RATES,
    testMnemonic: values.TEST_MNEMONIC,
    logLevel: values.LOG_LEVEL,
  };
}

function readSettings(env: Readonly<Record<string, string | undefined>>): Values {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, { fallback, read }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = env[name];
    const result = read.safeParse(given === undefined || given.trim() === '' ? fallback : given.trim());
    if (result.success) values[name] = result.data;
    else mistakes.push(`${name} ${result.error.issues[0]?.message ?? 'is not valid'}${quote(name, given)}.`);
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  return values as Values;
}

// Secrets are never repeated in a message that ends in a log.
const SECRET = new Set(['SECRETS_KEY', 'TEST_MNEMONIC', 'DATABASE_URL', 'ETH_RPC_URL', 'SMTP_URL']);
const quote = (name: string, given: string | undefined): string => (SECRET.has(name) ? '' : `, not "${given ?? ''}"`);

function integerMessage(min: number, max: number): string {
  return `must be a whole number from ${min} to ${max}`;
}

function integer(min: number, max: number) {
  const message = integerMessage(min, max);
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

function isHttp(value: string): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  return parsed !== null && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === '' && parsed.password === '';
}

/** What the driver reads; a socket's folder stands in `?host=`, and then there may be a user without a host, which is no URL. */
export function isPostgres(value: string | null): boolean {
  return value === null || (/^postgres(ql)?:\/\//.test(value) && (URL.canParse(value) || URL.canParse(value.replace('@/', '@socket/'))));
}

function isSmtp(value: string | null): boolean {
  return value === null || (URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol) && new URL(value).hostname !== '');
}

function isSecretsKey(value: string | null): boolean {
  return value === null || /^[0-9a-f]{64}$/i.test(value);
}

function withoutSlash(value: string): string {
  return value.replace(/\/+$/, '');
}

function readNetwork(item: string, refuse: (message: string) => void): Network[] {
  try {
    if (item.includes('/')) return [ipaddr.parseCIDR(item)];
    const address = ipaddr.parse(item);
    return [[address, address.kind() === 'ipv4' ? 32 : 128]];
  } catch {
    refuse('must hold addresses or CIDRs');
    return [];
  }
}

/** Spaces or commas separate entries; a comma before a number separates the ports of one. */
function readOpenings(value: string, refuse: (message: string) => void): Opening[] {
  const entries = value.split(/[\s,]+(?=[^\s,]+\/)/).filter((entry) => entry.trim() !== '');
  return entries.flatMap((entry) => {
    const parts = /^(?<network>[^\s,]+\/\d+)(?::(?<ports>\*|\d+(?:,\d+)*))?,?$/.exec(entry)?.groups;
    const ports = (parts?.['ports'] ?? '*') === '*' ? [] : (parts?.['ports'] ?? '').split(',').map(Number);
    if (parts && ports.every((number) => number >= 1 && number <= 65_535))
      return readNetwork(parts['network'] ?? '', refuse).map((network) => ({ network, ports }));
    refuse('must hold entries like 127.0.0.0/8:8080 or 10.0.0.0/8:443,8443');
    return [];
  });
}

function readTokens(value: string, check: z.RefinementCtx): Record<string, string> | null {
  if (value === '') return null;
  try {
    return z.record(z.string(), z.string().regex(/^0x[0-9a-fA-F]{40}$/)).parse(JSON.parse(value));
  } catch {
    check.addIssue('must be a JSON object of kinds and contracts');
    return null;
  }
}
