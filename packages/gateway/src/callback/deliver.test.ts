import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { verifyCallback } from '@crypto-checkout/protocol/callback';
import type { Event } from '@crypto-checkout/protocol/event';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callbackToken } from '../account/callback-token.ts';
import { transact } from '../database/database.ts';
import type { TestAccount } from '../../test/support/call.ts';
import type { TestContext } from '../../test/support/context.ts';
import { createOutbound } from '../outbound/outbound.ts';
import { Deliverer } from './deliver.ts';
import { queueCallbacks } from './queue.ts';
import {
  testReceiver,
  type ReceivedCallback,
  type TestReceiver,
} from '../../test/support/receiver.ts';

let receiver: TestReceiver;
let context: TestContext;
let account: TestAccount;
let origin: string;
let received: ReceivedCallback[];
let answer: (response: ServerResponse, request: ReceivedCallback) => void;

beforeAll(async () => {
  receiver = await testReceiver();
  ({ context, account, origin } = receiver);
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.received = received = [];
  answer = (response) => response.end('thanks');
  receiver.answer = (request, response) => {
    answer(response, request);
    return null;
  };
});
afterEach(() => context.db.deleteFrom('callback').execute());

/** Status codes to answer, in turn; the last one repeats. */
const script = (...answers: ((response: ServerResponse) => void)[]): void => {
  let turn = 0;
  answer = (response) =>
    (answers[Math.min(turn++, answers.length - 1)] ?? ((last) => last.end()))(response);
};
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end();

interface Queue {
  path?: string;
  event?: Event;
  resourceId?: string;
}

async function queue({
  path = '/hook',
  event = 'invoice_pending',
  resourceId = context.ids.uuid(),
}: Queue = {}): Promise<string | null> {
  await context.db
    .updateTable('profile')
    .set({ callback_url: `${origin}${path}` })
    .where('id', '=', account.profile_id)
    .execute();
  const reported = {
    accountId: account.account_id,
    profileId: account.profile_id,
    id: resourceId,
    event,
    shown: shown(resourceId),
  };
  const known = await idsOf(resourceId, event);
  await transact(context.db, (trx) => queueCallbacks(trx, context, [reported]));
  return (await idsOf(resourceId, event)).find((id) => !known.includes(id)) ?? null;
}

const shown = (id: string) => ({ id, notes: 'ü "quoted" \\ €' });

async function idsOf(resourceId: string, event: string): Promise<string[]> {
  const rows = await context.db
    .selectFrom('callback')
    .select('id')
    .where('resource_id', '=', resourceId)
    .where('event', '=', event)
    .execute();
  return rows.map(({ id }) => id);
}

const row = (id: string | null) =>
  context.db.selectFrom('callback').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const deliverer = (options = {}) =>
  new Deliverer(context, { random: () => 0.5, timeoutMs: 10_000, ...options });

