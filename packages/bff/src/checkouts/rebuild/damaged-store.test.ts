import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Bench, choose, open, setUp, token } from '../../../test/support/bench.ts';
import { createFileStore } from '../../store/file.ts';

const root = mkdtempSync(join(tmpdir(), 'bff-damaged-'));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

let count = 0;
/** A BFF over files, and its log. */
function onFiles() {
  const folder = join(root, String((count += 1)));
  const errors: Record<string, unknown>[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (fields: Record<string, unknown>) => void errors.push(fields),
  };
  const bench = setUp({ store: createFileStore(folder), log });
  return { bench, folder, errors };
}

const filesIn = (folder: string, noun: string): string[] =>
  readdirSync(join(folder, noun), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.json'))
    .map((name) => join(folder, noun, name));

/** Starts another process on the same folder. */
async function startAgain(bench: Bench, folder: string): Promise<void> {
  await bench.bff.close();
  await bench.restart({ store: createFileStore(folder) }).start();
}

async function pass(bench: Bench, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    bench.advance(1);
    await bench.bff.tick();
  }
}

const eventsOf = (bench: Bench): string[] =>
  bench.events.map(({ event, order_id }) => `${order_id} ${event}`);

describe('a damaged checkout', () => {
  const whole = (text: string): string => text;
  it.each([
    ['empty', () => ''],
    ['cut in its record', (text: string) => text.slice(0, text.length / 2)],
    ['of another form', () => '3\n{"id":"other"}'],
    ['of zeros', (text: string) => '\0'.repeat(text.length)],
  ] as [string, typeof whole][])('that is %s is rebuilt from its invoices', async (_, damage) => {
    const { bench, folder, errors } = onFiles();
    const { id, payment } = await choose(bench);
    await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' });
    await choose(bench, 'BTC', { order_id: 'A-2' });
    const [path = ''] = filesIn(folder, 'checkout').filter((file) => file.includes(id));
    const damaged = damage(readFileSync(path, 'utf8'));
    writeFileSync(path, damaged);

    await startAgain(bench, folder);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await pass(bench, 20);
    expect(eventsOf(bench)).toEqual(['A-1 checkout.seen', 'A-1 checkout.paid']);
    const { status, body } = await bench.get(`/checkouts/${id}`);
    expect([status, body.stage, body.id]).toEqual([200, 'paid', id]);
    const again = await bench.post('/checkouts', { order: token() });
    expect([again.status, again.body.stage]).toEqual([201, 'paid']);

    expect(readFileSync(`${path}.damaged`, 'utf8')).toBe(damaged);
    expect(errors.map(({ event, checkout_id }) => [event, checkout_id])).toEqual([
      ['checkout_damaged', id],
    ]);
    expect(bench.bff.metrics()).toContain('bff_damaged_checkouts_total 1');
    await bench.bff.close();
  });

  it('does not open again as unpaid while the service does not answer', async () => {
    const { bench, folder } = onFiles();
    const { id, payment } = await choose(bench);
    bench.service.pay(payment.invoice_id, { confirmations: 6 });
    const [path = ''] = filesIn(folder, 'checkout');
    writeFileSync(path, '');
    await bench.bff.close();
    bench.restart({ store: createFileStore(folder) });
    await bench.get('/readyz');
    for (const how of ['down', '500', 'html'] as const) {
      bench.service.faults.push({ how, path: /invoices/, times: 2 });
      expect((await bench.post('/checkouts', { order: token() })).status).toBe(503);
      bench.service.faults.length = 0;
      bench.service.faults.push({ how, path: /transactions/, times: 2 });
      expect((await bench.get(`/checkouts/${id}`)).status).toBe(503);
      bench.service.faults.length = 0;
    }
    expect((await bench.post('/checkouts', { order: token() })).body.stage).toBe('complete');
    await bench.bff.close();
  });

  it('without an invoice opens anew', async () => {
    const { bench, folder } = onFiles();
    const { id } = await open(bench);
    const [path = ''] = filesIn(folder, 'checkout');
    writeFileSync(path, '');
    await startAgain(bench, folder);
    expect((await bench.get(`/checkouts/${id}`)).status).toBe(404);
    expect((await open(bench)).id).toBe(id);
    expect(readdirSync(join(path, '..'))).toContain(`${basename(path)}.damaged`);
    await bench.bff.close();
  });

  it('of a single invoice without an order is rebuilt too', async () => {
    const { bench, folder } = onFiles();
    const { payment } = await choose(bench);
    const invoice = bench.service.invoice(payment.invoice_id);
    invoice.passthrough = null;
    const store = createFileStore(join(folder, 'second'));
    bench.restart({ store });
    await bench.get(`/checkouts/${invoice.id}`);
    const [path = ''] = filesIn(join(folder, 'second'), 'checkout');
    writeFileSync(path, '');
    bench.restart({ store: createFileStore(join(folder, 'second')) });
    const { status, body } = await bench.get(`/checkouts/${invoice.id}`);
    expect([status, body.payment.invoice_id]).toEqual([200, invoice.id]);
  });

  it('is written again by the process that holds it in memory', async () => {
    const { bench, folder } = onFiles();
    const { id } = await choose(bench);
    const [path = ''] = filesIn(folder, 'checkout');
    writeFileSync(path, '');
    expect((await bench.post(`/checkouts/${id}/payment`, { kind: 'LTC' })).status).toBe(200);
    await startAgain(bench, folder);
    expect((await bench.get(`/checkouts/${id}`)).body.payment.kind).toBe('LTC');
    await bench.bff.close();
  });

  it('is found by its invoice when only the index is damaged', async () => {
    const { bench, folder } = onFiles();
    const { id, payment } = await choose(bench);
    for (const noun of ['invoice', 'open'])
      for (const path of filesIn(folder, noun)) writeFileSync(path, '');
    await startAgain(bench, folder);
    const { body } = await bench.get(`/checkouts/${payment.invoice_id}`);
    expect(body.order.order_id).toBe('A-1');
    expect((await open(bench)).id).toBe(id);
    bench.service.pay(payment.invoice_id, { confirmations: 1 });
    await pass(bench, 20);
    expect(eventsOf(bench)).toEqual(['A-1 checkout.seen', 'A-1 checkout.paid']);
    await bench.bff.close();
  });
});

