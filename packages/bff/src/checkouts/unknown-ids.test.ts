import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Bench, choose, open, setUp, token } from '../../test/support/bench.ts';
import { TestService } from '../../test/support/fake-service.ts';
import { RateLimiter } from '@crypto-checkout/protocol/rate-limiter';
import { DEFAULT_RATE_LIMIT } from '../options.ts';

/** A BFF with the default limits, and a service that limits its key in the same way. */
function withDefaultLimits(): { bench: Bench; service: TestService; refusals: () => number } {
  const service = new TestService();
  const key = new RateLimiter(DEFAULT_RATE_LIMIT);
  let refused = 0;
  const bench = setUp({
    rateLimit: DEFAULT_RATE_LIMIT,
    socketAddress: (c) => c.req.header('x-test-address') ?? null,
    now: () => service.time,
    fetch: async (input, init) => {
      if (key.take('', service.time) === 0) return service.fetch(input, init);
      refused += 1;
      const body = { result: 'error', reason: 'RateLimited', message: 'slowly', request_id: 'r' };
      return Response.json(body, { status: 429, headers: { 'retry-after': '1' } });
    },
  });
  return { bench, service, refusals: () => refused };
}

const from = (address: string): Record<string, string> => ({ 'x-test-address': address });

/** Forms of requests that need the invoice of an id. */
const PATHS: readonly ((id: string) => string)[] = [
  (id) => `/checkouts/${id}`,
  (id) => `/invoice/${id}/`,
  (id) => `/sdk/v1/invoices/status/?id=${id}`,
  (id) => `/sdk/v1/invoices/qr/${id}/`,
];

describe('look-ups of unknown ids', () => {
  it('leave the requests to the service that choices of buyers need', async () => {
    const { bench, service, refusals } = withDefaultLimits();
    const strangers = [
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.3',
      '192.0.2.4',
      '192.0.2.5',
      '192.0.2.6',
    ];
    const outcomes: number[] = [];
    const answers = new Set<number>();
    for (let step = 0; step < 100; step += 1) {
      service.advance(0.1);
      const asked = strangers.flatMap((address) =>
        PATHS.map((path) => bench.get(path(randomUUID()), from(address))),
      );
      for (const { status } of await Promise.all(asked)) answers.add(status);
      if (step % 5 !== 0) continue;
      const headers = from(`198.51.100.${step}`);
      const order = token({ order_id: `B-${step}` });
      const { body } = await bench.post('/checkouts', { order }, headers);
      const path = `/checkouts/${body.id}/payment`;
      outcomes.push((await bench.post(path, { kind: 'BTC' }, headers)).status);
      await bench.bff.tick();
    }
    expect(outcomes).toEqual(outcomes.map(() => 200));
    expect(outcomes).toHaveLength(20);
    expect([...answers].toSorted((a, b) => a - b)).toEqual([404, 429]);
    expect(refusals()).toBe(0);
  });

  it('are refused with the time to wait, and known checkouts are not', async () => {
    const { bench, service } = withDefaultLimits();
    const { id, payment } = await choose(bench);
    const unknown = (): string => PATHS[2]!(randomUUID());
    for (let count = 0; count < 100; count += 1)
      await bench.get(unknown(), from(`2001:db8:0:${count.toString(16)}::1`));
    const refused = await bench.get(unknown());
    expect([refused.status, refused.body.reason]).toEqual([429, 'RateLimited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const path of PATHS)
      expect((await bench.get(path(payment.invoice_id), from('192.0.2.9'))).status).toBe(200);
    expect((await bench.get(`/pay/${id}/`, from('192.0.2.9'))).status).toBe(200);
    expect((await open(bench, { order_id: 'A-2' })).stage).toBe('choose');
    // A callback is signed, so its invoice is always looked up.
    bench.restart({ store: (await import('../store/memory.ts')).createMemoryStore() });
    for (let count = 0; count < 100; count += 1)
      await bench.get(unknown(), from(`2001:db8:0:${count.toString(16)}::1`));
    bench.clock.now = service.time;
    const invoice = service.pay(payment.invoice_id, { confirmations: 1 });
    const callback = service.callback('transaction_confirmed', invoice.id, { at: service.time });
    expect((await bench.bff.request(callback)).status).toBe(200);
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.paid']);
    service.advance(5);
    expect((await bench.get(unknown())).status).toBe(404);
  });

  it('do not count when the invoice exists', async () => {
    const bench = setUp({
      rateLimit: DEFAULT_RATE_LIMIT,
      socketAddress: (c) => c.req.header('x-test-address') ?? null,
    });
    for (let count = 0; count < 40; count += 1) {
      await choose(setUp({ fetch: bench.service.fetch, now: () => bench.clock.now }), 'BTC', {
        order_id: `P-${count}`,
      });
    }
    for (const [at, { id }] of bench.service.invoices.entries())
      expect((await bench.get(`/invoice/${id}/`, from(`198.51.100.${at}`))).status).toBe(200);
  });
});