describe('a callback', () => {
  it('arrives with both signatures, its length, and the resource under both names', async () => {
    const id = await queue();
    await deliverer().deliverDue();
    const [request] = received;
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(request?.body ?? '')),
      'webhook-id': id,
    });
    const verified = await verifyCallback({
      headers: request?.headers as Record<string, string>,
      body: request?.body ?? '',
      callbackToken: await callbackToken(context, context.db, account.account_id),
      now: context.clock.real(),
      hmac: (key, message) => createHmac('sha256', key).update(message).digest(),
    });
    expect(verified.proof).toBe('bytes');
    expect(verified.callback).toMatchObject({
      callback_id: id,
      callback_status: 'invoice_pending',
      invoice: verified.callback.result,
    });
    expect(await row(id)).toMatchObject({ state: 'delivered', attempts: 1, locked_by: null });
  });

  it('to a receiver that is refused is logged with its reason and remedy', async () => {
    const lines: unknown[][] = [];
    const log = { ...context.log, info: () => {}, warn: (...line: unknown[]) => lines.push(line) };
    const own = {
      ...context,
      log: log as never,
      outbound: createOutbound({ allow: [], allowHttp: true }),
    };
    for (let at = 0; at < 5; at += 1) await queue();
    await new Deliverer(own, { random: () => 0.5 }).deliverDue();
    const { host, port } = { host: '127.0.0.1', port: new URL(origin).port };
    expect(lines).toEqual([
      [
        {
          event: 'callback_receiver_fails',
          account_id: account.account_id,
          origin,
          reason: `${origin} is refused: ${host} is not public; ${host}/32:${port} in OUTBOUND_ALLOW of the service opens it`,
        },
        'a callback receiver fails and is left alone for a while',
      ],
    ]);
    expect(received).toEqual([]);
  });

  it('is queued once per resource and event, and not without a URL', async () => {
    const resourceId = context.ids.uuid();
    const first = await queue({ resourceId });
    expect(first).not.toBeNull();
    expect(await queue({ resourceId })).toBeNull();
    expect(await queue({ resourceId, event: 'invoice_complete' })).not.toBeNull();
    await context.db
      .updateTable('profile')
      .set({ callback_url: null })
      .where('id', '=', account.profile_id)
      .execute();
    const nowhere = {
      accountId: account.account_id,
      profileId: account.profile_id,
      id: context.ids.uuid(),
      shown: {},
    };
    await transact(context.db, (trx) =>
      queueCallbacks(trx, context, [{ ...nowhere, event: 'invoice_pending' }]),
    );
    expect(await idsOf(nowhere.id, 'invoice_pending')).toEqual([]);
  });

  it('of one resource is sent in order, even to a slow receiver; other resources do not wait', async () => {
    const events = [
      'transaction_pending',
      'transaction_confirmed',
      'transaction_complete',
    ] as const;
    const ids = Array.from({ length: 4 }, () => context.ids.uuid());
    await queue();
    await deliverer().deliverDue();
    received.splice(0);
    let underWay = 0;
    let most = 0;
    answer = (response) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => response.end(() => underWay--), 10);
    };
    const { account_id: accountId, profile_id: profileId } = account;
    const reported = ids.flatMap((id) =>
      events.toReversed().map((event) => ({ accountId, profileId, id, event, shown: shown(id) })),
    );
    await transact(context.db, (trx) => queueCallbacks(trx, context, reported));
    await deliverer().deliverDue();
    const delivered = received.map(
      ({ body }) => JSON.parse(body) as { callback_status: string; result: { id: string } },
    );
    for (const id of ids)
      expect(
        delivered.filter(({ result }) => result.id === id).map((one) => one.callback_status),
      ).toEqual(events);
    expect(most).toBeGreaterThan(1);
  });

  it('is not queued if its transaction rolls back', async () => {
    const before = await context.db.selectFrom('callback').select('id').execute();
    const failing = transact(context.db, async (trx) => {
      const { account_id: accountId, profile_id: profileId } = account;
      await queueCallbacks(trx, context, [
        { accountId, profileId, id: context.ids.uuid(), event: 'invoice_pending', shown: {} },
      ]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await context.db.selectFrom('callback').select('id').execute()).toEqual(before);
  });
});

