import { pino } from 'pino';
import { writeCredentials } from './account/credentials.ts';
import { ensureFirstStart } from './account/first-start.ts';
import { createContext } from './compose.ts';
import { ConfigError, loadConfig } from './config.ts';
import { EmbeddedDatabaseError } from './database/binaries.ts';
import { createApp } from './http/app.ts';
import { serveMetrics } from './http/metrics.ts';
import { listen } from './http/server.ts';
import { startWorker } from './worker/worker.ts';

/** Starts the service and stops it in order on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const log = pino({ level: config.logLevel, base: { service: 'gateway' } });
  const { context, close } = await createContext(config, log);
  const made = await ensureFirstStart(context);
  const server = await listen(createApp(context), context);
  const metrics = await serveMetrics(context);
  await writeCredentials(context, made, server.url);
  const worker = startWorker(context);
  log.info({ port: server.port, url: server.url }, 'listening');

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info('stopping');
    metrics?.close();
    await server.close();
    await worker.stop();
    await close();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop().catch(fail));
}

/** One clear sentence for what an operator can mend, everything for what is our mistake. */
function fail(error: unknown): void {
  const expected = error instanceof ConfigError || error instanceof EmbeddedDatabaseError;
  console.error(expected ? error.message : error);
  process.exit(1);
}

main().catch(fail);
