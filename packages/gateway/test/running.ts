import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { writeCredentials } from '../src/account/credentials.ts';
import { ensureFirstStart } from '../src/account/first-start.ts';
import { testKey } from '../src/account/test-key.ts';
import { createContext } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { testDatabase } from '../src/database/test-database.ts';
import { createApp } from '../src/http/app.ts';
import { listen } from '../src/http/server.ts';
import { startWorker } from '../src/worker/worker.ts';

export interface Running {
  url: string;
  /** Where `credentials.json` is. */
  dataDir: string;
  credentials: Record<string, string>;
  /** A key of the same account that may make accounts and keys. */
  integrator: { key: string; secret: string };
  /** A key of the same account, as the operator makes one. */
  addKey(payload: Record<string, unknown>): Promise<{ key: string; secret: string }>;
  context: Context;
  close(): Promise<void>;
}

/** The whole service in this process, as `npm start` starts it, on a database of its own; blocks come only by hand. */
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
  const made = await ensureFirstStart(context);
  const server = await listen(createApp(context), context);
  await writeCredentials(context, made, server.url);
  const worker = startWorker(context);
  const addKey = async (payload: Record<string, unknown>, isIntegratorKey = false) => {
    const { key, secret } = await testKey(context, { accountId: made.account_id, isIntegratorKey }, { nonce_window: false, ...payload });
    return { key, secret };
  };
  return {
    url: server.url,
    dataDir,
    credentials: JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Record<string, string>,
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
