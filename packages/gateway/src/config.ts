import { ConfigError } from '@crypto-checkout/chains/error';
import { resolve } from 'node:path';
import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId, EvmChainId } from '@crypto-checkout/protocol/kind';
import {
  flag,
  integer,
  integerRule,
  listOf,
  logLevel,
  optional,
  optionalPostgresUrl,
  optionalUrl,
  port,
  readSettings,
  setting,
  text,
  url,
  type Environment,
  type Settings,
} from '@crypto-checkout/protocol/schema/setting';
import { z } from 'zod';
import {
  LIGHTNING_SETTINGS,
  lightningConfig,
  SECRET_LIGHTNING_SETTINGS,
  type LightningConfig,
} from './settings/lightning.ts';
import * as bitcoin from './settings/bitcoin.ts';
import { CALLBACK_SETTINGS } from './settings/callbacks.ts';
import { KEY_SETTINGS } from './settings/keys.ts';
import { MAIL_SETTINGS } from './settings/mail.ts';
import { PAYMENT_SETTINGS } from './settings/payments.ts';
import { PAYOUT_SETTINGS, type FundsAt } from './settings/payouts.ts';
import { readNetwork, readOpenings, type Network, type Opening } from './settings/ip-ranges.ts';
import { CONSOLIDATION_SETTINGS, consolidateRates } from './settings/consolidation.ts';
import { SWEEP_SETTINGS, sweepTargets } from './settings/sweeps.ts';
import { requireKnownDatabase, requireKnownSweeps } from './settings/unknown-names.ts';
import {
  NODE_SETTINGS,
  nodeConfigs,
  SECRET_NODE_SETTINGS,
  type EvmNodeConfig,
} from './settings/evm-nodes.ts';
import { REFUND_SETTINGS } from './settings/refunds.ts';
import { readRiskRules, type RiskRule } from './risk/rules.ts';

export { ConfigError } from '@crypto-checkout/chains/error';

const optionalPort = z.union([z.literal('').transform(() => null), port], integerRule(0, 65_535));
const networks = listOf(readNetwork);
const openings = text.transform((value, check) =>
  readOpenings(value, (message) => check.addIssue(message)),
);
const percent = text
  .regex(
    /^\d{1,2}(\.\d{1,4})?$/,
    'must be a percentage below 100 with at most 4 decimals, as in 0.5',
  )
  .transform(parseAmount);
const riskRules = text.transform((value, check) =>
  readRiskRules(value, (message) => check.addIssue(message)),
);

