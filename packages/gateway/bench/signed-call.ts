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
import { createApp } from '../src/app.ts';
import { testAccount } from '../test/support/call.ts';
import { testContext } from '../test/support/context.ts';
import { quantile } from './measure.ts';

/**
 * Measures the CPU time that the service adds to a request, from its headers to its handler,
 * without the database. The baseline is a bare Hono route with the same handler and response. Both
 * run like in the service: the listener gets Node's request and response objects and writes the
 * response. The difference covers path, limits, headers, HMAC, payload, nonce, permission, two
 * awaited database calls, and the time and request id of the response headers. `withHeaders`
 * compares with a route without these response headers, so it includes Node's cost of writing them.
 * `textbook` is a minimal signed route: the unavoidable cost of HMAC, JSON, awaiting and headers on
 * this machine. Each request has its own payload and nonce, signed in advance, and the database
 * resolves immediately with a fresh copy of a result. Garbage collection is not forced, because
 * that would discard compiled functions. Prints one line of JSON.
 */
const ROUNDS = 60;
const REQUESTS = 1_000;
/** Rounds before the measurement: a service runs with warm caches and compiled code. */
const WARM_UP = 40;
/**
 * Requests per batch. A batch is created unmeasured and then answered; the event loop turn after it
 * frees native objects.
 */
const BATCH = 25;
const PATH = '/v1/account/settings/';

/** Headers of every response of the service. */
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
type Answers = Map<
  string,
  { result: QueryResult<unknown>; fresh: Promise<QueryResult<unknown>>[] }
>;
/** The method through which Node's parser passes the headers. */
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
const context = await testContext({
  config: loadConfig({ SECRETS_KEY: '00'.repeat(32), LOG_LEVEL: 'silent', ...limits }),
});
try {
  const { api, account_id: accountId } = await testAccount(context);
  const account = { id: accountId, name: 'Default', isTestnet: true };
  const socket = { remoteAddress: '127.0.0.1' } as Socket;
  let nonce = BigInt(Date.now()) * 1_000_000n;

  const newCall = (secret = api.secret): Call => {
    const payload = encodePayload({ request: PATH }, (nonce += 1_000_003n));
    const signature = createHmac('sha256', secret).update(payload).digest('hex');
    const incoming = new IncomingMessage(socket);
    Object.assign(incoming, {
      method: 'GET',
      url: PATH,
      httpVersion: '1.1',
      httpVersionMajor: 1,
      httpVersionMinor: 1,
    });
    // Decoded from bytes like on a connection, so each request has a new string.
    const key = Buffer.from(api.key).toString('latin1');
    const headers = { 'X-CC-KEY': key, 'X-CC-PAYLOAD': payload, 'X-CC-SIGNATURE': signature };
    const lines = Object.entries({
      Host: 'gateway.example',
      Accept: '*/*',
      'User-Agent': 'shop/1.0',
      ...headers,
    }).flat();
    (incoming as unknown as Parsed)._addHeaderLines(lines, lines.length);
    return { incoming, outgoing: new ServerResponse(incoming) };
  };
  const answers: Answers = new Map();
  const statusOf = async (listen: Listener, { incoming, outgoing }: Call): Promise<number> => {
    await listen(incoming, outgoing);
    return outgoing.statusCode;
  };
  const first = listener(createApp({ ...context, db: recording(context, answers) }));
  const statuses = [await statusOf(first, newCall('another')), await statusOf(first, newCall())];
  if (statuses.join() !== '401,200')
    throw new Error(
      `Expected 401 for a wrong signature and 200 for a valid one, got ${statuses.join(', ')}`,
    );
  const handle = () => ({ result: presentSettings(context, account) });
  const signed = listener(createApp({ ...context, ...real, db: answering(answers) }));
  const bare = listener(
    new Hono().get(PATH, () => new Response(JSON.stringify(handle()), { headers: HEADERS })),
  );
  const plain = listener(new Hono().get(PATH, (c) => c.json(handle())));
  const textbook = listener(textbookRoute(api.secret, handle));

  const measure = async (listen: Listener): Promise<number> => {
    let micros = 0;
    for (let sent = 0; sent < REQUESTS; sent += BATCH) {
      const calls = Array.from({ length: BATCH }, () => newCall());
      for (const answer of answers.values())
        answer.fresh = calls.map(() => Promise.resolve(structuredClone(answer.result)));
      const before = process.cpuUsage();
      for (const { incoming, outgoing } of calls) await listen(incoming, outgoing);
      await new Promise(setImmediate);
      const { user, system } = process.cpuUsage(before);
      micros += user + system;
      const rejected = calls.find(
        ({ outgoing }) => outgoing.statusCode !== 200 || !outgoing.writableEnded,
      );
      if (rejected) throw new Error(`The route responded with ${rejected.outgoing.statusCode}`);
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
  const shareOf = (which: 'bare' | 'plain' | 'signed' | 'textbook', share: number): number =>
    quantile(
      rounds.map((round) => round[which]),
      share,
    );
  // The lower quartile: other load on the machine only makes requests slower, never faster.
  const lowerQuartile = (which: Parameters<typeof shareOf>[0]): number => shareOf(which, 0.25);
  console.log(
    JSON.stringify({
      micros: lowerQuartile('signed') - lowerQuartile('bare'),
      middle: shareOf('signed', 0.5) - shareOf('bare', 0.5),
      bare: lowerQuartile('bare'),
      signed: lowerQuartile('signed'),
      withHeaders: lowerQuartile('signed') - lowerQuartile('plain'),
      textbook: lowerQuartile('textbook') - lowerQuartile('bare'),
    }),
  );
} finally {
  await context.close();
}

/** A minimal signed route: no limit, no nonce, no permission, no strict JSON. */
function textbookRoute(secret: string, handle: () => unknown): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    const payload = c.req.header('x-cc-payload') ?? '';
    await Promise.resolve(c.req.header('x-cc-key'));
    const expected = createHmac('sha256', secret).update(payload).digest();
    if (!timingSafeEqual(expected, Buffer.from(c.req.header('x-cc-signature') ?? '', 'hex')))
      return c.json({}, 401);
    const { nonce: used } = JSON.parse(Buffer.from(payload, 'base64').toString()) as {
      nonce: number;
    };
    await Promise.resolve(used);
    return next();
  });
  return app.get(PATH, () => {
    const own = { ...HEADERS, 'X-Request-Id': randomUUID(), Date: new Date().toUTCString() };
    return new Response(JSON.stringify(handle()), { headers: own });
  });
}

function listener(app: {
  fetch(request: Request, env: never): Response | Promise<Response>;
}): Listener {
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

/** A database that resolves immediately. */
function answering(answers: Answers): Context['db'] {
  const unused = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return Object.assign(unused, {
    executeQuery: ({ sql }: CompiledQuery) => answers.get(sql)?.fresh.pop(),
  });
}
