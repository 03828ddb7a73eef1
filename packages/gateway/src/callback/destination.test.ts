import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Breaker } from './breaker.ts';
import { Deliverer } from './deliver.ts';
import { testReceiver, type TestReceiver } from '../../test/support/receiver.ts';

let receiver: TestReceiver;
let deliverers: Deliverer[];

beforeAll(async () => {
  receiver = await testReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.received = [];
  receiver.answer = ({ path }) => (path.startsWith('/dead') ? null : 200);
  deliverers = [];
});
afterEach(async () => {
  await Promise.all(deliverers.map((each) => each.stop()));
  await sql`delete from callback_delivery`.execute(receiver.context.db);
  await sql`delete from callback`.execute(receiver.context.db);
});

/** A receiver that accepts a request and closes the connection. */
const dies: TestReceiver['answer'] = ({ path }, response) => {
  if (!path.startsWith('/dead')) return 200;
  response.destroy();
  return null;
};

function deliverer(timeoutMs = 10_000): Deliverer {
  const made = new Deliverer(receiver.context, { random: () => 0.5, timeoutMs });
  deliverers.push(made);
  return made;
}

const seen = (path: string): number =>
  receiver.received.filter((each) => each.path.startsWith(path)).length;

interface Count {
  state: string;
  attempts: number;
  deliveries: number;
  count: number;
}

async function counts(path: string): Promise<Count[]> {
  const { rows } = await sql<Count>`
    select state, attempts, (select count(*) from callback_delivery d where d.callback_id = c.id) as deliveries, count(*) as count
    from callback c where url like ${`%${path}%`} and locked_by is null group by 1, 2, 3 order by 1, 2`.execute(
    receiver.context.db,
  );
  return rows;
}

describe('a receiver that answers 503 to some', () => {
  it('receives all others at once: refused orders delay no other', async () => {
    const refused = new Set(await receiver.queue('/shop', 20));
    receiver.answer = ({ body }) => ([...refused].some((id) => body.includes(id)) ? 503 : 200);
    const deliver = deliverer();
    await deliver.deliverDue();
    expect(seen('/shop')).toBe(20);
    await receiver.queue('/shop', 10);
    await deliver.deliverDue();
    expect(await counts('/shop')).toEqual([
      { state: 'delivered', attempts: 1, deliveries: 1, count: 10 },
      { state: 'pending', attempts: 1, deliveries: 1, count: 20 },
    ]);
  });
});

describe('a dead receiver', () => {
  it('with hundreds of callbacks delays no other, is paused after five attempts, and only real attempts are counted', async () => {
    const hanging: ServerResponse[] = [];
    receiver.answer = ({ path }, response) =>
      path === '/live' ? 200 : hanging.push(response) && null;
    await receiver.queue('/dead', 400);
    await receiver.queue('/live', 100);
    const deliver = deliverer(60_000);
    await deliver.begin();
    await expect.poll(() => seen('/live'), { interval: 5 }).toBe(100);
    expect(seen('/dead')).toBe(4);
    receiver.answer = (_, response) => {
      response.destroy();
      return null;
    };
    for (const response of hanging) response.destroy();
    await deliver.deliverDue();
    expect(seen('/dead')).toBe(5);
    expect(await counts('/live')).toEqual([
      { state: 'delivered', attempts: 1, deliveries: 1, count: 100 },
    ]);
    expect(await counts('/dead')).toEqual([
      { state: 'pending', attempts: 0, deliveries: 0, count: 395 },
      { state: 'pending', attempts: 1, deliveries: 1, count: 5 },
    ]);
  });

  it('is probed with one callback after growing pauses, and receives all once it answers', async () => {
    const { clock } = receiver.context;
    receiver.answer = dies;
    await receiver.queue('/dead', 50);
    const deliver = deliverer();
    await deliver.deliverDue();
    expect(seen('/dead')).toBe(5);
    clock.advance(4_999);
    await deliver.deliverDue();
    expect(seen('/dead')).toBe(5);
    clock.advance(1);
    await deliver.deliverDue();
    expect(seen('/dead')).toBe(6);
    clock.advance(9_999);
    await deliver.deliverDue();
    expect(seen('/dead')).toBe(6);
    receiver.answer = () => 200;
    // After two attempts a callback is due again after 30 s.
    clock.advance(30_000);
    await deliver.deliverDue();
    expect(seen('/dead')).toBe(56);
    const after = await counts('/dead');
    expect(
      after.map(({ state, deliveries, attempts }) => [state, deliveries === attempts]),
    ).toEqual(after.map(() => ['delivered', true]));
    expect(after.reduce((sum, { attempts, count }) => sum + attempts * count, 0)).toBe(56);
  });

  it('is detected by each process, and nothing is counted twice', async () => {
    await receiver.queue('/dead', 60);
    await Promise.all(
      [deliverer(300), deliverer(300), deliverer(300)].map((each) => each.deliverDue()),
    );
    expect(seen('/dead')).toBeLessThanOrEqual(15);
    const after = await counts('/dead');
    expect(after.reduce((sum, { count }) => sum + count, 0)).toBe(60);
    expect(after.reduce((sum, { attempts, count }) => sum + attempts * count, 0)).toBe(
      seen('/dead'),
    );
    expect(after.reduce((sum, { deliveries, count }) => sum + deliveries * count, 0)).toBe(
      seen('/dead'),
    );
  });

  it('is handled in great number', async () => {
    for (let turn = 0; turn < 60; turn += 1) await receiver.queue(`/dead/${turn}`, 3);
    await receiver.queue('/live', 4);
    const hanging: ServerResponse[] = [];
    receiver.answer = ({ path }, response) =>
      path === '/live' ? 200 : hanging.push(response) && null;
    const deliver = deliverer(60_000);
    await deliver.begin();
    await expect.poll(() => seen('/live'), { interval: 5 }).toBe(4);
    await expect.poll(() => hanging.length).toBe(180);
    for (const response of hanging) response.destroy();
    await deliver.idle();
    expect(seen('/dead')).toBe(180);
  });

  it('fails its callbacks after 72 hours; a gateway that was down still tries', async () => {
    const { clock } = receiver.context;
    receiver.answer = dies;
    await receiver.queue('/dead', 20);
    const deliver = deliverer();
    await deliver.deliverDue();
    await receiver.queue('/live', 1);
    clock.advance(73 * 3_600_000);
    await deliver.deliverDue();
    expect(await counts('/live')).toEqual([
      { state: 'delivered', attempts: 1, deliveries: 1, count: 1 },
    ]);
    const after = await counts('/dead');
    expect(after.reduce((sum, { state, count }) => sum + (state === 'failed' ? count : 0), 0)).toBe(
      20,
    );
    expect(after.every(({ attempts, deliveries }) => attempts === deliveries)).toBe(true);
  });
});

