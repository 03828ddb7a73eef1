import { type AddressInfo, type Socket, createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { verifyReceipt } from '@crypto-checkout/client';
import { afterEach, describe, expect, it } from 'vitest';
import { type Bench, choose, payHalves, setUp } from '../../test/support/bench.ts';
import { createMailer } from '../host/mailer.ts';
import type { Log } from '../options.ts';

const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
  accept: 'text/html',
};
const servers: SMTPServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A real SMTP server on this machine; addresses that begin with `no` are refused. */
async function smtp(at = 0) {
  const mails: { to: string[]; raw: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    logger: false,
    closeTimeout: 50,
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('no') ? new Error(`no such user ${address}`) : null),
    onData(stream, { envelope }, done) {
      let raw = '';
      stream.on('data', (chunk: Buffer) => (raw += chunk.toString('utf8')));
      stream.on('end', () => {
        mails.push({ raw, to: envelope.rcptTo.map(({ address }) => address) });
        done();
      });
    },
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const mailer = createMailer({
    smtpUrl: `smtp://127.0.0.1:${port}`,
    from: 'Shop <r@shop.example>',
  });
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { mails, mailer, port, stop };
}

async function paidOrder(bench: Bench, orderId = 'A-1') {
  const { id, payment } = await choose(bench, 'BTC', { order_id: orderId });
  const paid = bench.service.pay(payment.invoice_id, { confirmations: 6 });
  await bench.call('transaction_complete', paid.id);
  const send = (email: string, headers: Record<string, string> = FORM) =>
    bench.post(`/pay/${id}/receipt`, new URLSearchParams({ email }).toString(), headers);
  return { id, paid, send };
}

