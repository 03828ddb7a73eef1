import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { writeCredentials } from '../../src/account/credentials.ts';
import { ensureFirstStart } from '../../src/account/first-start.ts';
import { testKey } from './api-key.ts';
import { createContext } from '../../src/compose.ts';
import { loadConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { testDatabase } from './database.ts';
import { createApp } from '../../src/app.ts';
import { listen } from '../../src/http/server.ts';
import { startWorker } from '../../src/worker/worker.ts';

export interface Running {
  url: string;
  /** Folder of `credentials.json`. */
  dataDir: string;
  credentials: Record<string, string>;
  /** An integrator key of the same account. */
  integrator: { key: string; secret: string };
  /** A key of the same account, created by the operator. */
  addKey(payload: Record<string, unknown>): Promise<{ key: string; secret: string }>;
  context: Context;
  close(): Promise<void>;
}

/**
 * Runs the whole service in this process like `npm start`, on its own database. Blocks are mined on
 * demand.
 */
export async function startService(env: Record<string, string> = {}): Promise<Running> {
  const database = await testDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'cc-running-'));
  const config = loadConfig({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    SANDBOX_BLOCK_SECONDS: '0',
    SCAN_INTERVAL_MS: '1000',
    RATE_LIMIT_RPS: '10000',
    RATE_LIMIT_BURST: '10000',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const { context, close } = await createContext(config, pino({ level: 'silent' }));
  const account = await ensureFirstStart(context);
  const server = await listen(createApp(context), context);
  await writeCredentials(context, account, server.url);
  const worker = startWorker(context);
  const addKey = async (payload: Record<string, unknown>, isIntegratorKey = false) => {
    const { key, secret } = await testKey(
      context,
      { accountId: account.account_id, isIntegratorKey },
      { nonce_window: false, ...payload },
    );
    return { key, secret };
  };
  return {
    url: server.url,
    dataDir,
    credentials: JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Record<
      string,
      string
    >,
    integrator: await addKey({}, true),
    addKey,
    context,
    async close() {
      await server.close();
      await worker.stop();
      await close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
