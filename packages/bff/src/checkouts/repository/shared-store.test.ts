import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { choose, setUp } from '../../../test/support/bench.ts';

/** A store like PostgreSQL: every process is notified of the writes of the others. */
function createSharedStore(): Store {
  const store = createMemoryStore();
  const listeners = new Set<(key: string) => void>();
  return {
    ...store,
    async write(key, value, revision) {
      const written = await store.write(key, value, revision);
      if (written) for (const listener of listeners) setImmediate(() => listener(key));
      return written;
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

describe('two processes that share a store', () => {
  const two = async () => {
    const bench = setUp({ store: createSharedStore() });
    const one = bench.bff;
    const other = bench.restart();
    await Promise.all([one.start(), other.start()]);
    bench.bff = one;
    return { bench, one, other, end: () => Promise.all([one.close(), other.close()]) };
  };

  it('update each other’s pages', async () => {
    const { bench, other, end } = await two();
    const { id, payment } = await choose(bench);
    const answer = await other.request(`/checkouts/${id}/events`);
    const reader = answer.body!.getReader();
    let text = '';
    const reading = (async () => {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
        text += new TextDecoder().decode(chunk.value);
    })();
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    expect(await bench.call('invoice_confirmed', payment.invoice_id)).toBe(200);
    await expect.poll(() => text).toContain('"stage":"paid"');
    await reader.cancel();
    await reading;
    await end();
  });

  it('notify the shop once, and one takes over when the other ends', async () => {
    const { bench, other, end } = await two();
    const { payment } = await choose(bench);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await bench.call('invoice_confirmed', payment.invoice_id);
    for (let second = 0; second < 5; second += 1) {
      bench.advance(1);
      await other.tick();
    }
    expect(bench.events.map(({ event }) => event)).toEqual(['checkout.seen', 'checkout.paid']);

    // The first process is idle from here on.
    const [payments] = bench.service.transactions;
    bench.service.confirm(payments!, 6);
    for (let second = 0; second < 40; second += 1) {
      bench.advance(1);
      await other.tick();
    }
    expect(bench.events.map(({ event }) => event)).toEqual([
      'checkout.seen',
      'checkout.paid',
      'checkout.complete',
    ]);
    await end();
  });
});