describe('a receipt by e-mail', () => {
  it('is offered for late money that counts, and for parts in two coins', async () => {
    const { mails, mailer } = await smtp();
    const bench = setUp({ mailer, latePayments: 'accept' });
    const late = await choose(bench);
    bench.advance(901);
    const paid = bench.service.pay(late.payment.invoice_id, { confirmations: 6 });
    await bench.call('transaction_complete', paid.id);
    const parts = await choose(bench, 'LTC', { order_id: 'A-2' });
    await payHalves(bench, parts);
    for (const { id } of [late, parts]) {
      expect((await bench.get(`/checkouts/${id}`)).body.mails_receipt).toBe(true);
      const email = new URLSearchParams({ email: 'buyer@example.com' }).toString();
      expect((await bench.post(`/pay/${id}/receipt`, email, FORM)).status).toBe(303);
    }
    expect(mails).toHaveLength(2);
  });

  it('is not offered for late money that is less than the price: no receipt is signed', async () => {
    const { mailer } = await smtp();
    const bench = setUp({ mailer, latePayments: 'accept' });
    const { id, payment } = await choose(bench);
    // The BFF's rates are older than half an hour: it loads them anew.
    bench.advance(1801);
    // Half the coins, which are worth the price when they arrive.
    bench.service.rates['BTC'] = '100000';
    const late = bench.service.pay(payment.invoice_id, { amount: '0.0005', confirmations: 6 });
    await bench.call('transaction_complete', late.id);
    const { stage, notes, mails_receipt, lacks_receipt } = (await bench.get(`/checkouts/${id}`))
      .body;
    expect([stage, mails_receipt, lacks_receipt]).toEqual(['complete', undefined, true]);
    expect(notes).toContain('late_accepted');
    expect((await bench.get(`/pay/${id}/receipt`)).status).toBe(409);
  });

  it('is sent to the buyer with the signed file, and nothing of the address stays', async () => {
    const { mails, mailer } = await smtp();
    const lines: string[] = [];
    const write = (fields: Record<string, unknown>, message: string): void =>
      void lines.push(JSON.stringify([fields, message]));
    const log: Log = { info: write, warn: write, error: write };
    const bench = setUp({ mailer, log });
    const { id, paid, send } = await paidOrder(bench);
    const { mails_receipt, lacks_receipt } = (await bench.get(`/checkouts/${id}`)).body;
    expect([mails_receipt, lacks_receipt]).toEqual([true, undefined]);
    const page = await bench.get(`/pay/${id}/receipt`, { accept: 'text/html' });
    expect(page.body).toContain('Send this receipt by email');
    // A link alone does not say that it was sent.
    const linked = await bench.get(`/pay/${id}/receipt?mailed=1`, { accept: 'text/html' });
    expect(linked.body).not.toContain('Receipt sent.');
    const answer = await send('buyer@example.com');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '?mailed=1']);
    const [cookie = '', ...attributes] = answer.headers.get('set-cookie')!.split('; ');
    expect(attributes).toEqual([
      `Path=/pay/${id}/receipt`,
      'Max-Age=600',
      'HttpOnly',
      'SameSite=Lax',
      'Secure',
    ]);
    const after = (headers = {}) =>
      bench.get(`/pay/${id}/receipt?mailed=1`, { accept: 'text/html', ...headers });
    for (const reloaded of [await after({ cookie }), await after({ cookie })])
      expect([reloaded.status, reloaded.body.includes('Receipt sent.')]).toEqual([200, true]);
    // Another person with the same link has sent nothing.
    for (const stranger of [await after(), await after({ cookie: 'receipt_sent=another' })])
      expect(stranger.body.includes('Receipt sent.')).toBe(false);
    expect(mails).toHaveLength(1);
    const [{ to, raw } = { to: [], raw: '' }] = mails;
    expect(to).toEqual(['buyer@example.com']);
    expect(raw).toMatch(/^Subject: =\?UTF-8\?Q\?Receipt_/m);
    expect(raw).toMatch(/^From: Shop <r@shop\.example>/m);
    const text = raw.replaceAll(/=\r\n/g, '');
    for (const part of [paid.txid, 'A-1', `https://pay.test/pay/${id}/receipt`])
      expect(text).toContain(part);
    const encoded = /filename="?receipt-A-1\.jws"?\r\n(?:[^\r\n]+\r\n)*\r\n([\w+/=\r\n]+)/.exec(
      raw,
    )?.[1];
    const jws = Buffer.from(encoded ?? '', 'base64').toString();
    const keys = [bench.service.receiptKey.publicKey.export({ format: 'jwk' }).x!];
    expect(await verifyReceipt(jws, { keys, allowTestnet: true })).toMatchObject({
      order_id: 'A-1',
    });
    expect(JSON.stringify(await bench.store.read(`checkout/${id}`))).not.toContain('buyer@');
    await send('nobody@example.com');
    expect(lines.join('\n')).toContain('receipt_not_mailed');
    expect(lines.join('\n')).not.toContain('example.com');
  });

  it('is not waited for longer than the deadline, however slowly a server answers', async () => {
    const sockets = new Set<Socket>();
    const drip = createServer((socket) => {
      sockets.add(socket);
      socket.write('220 slow\r\n');
      socket.on('error', () => undefined);
      // Every line resets the limits of the connection.
      const timer = setInterval(() => socket.write('250-more\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => drip.listen(0, '127.0.0.1', resolve));
    const mailer = createMailer({
      smtpUrl: `smtp://127.0.0.1:${(drip.address() as AddressInfo).port}`,
      from: 'r@shop.example',
      deadlineMs: 200,
    });
    const bench = setUp({ mailer });
    const { id, send } = await paidOrder(bench);
    expect((await send('buyer@example.com')).status).toBe(503);
    expect((await bench.get(`/checkouts/${id}`)).body.mails_receipt).toBe(true);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => drip.close(resolve));
  });

  it('is sent three times an order, and at most ten times a day to one address', async () => {
    const { mails, mailer } = await smtp();
    const bench = setUp({ mailer });
    const { id, send } = await paidOrder(bench);
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => send(`${name}@example.com`)),
    );
    const sent = answers.filter(({ status }) => status === 303);
    const refused = answers.filter(({ status }) => status === 429);
    expect([sent.length, refused.length]).toEqual([3, 2]);
    expect((await bench.get(`/checkouts/${id}`)).body.mails_receipt).toBeUndefined();
    const statuses: number[] = [];
    for (let order = 0; order < 8; order += 1) {
      const other = await paidOrder(bench, `B-${order}`);
      statuses.push((await other.send('Same@example.com')).status);
    }
    expect(statuses.filter((status) => status === 303)).toHaveLength(5);
    expect(new Set(statuses.slice(5))).toEqual(new Set([429]));
    expect(mails).toHaveLength(8);
    const later = await paidOrder(bench, 'C');
    bench.advance(24 * 3600);
    expect((await later.send('same@example.com')).status).toBe(303);
  });

  it('is not sent for a price that a page set, before the order is paid, or without a server', async () => {
    const { mails, mailer } = await smtp();
    const bench = setUp({ mailer });
    const { id } = await choose(bench);
    const early = await bench.post(`/pay/${id}/receipt`, 'email=a%40example.com', FORM);
    expect(early.status).toBe(409);
    const without = setUp();
    const order = await paidOrder(without);
    expect((await order.send('a@example.com')).status).toBe(404);
    expect(
      (await without.get(`/pay/${order.id}/receipt`, { accept: 'text/html' })).body,
    ).not.toContain('<form');
    const offers = setUp({ mailer, allowClientPrices: true });
    const { body } = await offers.post(
      '/checkouts',
      { offer: { amount: '5', currency: 'USD' } },
      { origin: 'https://shop.test' },
    );
    const chosen = await offers.post(`/checkouts/${body.id}/payment`, { kind: 'BTC' });
    const paid = offers.service.pay(chosen.body.payment.invoice_id, { confirmations: 6 });
    await offers.call('transaction_complete', paid.id);
    const refused = await offers.post(`/pay/${body.id}/receipt`, 'email=a%40example.com', FORM);
    expect(refused.status).toBe(409);
    expect(mails).toEqual([]);
  });

  it('counts for no limit while the mail server cannot be reached', async () => {
    const { mailer, port, stop } = await smtp();
    const bench = setUp({ mailer });
    const { id, send } = await paidOrder(bench);
    await stop();
    for (let times = 0; times < 7; times += 1)
      expect((await send('buyer@example.com')).status).toBe(503);
    expect((await bench.get(`/checkouts/${id}`)).body.mails_receipt).toBe(true);
    const { mails } = await smtp(port);
    expect((await send('buyer@example.com')).status).toBe(303);
    expect(mails).toHaveLength(1);
  });

  it('does not count for an address whose order is sent no more', async () => {
    const { mails, mailer } = await smtp();
    const bench = setUp({ mailer });
    const { send } = await paidOrder(bench);
    for (const name of ['a', 'b', 'c']) await send(`${name}@example.com`);
    for (let times = 0; times < 5; times += 1)
      expect((await send('victim@example.com')).status).toBe(429);
    const other = await paidOrder(bench, 'B');
    expect((await other.send('victim@example.com')).status).toBe(303);
    expect(mails).toHaveLength(4);
  });

  it('is not offered on the page of an invoice, which cannot send it', async () => {
    const { mailer } = await smtp();
    const bench = setUp({ mailer });
    const { id } = await paidOrder(bench);
    const invoice = (await bench.get(`/checkouts/${id}`)).body.payment.invoice_id;
    for (const path of [`/invoice/${invoice}/receipt`, `/pay/${invoice}/receipt`])
      expect((await bench.get(path, { accept: 'text/html' })).body, path).not.toContain('<form');
  });

  it('is refused for several addresses, a line break, and forms of other pages', async () => {
    const { mails, mailer } = await smtp();
    const bench = setUp({ mailer });
    const { send } = await paidOrder(bench);
    for (const email of [
      'a@example.com, b@example.com',
      'a@example.com\nBcc: b@example.com',
      'a',
      '',
    ])
      expect((await send(email)).status, email).toBe(400);
    const foreign = { ...FORM, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await send('a@example.com', foreign)).status).toBe(403);
    expect(mails).toEqual([]);
  });
});
