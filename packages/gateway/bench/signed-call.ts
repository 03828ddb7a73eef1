import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { encodePayload } from '@crypto-checkout/protocol/signature';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import { presentSettings } from '../src/account/present.ts';
import { loadConfig } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import type { Tables } from '../src/database/tables.ts';
import { createApp } from '../src/http/app.ts';
import { testAccount } from '../src/http/test-call.ts';
import { testContext } from '../src/test-context.ts';

/**
 * CPU time of a signed request, from its headers to its handler, beyond that of a bare Hono route with the same handler and the same
 * answer, database calls apart. Both are asked as a running service is: Node's request and answer objects are handed to the listener,
 * and the answer is written into them. What differs is all ours: path, limits, headers read, HMAC, payload, nonce, permission, our
 * waiting around two database calls, and the time and request id that the answer's headers say. Beside it the same against a route
 * that answers without our headers: what writing those costs is Node's. Each request has a payload and a nonce of its own, signed beforehand;
 * the database's answers are there at once, made anew for each. Rubbish is collected when it is due: to ask for it would throw
 * compiled functions away. Beside it a textbook route, which checks next to nothing: what HMAC, JSON, the waiting and the headers
 * cost anybody on this machine. Prints one line of JSON.
 */
const ROUNDS = 60;
const REQUESTS = 1_000;
/** Rounds that are not counted: a service runs for weeks. */
const WARM_UP = 40;
/** So many are made, not measured, and then answered; then the event loop goes round, where native objects are cleared away. */
const TURN = 25;
const PATH = '/v1/account/settings/';

/** Of every answer of ours, by name. */
const HEADERS = {
  'Content-Type': 'application/json',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'X-Request-Id': randomUUID(),
  Date: new Date().toUTCString(),
};