/** Every setting of the gateway; the settings table in the documentation is generated from it. */
export const SETTINGS = {
  DATA_DIR: setting(
    '.data',
    text.min(1, 'must name a folder'),
    'Folder for everything that persists: database, keys, credentials.',
  ),
  HOST: setting(
    '127.0.0.1',
    text.min(1, 'must be an address'),
    'Address that the service listens on. Sandbox control is available on loopback only.',
  ),
  PORT: setting('8081', port, 'Port of the service; 0 selects a free one.'),
  GATEWAY_PORT: setting(
    '',
    optionalPort,
    'Port of the service; overrides PORT, in an environment shared with the BFF.',
  ),
  GATEWAY_URL: setting(
    '',
    optionalUrl,
    'Public address of the service; by default made from HOST and PORT.',
  ),
  PUBLIC_URL: setting(
    'http://localhost:8080',
    url,
    'Address of the hosted payment pages (the BFF).',
  ),
  SHOP_URL: setting(
    '',
    optionalUrl,
    'Address of the demo shop, written into credentials.json; by default made from SHOP_PORT.',
  ),
  SHOP_PORT: setting(
    '8082',
    port,
    'Port of the demo shop under `npm start`, written into credentials.json.',
  ),
  LNURL_BASE_URL: setting('', optionalUrl, 'Address inside LNURL codes; by default PUBLIC_URL.'),
  METRICS_PORT: setting('0', port, 'Port of /metrics on 127.0.0.1; 0 disables it.'),
  DATABASE_URL: setting(
    '',
    optionalPostgresUrl,
    'PostgreSQL database; by default an embedded one is started under DATA_DIR.',
  ),
  DATABASE_POOL: setting('10', integer(2, 500), 'Maximum number of connections to the database.'),
  SECRETS_KEY: setting(
    '',
    optional.refine((key) => key === null || /^[0-9a-f]{64}$/i.test(key), 'must be 64 hex digits'),
    'Key that encrypts the secrets in the database; by default DATA_DIR/secrets.key.',
  ),
  ...CALLBACK_SETTINGS,
  ...KEY_SETTINGS,
  CALLBACK_URL: setting(
    '',
    optionalUrl,
    'Callback URL of the default profile, read at first start only; by default PUBLIC_URL + /callbacks.',
  ),
  OUTBOUND_ALLOW: setting(
    '',
    openings,
    'Private destinations that callbacks may reach, also by http, as CIDR:ports separated by spaces, for example 10.0.0.0/8:443,8443.',
  ),
  ...MAIL_SETTINGS,
  TRUSTED_PROXIES: setting(
    '',
    networks,
    'Addresses or CIDR ranges of proxies with a trusted X-Forwarded-For.',
  ),
  RATE_LIMIT_RPS: setting(
    '20',
    integer(1, 1_000_000),
    'Requests per second of one key. All other limits are multiples.',
  ),
  RATE_LIMIT_BURST: setting(
    '60',
    integer(1, 1_000_000),
    'Requests of one key at once. All other limits are multiples.',
  ),
  SANDBOX: setting(
    'true',
    flag,
    'Whether chains without a node are simulated. Never beside a main network.',
  ),
  SANDBOX_BLOCK_SECONDS: setting(
    '10',
    integer(0, 86_400),
    'Seconds between two sandbox blocks; 0 mines only on request.',
  ),
  SCAN_INTERVAL_MS: setting(
    '1000',
    integer(20, 600_000),
    'Milliseconds between two scans of a chain; less than SCAN_ALARM_MINUTES.',
  ),
  ...NODE_SETTINGS,
  ...LIGHTNING_SETTINGS,
  ...bitcoin.BITCOIN_SETTINGS,
  SCAN_ALARM_MINUTES: setting(
    '5',
    integer(1, 1_440),
    'Minutes without a successful scan of a chain until an alarm is raised, /readyz answers 503 and its coins leave the list.',
  ),
  ...PAYMENT_SETTINGS,
  ...REFUND_SETTINGS,
  BALANCE_CHECK_CALLS: setting(
    '30',
    integer(0, 100_000),
    'Calls a minute to the node of each chain that compare the balances of deposit addresses and of the payout address with the books; 0 compares none.',
  ),
  ...PAYOUT_SETTINGS,
  CONSOLIDATE_AFTER_MINUTES: setting(
    '10',
    integer(0, 525_600),
    'Minutes after a payment is final until it is swept from its deposit address to the payout address.',
  ),
  ...SWEEP_SETTINGS,
  ...CONSOLIDATION_SETTINGS,
  EXCHANGE_SPREAD: setting(
    '0',
    percent,
    'Percentage that the built-in exchange keeps of every conversion.',
  ),
  AUTOMATION_INTERVAL_MINUTES: setting(
    '60',
    integer(1, 1_440),
    'Minutes between two runs of automatic conversions and automatic funding.',
  ),
  RISK_RULES: setting(
    '',
    riskRules,
    'Rules for the risk of payments as JSON, [{"kind":"BTC","min_amount":"1","level":"high"}]; see Risk.',
  ),
  RATES: setting(
    'fixed',
    z.enum(['fixed', 'live'], 'must be fixed or live'),
    'Source of exchange rates; a main network needs live.',
  ),
  TEST_MNEMONIC: setting(
    '',
    optional,
    'Published mnemonic to derive the keys from, instead of a random one. Tests only.',
  ),
  LOG_LEVEL: setting('info', logLevel, 'Minimum level of log lines.'),
} satisfies Settings;

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
  keysPassphraseFile: string | null;
  keysMode: 'local' | 'watch' | 'signer';
  publicKeysFile: string | null;
  signerUrl: string | null;
  /** Files of the connection to a signer at an https address. */
  signerTls: Readonly<Record<'ca' | 'cert' | 'key', string | null>>;
  callbackUrl: string;
  /** Null: bodies and deliveries are kept. */
  callbackRetentionDays: number | null;
  outboundAllow: readonly Opening[];
  smtpUrl: string | null;
  smtpFrom: string;
  trustedProxies: readonly Network[];
  rateLimitRps: number;
  rateLimitBurst: number;
  sandbox: boolean;
  sandboxBlockSeconds: number;
  scanIntervalMs: number;
  nodes: Readonly<Record<EvmChainId, EvmNodeConfig>>;
  /** Null: no lightning node. */
  lightning: LightningConfig | null;
  bitcoinNodes: bitcoin.BitcoinNodes;
  scanAlarmMinutes: number;
  /** US dollars. */
  largePayment: Amount;
  /** US dollars. */
  rpcCompareAbove: Amount;
  /** Null: the default of the network. */
  payoutAddressDelaySeconds: number | null;
  refunds: 'off' | 'ask' | 'auto';
  /** US dollars. */
  refundAutoMax: Amount;
  /** US dollars. */
  refundAutoDailyMax: Amount;
  balanceCheckCalls: number;
  payoutFeeRise: number;
  /** Null: the default of the network. */
  payoutFundsAt: FundsAt | null;
  sweepAfterMinutes: number;
  consolidateCoins: number;
  /** In the smallest unit per byte; 0 for never. */
  consolidateRates: ReturnType<typeof consolidateRates>;
  /** US dollars a chain; null: no limit. */
  hotLimit: Amount | null;
  /** Cold addresses that deposits are swept to. */
  sweepTo: Readonly<Partial<Record<ChainId, string>>>;
  /** Percent. */
  exchangeSpread: Amount;
  automationIntervalMinutes: number;
  riskRules: readonly RiskRule[];
  rates: 'fixed' | 'live';
  testMnemonic: string | null;
  logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
}