describe('a refused callback', () => {
  it('is retried on schedule, with the same id and body, until it is accepted', async () => {
    script(status(500), status(404), status(302, { location: `${origin}/elsewhere` }), status(204));
    const id = await queue();
    const deliver = deliverer();
    for (const wait of [0, 5_000, 30_000, 300_000]) {
      context.clock.advance(wait - 1);
      await deliver.deliverDue();
      const early = received.length;
      context.clock.advance(1);
      await deliver.deliverDue();
      expect(received.length).toBe(early + 1);
    }
    expect(received.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook', '/hook']);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4);
    expect(await row(id)).toMatchObject({ state: 'delivered', attempts: 4 });
    const deliveries = await context.db
      .selectFrom('callback_delivery')
      .select(['attempt', 'status_code'])
      .where('callback_id', '=', id!)
      .orderBy('attempt')
      .execute();
    expect(deliveries).toEqual(
      [500, 404, 302, 204].map((status_code, at) => ({ attempt: at + 1, status_code })),
    );
  });

  it('fails for good after eleven attempts within 72 hours', async () => {
    script(status(500));
    const id = await queue();
    const queuedAt = context.clock.real();
    const deliver = deliverer();
    for (let hour = 0; hour < 80; hour++) {
      for (let minute = 0; minute < (hour === 0 ? 60 : 1); minute++) {
        await deliver.deliverDue();
        context.clock.advance(hour === 0 ? 60_000 : 3_600_000);
      }
    }
    expect(received).toHaveLength(11);
    const failed = await row(id);
    expect(failed).toMatchObject({ state: 'failed', attempts: 11 });
    expect(Date.parse(failed.finished_at_real!) - queuedAt).toBeLessThanOrEqual(72 * 3_600_000);
  });

  it('is not retried after 410', async () => {
    script(status(410));
    const id = await queue();
    await deliverer().deliverDue();
    expect(await row(id)).toMatchObject({ state: 'failed', attempts: 1 });
  });

  it('waits as long as a 429 requests', async () => {
    script(status(429, { 'retry-after': '120' }), status(200));
    const id = await queue();
    const deliver = deliverer();
    await deliver.deliverDue();
    context.clock.advance(119_000);
    await deliver.deliverDue();
    expect(received).toHaveLength(1);
    context.clock.advance(1_000);
    await deliver.deliverDue();
    expect(await row(id)).toMatchObject({ state: 'delivered', attempts: 2 });
  });
});

describe('a receiver that', () => {
  it('hangs is timed out', async () => {
    answer = () => {};
    const id = await queue();
    await deliverer({ timeoutMs: 300 }).deliverDue();
    expect(await row(id)).toMatchObject({ state: 'pending', attempts: 1 });
    const [delivery] = await context.db
      .selectFrom('callback_delivery')
      .selectAll()
      .where('callback_id', '=', id!)
      .execute();
    expect(delivery).toMatchObject({
      status_code: null,
      error: expect.stringContaining('No answer within'),
    });
  });

  it('sends its answer endlessly is timed out', async () => {
    answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    };
    const id = await queue();
    const began = performance.now();
    await deliverer({ timeoutMs: 300 }).deliverDue();
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await row(id)).toMatchObject({ state: 'pending', attempts: 1 });
  });

  it('answers with a huge body is accepted without reading all of it', async () => {
    let written = 0;
    answer = (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1024);
      const pour = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', pour);
      pour();
    };
    const id = await queue();
    await deliverer().deliverDue();
    expect(await row(id)).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(written).toBeLessThan(50 * 1024 * 1024);
  });

  it('closes the connection is retried', async () => {
    answer = (response) => response.destroy();
    const id = await queue();
    await deliverer().deliverDue();
    expect(await row(id)).toMatchObject({ state: 'pending', attempts: 1 });
  });

  it('answers with NUL and broken text does no harm', async () => {
    answer = (response) => response.end(Buffer.from([0, 0xff, 0xfe, 0x41]));
    const id = await queue();
    await deliverer().deliverDue();
    expect(await row(id)).toMatchObject({ state: 'delivered' });
  });

  it('hangs does not delay another', async () => {
    answer = (response, { path }) => void (path === '/slow' ? null : response.end());
    for (let turn = 0; turn < 60; turn++) await queue({ path: '/slow' });
    const fast = await queue({ path: '/fast' });
    const deliver = deliverer({ timeoutMs: 60_000, perDestination: 2 });
    for (let turn = 0; turn < 5; turn++) await deliver.begin();
    await expect.poll(async () => (await row(fast)).state).toBe('delivered');
    await expect.poll(() => received.filter(({ path }) => path === '/slow').length).toBe(2);
    receiver.hangUp();
    await deliver.stop();
  });
});

describe('several processes', () => {
  it('share the outbox: each callback is sent once', async () => {
    const ids = await Promise.all(Array.from({ length: 120 }, () => queue()));
    const processes = Array.from({ length: 4 }, () => deliverer({ atOnce: 10 }));
    await Promise.all(processes.map((process) => process.deliverDue()));
    expect(received).toHaveLength(120);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
  });

  it('take over the claims of a killed one after 30 s', async () => {
    const id = await queue();
    // Claimed and never finished, as by a killed process.
    const killed = deliverer({ timeoutMs: 60_000 });
    answer = () => {};
    await killed.begin();
    await expect.poll(() => received.length).toBe(1);
    answer = (response) => response.end();
    const survivor = deliverer();
    context.clock.advance(29_000);
    await survivor.deliverDue();
    expect(received).toHaveLength(1);
    context.clock.advance(2_000);
    await survivor.deliverDue();
    expect(received).toHaveLength(2);
    expect(received[1]?.body).toBe(received[0]?.body);
    expect(await row(id)).toMatchObject({ state: 'delivered', attempts: 2 });
    receiver.hangUp();
    await killed.stop();
    expect(await row(id)).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('take over the unstarted claims of a stopped one at once', async () => {
    for (let turn = 0; turn < 10; turn++) await queue();
    answer = (response) => void setTimeout(() => response.end(), 100);
    const stopping = deliverer({ perDestination: 2 });
    await stopping.begin();
    await stopping.stop();
    await deliverer().deliverDue();
    expect(received).toHaveLength(10);
    const rows = await context.db.selectFrom('callback').select(['state', 'attempts']).execute();
    expect(new Set(rows.map((found) => JSON.stringify(found)))).toEqual(
      new Set([JSON.stringify({ state: 'delivered', attempts: 1 })]),
    );
  });
});

it('callbacks that were queued while the clock ran ahead are delivered once it is right', async () => {
  await queue();
  await sql`update callback set created_at_real = created_at_real + interval '1 hour', next_at_real = next_at_real + interval '1 hour'`.execute(
    context.db,
  );
  expect(await new Deliverer(context).deliverDue()).toBe(1);
  expect(received).toHaveLength(1);
});