describe('a lost folder of checkouts', () => {
  it('is rebuilt at the start, and the shop gets its webhooks', async () => {
    const { bench, folder } = onFiles();
    for (let order = 0; order < 60; order += 1)
      await choose(bench, 'BTC', { order_id: `L-${order}` });
    const [first, , third] = bench.service.invoices;
    bench.service.pay(first?.id ?? '', { confirmations: 6 });
    rmSync(folder, { recursive: true });
    await startAgain(bench, folder);
    const toldAfterASecond = async () => {
      await pass(bench, 1);
      return eventsOf(bench).toSorted();
    };
    await expect
      .poll(toldAfterASecond)
      .toEqual(['L-0 checkout.complete', 'L-0 checkout.paid', 'L-0 checkout.seen']);
    expect((await open(bench, { order_id: 'L-0' })).stage).toBe('complete');
    expect((await open(bench, { order_id: 'L-2' })).payment.invoice_id).toBe(third?.id);
    expect((await open(bench, { order_id: 'new' })).stage).toBe('choose');

    // Another start finds the store complete.
    const lists = (): number => bench.service.count('GET', /invoices\/$/);
    const before = lists();
    await startAgain(bench, folder);
    await pass(bench, 2);
    expect(lists()).toBe(before);
    await bench.bff.close();
  });

  it('opens no order while the list of the service is not read', async () => {
    const { bench, folder } = onFiles();
    const { id } = await choose(bench);
    bench.service.pay(bench.service.invoices[0]?.id ?? '', { confirmations: 6 });
    rmSync(folder, { recursive: true });
    bench.service.faults.push({ how: 'down', path: /invoices\/$/, times: 6 });
    await startAgain(bench, folder);
    const refused = await bench.post('/checkouts', { order: token() });
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true]);
    expect((await bench.get(`/checkouts/${id}`)).status).toBe(503);
    const stageAfterASecond = async () => {
      await pass(bench, 1);
      return (await bench.post('/checkouts', { order: token() })).body.stage;
    };
    await expect.poll(stageAfterASecond).toBe('complete');
    await bench.bff.close();
  });

  it('continues after a stop in the middle', async () => {
    const { bench, folder } = onFiles();
    for (let order = 0; order < 60; order += 1)
      await choose(bench, 'BTC', { order_id: `M-${order}` });
    rmSync(folder, { recursive: true });
    bench.service.faults.push({ how: 'down', path: /transactions|profiles|exchange/, times: 1 });
    bench.service.pay(bench.service.invoices[0]?.id ?? '', { confirmations: 6 });
    await startAgain(bench, folder);
    await startAgain(bench, folder);
    await pass(bench, 20);
    expect((await open(bench, { order_id: 'M-0' })).stage).toBe('complete');
    await bench.bff.close();
  });

  it('of an earlier version is complete', async () => {
    const { bench, folder } = onFiles();
    await choose(bench);
    const lists = bench.service.count('GET', /invoices\/$/);
    await startAgain(bench, folder);
    await pass(bench, 2);
    expect(bench.service.count('GET', /invoices\/$/)).toBe(lists);
    await bench.bff.close();
  });
});

it('leftovers of killed writes are removed at the start, and damaged entries are kept', async () => {
  const { bench, folder } = onFiles();
  await choose(bench);
  const [path = ''] = filesIn(folder, 'checkout');
  writeFileSync(`${path}.0123456789ab.next`, 'half');
  writeFileSync(join(folder, 'probe.0123456789ab.next'), 'half');
  writeFileSync(`${path}.damaged`, 'kept');
  await startAgain(bench, folder);
  const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => name.endsWith('.next'))).toEqual([]);
  expect(left.filter((name) => name.endsWith('.damaged'))).toHaveLength(1);
  await bench.bff.close();
});