type Listener = ReturnType<typeof getRequestListener>;
type Answers = Map<string, { result: QueryResult<unknown>; fresh: Promise<QueryResult<unknown>>[] }>;
/** How Node's parser hands over the headers. */
interface Parsed {
  _addHeaderLines(lines: string[], count: number): void;
}
interface Call {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

const limits = { RATE_LIMIT_RPS: '1000000', RATE_LIMIT_BURST: '1000000' };
const real = {
  clock: { now: Date.now, real: Date.now },
  ids: { uuid: randomUUID, bytes: (length: number) => new Uint8Array(randomBytes(length)) },
};
const whole = await testContext({ config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent', ...limits }) });
try {
  const { api, account_id: accountId } = await testAccount(whole);
  const account = { id: accountId, name: 'Default', isTestnet: true };
  const socket = { remoteAddress: '127.0.0.1' } as Socket;
  let nonce = BigInt(Date.now()) * 1_000_000n;

  const newCall = (secret = api.secret): Call => {
    const payload = encodePayload({ request: PATH }, (nonce += 1_000_003n));
    const signature = createHmac('sha256', secret).update(payload).digest('hex');
    const incoming = new IncomingMessage(socket);
    Object.assign(incoming, { method: 'GET', url: PATH, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
    // As bytes from a connection become text: another one each time.
    const key = Buffer.from(api.key).toString('latin1');
    const headers = { 'X-CC-KEY': key, 'X-CC-PAYLOAD': payload, 'X-CC-SIGNATURE': signature };
    const lines = Object.entries({ Host: 'gateway.example', Accept: '*/*', 'User-Agent': 'shop/1.0', ...headers }).flat();
    (incoming as unknown as Parsed)._addHeaderLines(lines, lines.length);
    return { incoming, outgoing: new ServerResponse(incoming) };
  };
  const answers: Answers = new Map();
  const statusOf = async (listen: Listener, { incoming, outgoing }: Call): Promise<number> => {
    await listen(incoming, outgoing);
    return outgoing.statusCode;
  };
  const first = listener(createApp({ ...whole, db: recording(whole, answers) }));
  const seen = [await statusOf(first, newCall('another')), await statusOf(first, newCall())];
  if (seen.join() !== '401,200') throw new Error(`a wrong signature and a right one were answered ${seen.join(', ')}`);
  const handle = () => ({ result: presentSettings(whole, account) });
  const signed = listener(createApp({ ...whole, ...real, db: answering(answers) }));
  const bare = listener(new Hono().get(PATH, () => new Response(JSON.stringify(handle()), { headers: HEADERS })));
  const plain = listener(new Hono().get(PATH, (c) => c.json(handle())));
  const textbook = listener(textbookRoute(api.secret, handle));

  const measure = async (listen: Listener): Promise<number> => {
    let micros = 0;
    for (let sent = 0; sent < REQUESTS; sent += TURN) {
      const calls = Array.from({ length: TURN }, () => newCall());
      for (const answer of answers.values()) answer.fresh = calls.map(() => Promise.resolve(structuredClone(answer.result)));
      const before = process.cpuUsage();
      for (const { incoming, outgoing } of calls) await listen(incoming, outgoing);
      await new Promise(setImmediate);
      const { user, system } = process.cpuUsage(before);
      micros += user + system;
      const refused = calls.find(({ outgoing }) => outgoing.statusCode !== 200 || !outgoing.writableEnded);
      if (refused) throw new Error(`answered ${refused.outgoing.statusCode}`);
    }
    return micros / REQUESTS;
  };
  const rounds: { bare: number; plain: number; signed: number; textbook: number }[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const measured = {
      bare: await measure(bare),
      signed: await measure(signed),
      plain: await measure(plain),
      textbook: await measure(textbook),
    };
    if (round >= WARM_UP) rounds.push(measured);
  }
  const part = (which: 'bare' | 'plain' | 'signed' | 'textbook', share: number): number => {
    const sorted = rounds.map((round) => round[which]).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length * share)] ?? 0;
  };
  // The lower quarter: what else the machine does takes its caches and so makes every request dearer, never cheaper.
  const quick = (which: Parameters<typeof part>[0]): number => part(which, 0.25);
  console.log(
    JSON.stringify({
      micros: quick('signed') - quick('bare'),
      middle: part('signed', 0.5) - part('bare', 0.5),
      bare: quick('bare'),
      signed: quick('signed'),
      withHeaders: quick('signed') - quick('plain'),
      textbook: quick('textbook') - quick('bare'),
    }),
  );
} finally {
  await whole.close();
}

/** A signed route with the least that one can do: no limit, no nonce, no permission, no strict JSON. */
function textbookRoute(secret: string, handle: () => unknown): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    const payload = c.req.header('x-cc-payload') ?? '';
    await Promise.resolve(c.req.header('x-cc-key'));
    const expected = createHmac('sha256', secret).update(payload).digest();
    if (!timingSafeEqual(expected, Buffer.from(c.req.header('x-cc-signature') ?? '', 'hex'))) return c.json({}, 401);
    const { nonce: used } = JSON.parse(Buffer.from(payload, 'base64').toString()) as { nonce: number };
    await Promise.resolve(used);
    return next();
  });
  return app.get(PATH, () => {
    const own = { ...HEADERS, 'X-Request-Id': randomUUID(), Date: new Date().toUTCString() };
    return new Response(JSON.stringify(handle()), { headers: own });
  });
}

function listener(app: { fetch(request: Request, env: never): Response | Promise<Response> }): Listener {
  return getRequestListener((request, env) => app.fetch(request, env as never));
}

function recording({ db }: Context, answers: Answers): Context['db'] {
  return {
    executeQuery: async (query: CompiledQuery) => {
      const result = await db.executeQuery(query);
      answers.set(query.sql, { result, fresh: [] });
      return result;
    },
  } as unknown as Context['db'];
}

/** A database that takes no time. */
function answering(answers: Answers): Context['db'] {
  const unused = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return Object.assign(unused, { executeQuery: ({ sql }: CompiledQuery) => answers.get(sql)?.fresh.pop() });
}
