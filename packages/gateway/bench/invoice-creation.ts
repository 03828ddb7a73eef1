import { type ChildProcess, fork } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CompiledQuery, Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { ensureFirstStart } from '../src/account/first-start.ts';
import { createContext } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { openPool, poolDialect } from '../src/database/pool.ts';
import type { Tables } from '../src/database/tables.ts';
import { createApp } from '../src/app.ts';
import { median } from './measure.ts';

/**
 * Compares invoices per second through the whole service (signature, nonce, validation, price,
 * address, response) with the same SQL sent by a bare script: the statements of one creation are
 * recorded and repeated with fresh ids. Both use eight keys in parallel. Prints one line of JSON
 * with the median ratio and both rates.
 */
const KEYS = 8;
const ROUNDS = 9;
const EACH = 100;
/** Rounds before the measurement, so that the engine has compiled the hot functions. */
const WARM_UP = 4;

interface TestKey {
  id: string;
  apiKey: string;
  secret: string;
}

const dataDir = mkdtempSync(join(tmpdir(), 'cc-bench-'));
const config = loadConfig({
  DATA_DIR: dataDir,
  GATEWAY_PORT: '0',
  SANDBOX_BLOCK_SECONDS: '0',
  RATE_LIMIT_RPS: '100000',
  RATE_LIMIT_BURST: '100000',
  LOG_LEVEL: 'silent',
});
const { context, close } = await createContext(config, pino({ level: 'silent' }));
const children: ChildProcess[] = [];
try {
  const account = await ensureFirstStart(context);
  const keys = await Promise.all(
    Array.from({ length: KEYS }, () => addKey(context, account.api_key_id)),
  );
  const server = await connectionOf(context);
  const recorded = await record(context, server, keys[0]!, account.profile_id);
  const service = await start('service.ts', { dataDir, keys, profileId: account.profile_id });
  const bare = await start('bare-sql.ts', { server, recorded, keys });
  for (let round = 0; round < WARM_UP; round += 1) {
    await rate(bare);
    await rate(service);
  }
  const ratios: number[] = [];
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bareRate = await rate(bare);
    const serviceRate = await rate(service);
    rates[0].push(serviceRate);
    rates[1].push(bareRate);
    ratios.push(serviceRate / bareRate);
  }
  console.log(
    JSON.stringify({
      ratio: median(ratios),
      least: Math.min(...ratios),
      most: Math.max(...ratios),
      service: median(rates[0]),
      bare: median(rates[1]),
      statements: recorded.length,
    }),
  );
} finally {
  for (const child of children) child.kill();
  await close();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Copies the key of the first start, with a strict nonce of its own. */
async function addKey({ db, secrets }: Context, templateId: string): Promise<TestKey> {
  const key = {
    id: randomUUID(),
    apiKey: `bench-${randomBytes(8).toString('hex')}`,
    secret: randomBytes(32).toString('hex'),
  };
  await sql`insert into api_key (account_id, id, api_key, secret_sealed, name, created_by, created_at, updated_at, permissions)
    select account_id, ${key.id}, ${key.apiKey}, ${secrets.seal(key.secret, key.id)}, 'Bench', created_by, created_at, updated_at, permissions
    from api_key where id = ${templateId}`.execute(db);
  return key;
}

async function connectionOf({
  db,
}: Context): Promise<{ host: string; port: number; user: string; database: string }> {
  const { rows } = await sql<{ host: string; port: string; user: string; database: string }>`
    select current_setting('unix_socket_directories') as host, current_setting('port') as port, current_user as user, current_database() as database`.execute(
    db,
  );
  const row = rows[0]!;
  return { ...row, port: Number(row.port) };
}

/** Records the SQL statements of one invoice creation. */
async function record(
  context: Context,
  server: Awaited<ReturnType<typeof connectionOf>>,
  key: TestKey,
  profileId: string,
): Promise<Recorded[]> {
  const queries: CompiledQuery[] = [];
  let recording = false;
  const dialect = poolDialect(openPool({ server, max: 1, onError: () => {} }));
  const db = new Kysely<Tables>({
    dialect,
    log: ({ query }) => void (recording && queries.push(query)),
  });
  const app = createApp({ ...context, db });
  const create = async (nonce: string): Promise<{ status: number; id: string; nonce: string }> => {
    const payload = Buffer.from(
      JSON.stringify({
        request: '/v1/invoices/',
        nonce,
        profile_id: profileId,
        amount: '18.50',
        currency: 'USD',
        kind: 'BTC',
      }),
    ).toString('base64');
    const signature = createHmac('sha256', key.secret).update(payload).digest('hex');
    const answer = await app.request('/v1/invoices/', {
      method: 'POST',
      headers: { 'x-cc-key': key.apiKey, 'x-cc-payload': payload, 'x-cc-signature': signature },
    });
    return {
      status: answer.status,
      id: ((await answer.json()) as { result: { id: string } }).result.id,
      nonce,
    };
  };
  await create('1');
  recording = true;
  const created = await create('2');
  recording = false;
  await db.destroy();
  if (created.status !== 201)
    throw new Error(`The invoice was not created: status ${created.status}`);
  // Marks values that differ between creations; the others are repeated unchanged.
  const mark = (value: unknown): unknown => {
    if (value === created.id) return { fresh: 'id' };
    if (value === created.nonce) return { fresh: 'nonce' };
    if (value === key.id) return { fresh: 'keyId' };
    if (value === key.apiKey) return { fresh: 'apiKey' };
    if (isWatchKeys(value)) return { fresh: 'watchKeys', value };
    return value;
  };
  return queries.map(({ sql: text, parameters }) => ({ text, values: parameters.map(mark) }));
}

/** Other arrays hold names of chains and indexes of keys, which are short. */
function isWatchKeys(value: unknown): boolean {
  return Array.isArray(value) && value.every((key) => typeof key === 'string' && key.length > 20);
}

interface Recorded {
  text: string;
  values: unknown[];
}

/** Starts a process that creates invoices with all keys in parallel on request. */
async function start(file: string, options: unknown): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: ['--conditions=source', '--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.push(child);
  child.send(options as object);
  await answer(child);
  return child;
}

function answer(child: ChildProcess): Promise<{ ready?: true; perSecond?: number }> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`A benchmark process exited with code ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as { perSecond?: number });
    });
  });
}

async function rate(child: ChildProcess): Promise<number> {
  child.send({ each: EACH });
  return (await answer(child)).perSecond ?? 0;
}
