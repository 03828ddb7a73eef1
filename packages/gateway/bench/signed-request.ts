import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { createApp } from '../src/http/app.ts';
import type { Tables } from '../src/database/tables.ts';
import { testContext } from '../src/test-context.ts';
import { testAccount } from '../src/http/test-call.ts';
import type { Context } from '../src/context.ts';
import { loadConfig } from '../src/config.ts';

/**
 * CPU time of a signed request from its headers to its answer, database calls apart, beyond that of a bare Hono route which answers
 * the same bytes: the statements of one real request are recorded, and their answers are there at once afterwards. Prints one line of JSON.
 */
const ROUNDS = 15;
const REQUESTS = 4_000;
const WARM_UP = 5;
/** What a running service has. */
const real = {
  clock: { now: Date.now, real: Date.now },
  ids: { uuid: randomUUID, bytes: (length: number) => new Uint8Array(randomBytes(length)) },
};
// As in the service: answers are light until somebody looks into them.
getRequestListener(() => new Response());
const PATH = '/v1/account/settings/';

const limits = { RATE_LIMIT_RPS: '1000000', RATE_LIMIT_BURST: '1000000' };
const whole = await testContext({ config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent', ...limits }) });
try {
  const { api } = await testAccount(whole);
  const payload = encodePayload({ request: PATH }, 1_700_000_000_000_000_001n);
  const signature = createHmac('sha256', api.secret).update(payload).digest('hex');
  const headers = { 'X-CC-KEY': api.key, 'X-CC-PAYLOAD': payload, 'X-CC-SIGNATURE': signature };
  const recorded = new Map<string, { rows: unknown[]; numAffectedRows: bigint | undefined }>();
  const first = await createApp({ ...whole, db: recording(whole, recorded) }).request(PATH, { headers });
  const body = (await first.json()) as object;
  if (first.status !== 200) throw new Error(`answered ${first.status} ${JSON.stringify(body)}`);
  const signed = createApp({ ...whole, ...real, db: answering(recorded) });
  const bare = new Hono().get(PATH, (c) => c.json(body));

  const measure = async (app: { fetch(request: Request): Response | Promise<Response> }): Promise<number> => {
    // Without a body it can be asked again: what it costs to make is not ours.
    const request = new Request(`http://localhost${PATH}`, { headers });
    globalThis.gc?.();
    const before = process.cpuUsage();
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const answer = await app.fetch(request);
      if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / REQUESTS;
  };
  const beyond: number[] = [];
  const both: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const alone = await measure(bare);
    const ours = await measure(signed);
    if (round < WARM_UP) continue;
    both[0].push(alone);
    both[1].push(ours);
    beyond.push(ours - alone);
  }
  const middle = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  console.log(
    JSON.stringify({
      micros: middle(beyond),
      least: Math.min(...beyond),
      most: Math.max(...beyond),
      bare: middle(both[0]),
      signed: middle(both[1]),
    }),
  );
} finally {
  await whole.close();
}

type Recorded = Map<string, { rows: unknown[]; numAffectedRows: bigint | undefined }>;

function recording({ db }: Context, recorded: Recorded): Context['db'] {
  return {
    executeQuery: async (query: CompiledQuery) => {
      const result = await db.executeQuery(query);
      recorded.set(query.sql, { rows: result.rows, numAffectedRows: result.numAffectedRows });
      return result;
    },
  } as unknown as Context['db'];
}

/** A database that takes no time. */
function answering(recorded: Recorded): Context['db'] {
  const unused = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return Object.assign(unused, { executeQuery: async ({ sql }: CompiledQuery) => recorded.get(sql) });
}