/**
 * Reads the settings from the environment; the only place that does.
 * @throws ConfigError with one sentence for each mistake
 * @example const config = loadConfig(process.env);
 */
export function loadConfig(env: Environment): Config {
  const { values, mistakes } = readSettings(SETTINGS, env, SECRET);
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  requireKnownSweeps(env);
  requireScansBeforeAlarm(values.SCAN_INTERVAL_MS, values.SCAN_ALARM_MINUTES);
  requireKnownDatabase(env, Object.keys(SETTINGS));
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
    keysPassphraseFile: values.KEYS_PASSPHRASE_FILE,
    keysMode: values.KEYS_MODE,
    publicKeysFile: values.PUBLIC_KEYS_FILE,
    signerUrl: values.SIGNER_URL && withoutSlash(values.SIGNER_URL),
    signerTls: {
      ca: values.SIGNER_CA,
      cert: values.SIGNER_CERT,
      key: values.SIGNER_CERT_KEY,
    },
    callbackUrl: values.CALLBACK_URL ?? `${publicUrl}/callbacks`,
    callbackRetentionDays: values.CALLBACK_RETENTION_DAYS,
    outboundAllow: values.OUTBOUND_ALLOW,
    smtpUrl: values.SMTP_URL,
    smtpFrom: values.SMTP_FROM ?? `no-reply@${new URL(publicUrl).hostname}`,
    trustedProxies: values.TRUSTED_PROXIES,
    rateLimitRps: values.RATE_LIMIT_RPS,
    rateLimitBurst: values.RATE_LIMIT_BURST,
    sandbox: values.SANDBOX,
    sandboxBlockSeconds: values.SANDBOX_BLOCK_SECONDS,
    scanIntervalMs: values.SCAN_INTERVAL_MS,
    nodes: nodeConfigs(values),
    lightning: lightningConfig(values),
    bitcoinNodes: bitcoin.bitcoinConfigs(values),
    scanAlarmMinutes: values.SCAN_ALARM_MINUTES,
    largePayment: values.LARGE_PAYMENT,
    rpcCompareAbove: values.RPC_COMPARE_ABOVE,
    payoutAddressDelaySeconds: values.PAYOUT_ADDRESS_DELAY,
    refunds: values.REFUNDS,
    refundAutoMax: values.REFUND_AUTO_MAX,
    refundAutoDailyMax: values.REFUND_AUTO_DAILY_MAX,
    balanceCheckCalls: values.BALANCE_CHECK_CALLS,
    payoutFeeRise: values.PAYOUT_FEE_RISE,
    payoutFundsAt: values.PAYOUT_FUNDS_AT === '' ? null : values.PAYOUT_FUNDS_AT,
    sweepAfterMinutes: values.CONSOLIDATE_AFTER_MINUTES,
    consolidateCoins: values.CONSOLIDATE_COINS,
    consolidateRates: consolidateRates(values),
    hotLimit: values.HOT_LIMIT,
    sweepTo: sweepTargets(values),
    exchangeSpread: values.EXCHANGE_SPREAD,
    automationIntervalMinutes: values.AUTOMATION_INTERVAL_MINUTES,
    riskRules: values.RISK_RULES,
    rates: values.RATES,
    testMnemonic: values.TEST_MNEMONIC,
    logLevel: values.LOG_LEVEL,
  };
}

/** Otherwise every wait for the next scan is an alarm, and takes the coins off the list. */
function requireScansBeforeAlarm(interval: number, minutes: number): void {
  if (interval < minutes * 60_000) return;
  throw new ConfigError(
    `SCAN_INTERVAL_MS must be less than SCAN_ALARM_MINUTES, ${minutes * 60_000} milliseconds.`,
  );
}

// Values of these settings never appear in messages, which end up in logs.
const SECRET: ReadonlySet<string> = new Set<keyof typeof SETTINGS>([
  'SECRETS_KEY',
  'TEST_MNEMONIC',
  'DATABASE_URL',
  'SMTP_URL',
  ...SECRET_NODE_SETTINGS,
  ...SECRET_LIGHTNING_SETTINGS,
  ...bitcoin.SECRET_BITCOIN_SETTINGS,
]);

const withoutSlash = (value: string): string => value.replace(/\/+$/, '');
