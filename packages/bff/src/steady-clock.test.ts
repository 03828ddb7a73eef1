import { describe, expect, it } from 'vitest';
import { type Bench, choose, open, setUp } from '../test/support/bench.ts';
import { createSteadyClock } from './steady-clock.ts';

const DAY = 24 * 3600;
/** The order is valid at all times of the test. */
const LONG = { exp: 2e9 };
const LIMITED = {
  rateLimit: { perSecond: 20, burst: 60 },
  socketAddress: () => '192.0.2.1',
} as const;

/** Sets the own clock alone; the service's clock goes on. */
function step(bench: Bench, seconds: number): void {
  bench.clock.now += seconds * 1000;
}

/** Advances time with one poll cycle per second. */
async function pass(bench: Bench, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    bench.advance(1);
    await bench.bff.tick();
  }
}

it('steady time goes on where the clock steps back', () => {
  const clock = { now: 5000 };
  const steady = createSteadyClock(() => clock.now);
  const times = [5000, 6000, 1000, 1500, 500, 700, 9000].map((now) => {
    clock.now = now;
    return steady();
  });
  expect(times).toEqual([5000, 6000, 6000, 6500, 6500, 6700, 15_000]);
});

describe('after the clock was set back', () => {
  it.each([60, 2 * DAY])('by %i s, known callers are served', async (seconds) => {
    const bench = setUp(LIMITED);
    step(bench, seconds);
    const { id } = await choose(bench, 'BTC', LONG);
    const forged = { authorization: 'Bearer wrong' };
    await bench.post('/checkouts', { order: {} }, forged);
    step(bench, -seconds);
    expect((await bench.get(`/checkouts/${id}`)).status).toBe(200);
    expect((await open(bench, { ...LONG, order_id: 'A-2' })).stage).toBe('choose');
    expect((await bench.post('/checkouts', { order: {} }, forged)).status).toBe(401);
  });

  it('open checkouts are polled, and their streams stay alive', async () => {
    const bench = setUp(LIMITED);
    step(bench, 2 * DAY);
    const { id, payment } = await choose(bench, 'BTC', LONG);
    await pass(bench, 2);
    const stream = await bench.bff.request(`/checkouts/${id}/events`);
    const reader = stream.body!.getReader();
    const texts: string[] = [];
    const reading = (async () => {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
        texts.push(new TextDecoder().decode(chunk.value));
    })();
    step(bench, -2 * DAY);
    await pass(bench, 20);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await pass(bench, 20);
    expect((await bench.get(`/checkouts/${id}`)).body.stage).toBe('paid');
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.paid']);
    expect(texts.filter((text) => text.startsWith(': ')).length).toBeGreaterThan(0);
    await reader.cancel();
    await reading;
  });

  it('a view without polls is read again, and counts down by the service', async () => {
    const bench = setUp();
    step(bench, 2 * DAY);
    const { id, payment } = await choose(bench, 'BTC', LONG);
    bench.advance(20);
    await bench.get(`/checkouts/${id}`);
    step(bench, -2 * DAY);
    await pass(bench, 1);
    bench.advance(30);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    const { body } = await bench.get(`/checkouts/${id}`);
    expect(body.stage).toBe('paid');
    expect(Math.abs(Date.parse(body.server_time) - bench.service.time)).toBeLessThan(2000);
  });

  it('rates and the profile are loaded again', async () => {
    const bench = setUp();
    step(bench, 2 * DAY);
    await open(bench, LONG);
    const loads = (): number => bench.service.count('GET', /rates|profiles/);
    const before = loads();
    step(bench, -2 * DAY);
    await pass(bench, 1);
    bench.advance(6 * 60);
    await open(bench, { ...LONG, order_id: 'A-2' });
    await expect.poll(loads).toBe(before + 2);
  });

  it('an id that was unknown is looked up again', async () => {
    const bench = setUp();
    const { payment } = await choose(bench, 'BTC', LONG);
    const other = setUp({ fetch: bench.service.fetch, now: () => bench.clock.now });
    const invoices = bench.service.invoices.splice(0);
    step(bench, 2 * DAY);
    const path = `/sdk/v1/invoices/status/?id=${payment.invoice_id}`;
    expect((await other.get(path)).status).toBe(404);
    bench.service.invoices.push(...invoices);
    step(bench, -2 * DAY);
    await other.bff.tick();
    bench.advance(10);
    expect((await other.get(path)).status).toBe(200);
  });

  it('a refused webhook is sent again by its schedule, also after a restart', async () => {
    for (const restarts of [false, true]) {
      const bench = setUp();
      step(bench, 2 * DAY);
      const { payment } = await choose(bench, 'BTC', LONG);
      await pass(bench, 1);
      bench.shopAccepts.value = false;
      bench.service.pay(payment.invoice_id, { confirmations: 1 });
      await pass(bench, 20);
      step(bench, -2 * DAY);
      if (restarts) await bench.restart().start();
      bench.shopAccepts.value = true;
      await pass(bench, 90);
      expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.paid']);
      await bench.bff.close();
    }
  });

  it('a lost answer of the service blocks its coin for the usual wait only', async () => {
    const bench = setUp();
    const { id } = await open(bench, LONG);
    step(bench, 2 * DAY);
    bench.service.faults.push({ method: 'POST', how: 'down', path: /invoices/, times: 1 });
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).status).toBe(503);
    step(bench, -2 * DAY);
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).status).toBe(503);
    bench.advance(12);
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'BTC' })).status).toBe(200);
    expect(bench.service.invoices).toHaveLength(1);
  });
});
