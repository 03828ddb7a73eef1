import { join } from 'node:path';
import { pino } from 'pino';
import { type Bff, createBff } from './app.ts';
import { nodeAbilities } from './host/abilities.ts';
import { createMailer } from './host/mailer.ts';
import { type Config, loadConfig, misspeltSettings } from './host/config.ts';
import { requireDataDir } from './host/data-dir.ts';
import { streamLimit } from './host/descriptors.ts';
import { lockFolder } from './host/folder-lock.ts';
import { builtElements, readElements } from './host/elements.ts';
import { readLogo } from './host/merchant-logo.ts';
import { type Listening, listenForMetrics, reserve } from './host/serve.ts';
import { type BffOptions, type Log, OptionsError, validateOptions } from './options.ts';
import { createFileStore } from './store/file.ts';
import { createPostgresStore } from './store/postgres.ts';
import { type Store, StoreError } from './store/store.ts';

/** Runs the BFF as a process on Node. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const log = pino({
    level: config.LOG_LEVEL,
    base: { name: 'bff' },
    serializers: { error: pino.stdSerializers.err },
  });
  for (const [name, meant] of misspeltSettings(process.env))
    log.warn({ event: 'setting_unknown' }, `The setting ${name} is unknown; is ${meant} meant?`);
  const elements = config.ELEMENTS_DIR || builtElements(import.meta.url);
  if (elements === null)
    log.warn(
      { event: 'browser_files_missing' },
      'no browser files: pages have no scripts, and shops cannot embed the element; run `npm run build`',
    );
  const options = {
    ...optionsFrom(config, log),
    ...(elements !== null && { elements: readElements(elements) }),
  };
  validateOptions(options);
  const streams = streamLimit(config.MAX_STREAMS);
  if (streams < config.MAX_STREAMS)
    log.warn(
      { event: 'streams_limited', streams },
      `${streams} event streams fit into the open files of this process; raise its limit (LimitNOFILE) for more`,
    );
  const reserved = await reserve({ port: config.PORT, host: config.HOST }).catch(
    portRefused(config, 'PORT'),
  );
  // Links contain the port, so the free port that 0 selects must be known first.
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${reserved.port}`;
  const bff = createBff({ ...options, publicUrl, store: await storeFrom(config, log) });
  const server = reserved.serve(bff);
  const metrics =
    config.METRICS_PORT === 0
      ? null
      : await listenForMetrics(() => bff.metrics(), config.METRICS_PORT).catch(
          portRefused(config, 'METRICS_PORT'),
        );
  if (config.SHOP_WEBHOOK_URL === null)
    log.warn(
      { event: 'shop_webhook_missing' },
      'no shop receives webhooks of its payments; set SHOP_WEBHOOK_URL and SHOP_WEBHOOK_SECRET',
    );
  await bff.start();
  // At every log level: a program that starts this process waits for the line.
  const line = { level: 30, time: Date.now(), name: 'bff', event: 'service_listening' };
  const listening = { ...line, listening: 'bff', port: server.port, msg: 'listening' };
  process.stdout.write(`${JSON.stringify(listening)}\n`);
  endOnSignal(bff, [server, ...(metrics ? [metrics] : [])]);
}

/** Names the setting to change, as the gateway does. */
function portRefused(
  config: Config,
  setting: 'PORT' | 'METRICS_PORT',
): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const host = setting === 'PORT' ? config.HOST : '127.0.0.1';
    if (error.code === 'EADDRINUSE')
      throw new OptionsError(
        `The port ${config[setting]} on ${host} is taken; set another ${setting}.`,
      );
    if (error.code === 'EACCES')
      throw new OptionsError(
        `This user may not listen on port ${config[setting]}; set another ${setting}.`,
      );
    throw error;
  };
}