describe('a receiver that', () => {
  it('refuses callbacks is alive: each is tried', async () => {
    receiver.answer = () => 422;
    await receiver.queue('/picky', 30);
    await deliverer().deliverDue();
    expect(seen('/picky')).toBe(30);
  });

  it('is slow delays no other path of its host', async () => {
    receiver.answer = ({ path }, response) => {
      if (path === '/live') return 200;
      setTimeout(() => response.end(), 250);
      return null;
    };
    await receiver.queue('/slow', 40);
    await receiver.queue('/live', 4);
    const deliver = deliverer(5_000);
    await deliver.begin();
    await expect.poll(() => seen('/live'), { interval: 5 }).toBe(4);
    expect(seen('/slow')).toBeLessThan(40);
    await deliver.deliverDue();
    // The concurrency grows with each answer.
    expect(seen('/slow')).toBe(40);
  });
});

it('a committed callback is sent at once, without polling', async () => {
  const listening = deliverer().listen();
  await receiver.queue('/now', 3);
  await expect.poll(() => seen('/now'), { interval: 5 }).toBe(3);
  await listening.stop();
  await receiver.queue('/now', 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(seen('/now')).toBe(3);
});

describe('a breaker', () => {
  it('widens with success and narrows with failure, between one and its limit', () => {
    const breaker = new Breaker(6);
    expect(breaker.width(0)).toBe(4);
    for (let turn = 0; turn < 5; turn += 1) expect(breaker.succeeded()).toBe(false);
    expect(breaker.width(0)).toBe(6);
    breaker.failed(0);
    expect(breaker.width(0)).toBe(3);
    for (let turn = 0; turn < 3; turn += 1) breaker.failed(0);
    expect([breaker.width(0), breaker.isOpen]).toEqual([1, false]);
  });

  it('counts failures in a row only', () => {
    const breaker = new Breaker(6);
    for (let turn = 0; turn < 40; turn += 1) {
      expect(breaker.failed(0)).toBe(false);
      if (turn % 4 === 3) breaker.succeeded();
    }
  });

  it('opens at the fifth, for 5 s and twice as long with each failed probe, up to a minute', () => {
    const breaker = new Breaker(6);
    for (let turn = 0; turn < 4; turn += 1) expect(breaker.failed(0)).toBe(false);
    expect(breaker.failed(0)).toBe(true);
    // Requests that were already running add no information.
    expect(breaker.failed(1)).toBe(false);
    let at = 0;
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      expect([
        breaker.width(at + seconds * 1_000 - 1),
        breaker.width(at + seconds * 1_000),
      ]).toEqual([0, 1]);
      at += seconds * 1_000;
      expect(breaker.failed(at)).toBe(false);
    }
    expect(breaker.succeeded()).toBe(true);
    expect([breaker.isOpen, breaker.isUnremarkable]).toEqual([false, true]);
  });
});
