import { resolve } from 'node:path';
import { pino } from 'pino';
import { writeCredentials } from './account/credentials.ts';
import { ensureFirstStart, type FirstStart } from './account/first-start.ts';
import { type Composed, createContext } from './compose.ts';
import { ConfigError, loadConfig, SETTINGS } from './config.ts';
import { unusable } from './data-dir.ts';
import { EmbeddedDatabaseError } from './database/binaries.ts';
import { NewerSchemaError } from './database/migrate.ts';
import { createApp } from './app.ts';
import type { Context } from './context.ts';
import { kindsWithoutProfile, servedChains } from './engine/served-chains.ts';
import { serveMetrics } from './http/monitoring/metrics.ts';
import { listen } from './http/server.ts';
import { settingsWithoutEffect } from './settings/unknown-names.ts';
import { startWorker } from './worker/worker.ts';

/** Starts the service and stops it in order on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const log = pino({ level: config.logLevel, base: { service: 'gateway' } });
  for (const sentence of settingsWithoutEffect(process.env, Object.keys(SETTINGS)))
    log.warn({ event: 'setting_without_effect' }, sentence);
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ event: 'service_stopping' }, 'stopping');
    await (await started).stop();
    log.info({ event: 'service_stopped' }, 'stopped');
    process.exit(0);
  };
  // A signal during the start waits until the start has finished, so that everything is closed in
  // order.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => void stop().catch(fail));
  const started = createContext(config, log).then(start);
  await started;
}

async function start({ context, close, abandon }: Composed): Promise<{ stop(): Promise<void> }> {
  try {
    const made = await ensureFirstStart(context);
    const server = await listen(createApp(context, { checkoutKey: made.bff_key_id }), context);
    // With port 0 the address is known only after listening; answers contain it.
    context.config.port = server.port;
    const metrics = await serveMetrics(context);
    await writeCredentials(context, made, server.url);
    context.log.info(
      { event: 'chains_served', ...servedChains(context) },
      'the service serves these chains',
    );
    await reportUnoffered(context, made);
    // Last: all its loops need the database at once, and a start that waits for it in vain ends.
    const worker = startWorker(context);
    context.log.info(
      { event: 'service_listening', port: server.port, url: server.url },
      'listening',
    );
    return {
      async stop() {
        metrics?.close();
        await server.close();
        await worker.stop();
        await close();
      },
    };
  } catch (error) {
    await abandon();
    throw error;
  }
}

/** A chain that was added later takes no payment until a profile offers its kinds. */
async function reportUnoffered(context: Context, { profile_id }: FirstStart): Promise<void> {
  const kinds = await kindsWithoutProfile(context);
  if (kinds.length === 0) return;
  const command = `crypto-checkout-gateway profiles update ${profile_id} --add-kinds ${kinds.join(',')}`;
  context.log.info(
    { event: 'kinds_not_offered', kinds },
    `no profile offers these kinds of the served chains; to offer them: ${command}`,
  );
}

/** One sentence for a mistake that an operator can correct, the stack for a bug. */
function fail(error: unknown): void {
  const expected =
    error instanceof ConfigError ||
    error instanceof EmbeddedDatabaseError ||
    error instanceof NewerSchemaError;
  console.error(expected ? error.message : (aboutFolder(error) ?? error));
  process.exit(1);
}

/**
 * The system refused an operation in the data folder: it is read-only or full, or a file of that
 * name is in the way.
 */
function aboutFolder(error: unknown): string | null {
  const folder = resolve(process.env['DATA_DIR']?.trim() || SETTINGS.DATA_DIR.fallback);
  return unusable(folder, error)?.message ?? null;
}

main().catch(fail);