function optionsFrom(config: Config, log: Log): Omit<BffOptions, 'store'> {
  return {
    serviceUrl: config.SERVICE_URL,
    apiKey: config.API_KEY,
    apiSecret: config.API_SECRET,
    apiKeys: config.API_KEYS,
    nonceWindow: config.nonceWindow,
    callbackToken: config.CALLBACK_TOKEN,
    profileId: config.PROFILE_ID,
    orderSecret: config.ORDER_SECRET,
    shopSecret: config.SHOP_SECRET,
    publicUrl: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
    ...(config.MERCHANT_NAME !== '' && { merchantName: config.MERCHANT_NAME }),
    ...(config.MERCHANT_LOGO !== '' && { merchantLogo: readLogo(config.MERCHANT_LOGO) }),
    ...(config.MERCHANT_COLOR !== null && { merchantColor: config.MERCHANT_COLOR }),
    ...(config.MERCHANT_LEGAL_NAME !== null && {
      merchantCompany: {
        name: config.MERCHANT_LEGAL_NAME,
        address: config.MERCHANT_ADDRESS,
        country: config.MERCHANT_COUNTRY,
      },
    }),
    ...(config.SUPPORT_URL !== null && { supportUrl: config.SUPPORT_URL }),
    embedOrigins: config.EMBED_ORIGINS,
    successOrigins: config.SUCCESS_ORIGINS,
    catalogue: config.catalogue,
    allowClientPrices: config.ALLOW_CLIENT_PRICES,
    latePayments: config.LATE_PAYMENTS,
    exchangeExpiration: config.EXCHANGE_EXPIRATION,
    ...(config.ONRAMP_URL !== null && { onrampUrl: config.ONRAMP_URL }),
    ...(config.SOLANA_RPC_URL !== null && { solanaRpcUrl: config.SOLANA_RPC_URL }),
    ...(config.SHOP_WEBHOOK_URL !== null &&
      config.SHOP_WEBHOOK_SECRET !== null && {
        shopWebhook: { url: config.SHOP_WEBHOOK_URL, secret: config.SHOP_WEBHOOK_SECRET },
      }),
    extensions: config.EXTENSIONS,
    rateLimit: { perSecond: config.RATE_LIMIT_RPS, burst: config.RATE_LIMIT_BURST },
    maxStreams: streamLimit(config.MAX_STREAMS),
    trustedProxies: config.TRUSTED_PROXIES,
    ...(config.RECEIPT_SMTP_URL !== null && {
      mailer: createMailer({ smtpUrl: config.RECEIPT_SMTP_URL, from: senderOf(config) }),
    }),
    host: nodeAbilities,
    log,
  };
}

const senderOf = ({ RECEIPT_SMTP_FROM, PUBLIC_URL, PORT }: Config): string =>
  RECEIPT_SMTP_FROM ?? `no-reply@${new URL(PUBLIC_URL ?? `http://localhost:${PORT}`).hostname}`;

async function storeFrom({ DATABASE_URL, DATA_DIR, PROFILE_ID }: Config, log: Log): Promise<Store> {
  if (DATABASE_URL === null) {
    requireDataDir(DATA_DIR);
    const folder = join(DATA_DIR, 'checkouts');
    const store = createFileStore(folder);
    // Fail at startup, not with the first order.
    await store.check().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new OptionsError(
        `DATA_DIR can't be used: ${reason}. Its user must be able to write there.`,
        { cause: error },
      );
    });
    if (!(await lockFolder(folder)))
      throw new OptionsError(
        `Another BFF uses ${folder}: stop it, or set another DATA_DIR. Several processes need DATABASE_URL.`,
      );
    return store;
  }
  const onError = (error: Error): void =>
    log.warn({ event: 'database_connection_lost', error }, 'database connection lost');
  return createPostgresStore({ databaseUrl: DATABASE_URL, namespace: PROFILE_ID, onError });
}

function endOnSignal(bff: Bff, servers: readonly Listening[]): void {
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await Promise.all(servers.map((server) => server.close()));
    await bff.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
}

main().catch((error: unknown) => {
  const isExpected = error instanceof OptionsError || error instanceof StoreError;
  if (isExpected) process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
