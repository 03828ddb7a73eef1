import { type AddressInfo, createServer } from 'node:net';
import { EMAIL_EVENTS, type Event } from '@crypto-checkout/protocol/event';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { transact } from '../database/database.ts';
import { queueCallbacks } from '../callback/queue.ts';
import { testShop, type ShownInvoice, type TestShop } from '../../test/support/shop.ts';
import { createMailer } from './mailer.ts';
import { NoticeSender } from './send.ts';
import { testSmtp, type TestSmtp } from '../../test/support/smtp.ts';

let shop: TestShop;
let smtp: TestSmtp;
let invoice: ShownInvoice;
let senders: NoticeSender[];
const lines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  shop = await testShop({ chains: ['bitcoin'], overrides: { log } });
  invoice = await shop.create({ passthrough: 'ORDER-4711', notes: 'NOTE-4711', amount: '100' });
});
afterAll(() => shop.close());
beforeEach(async () => {
  lines.length = 0;
  senders = [];
  smtp = await testSmtp({ disabledCommands: ['STARTTLS'] });
  configure(`smtp://127.0.0.1:${smtp.port}`);
  await want({});
});
afterEach(async () => {
  for (const each of senders) each.close();
  await smtp.close();
  for (const table of ['notice', 'callback'] as const)
    await shop.context.db.deleteFrom(table).execute();
});

function configure(url: string, publicUrl = 'https://pay.example'): void {
  const { context } = shop;
  context.config = loadConfig({
    SMTP_URL: url,
    SMTP_FROM: 'Shop <notices@shop.example>',
    PUBLIC_URL: publicUrl,
    LOG_LEVEL: 'silent',
  });
}

async function want({
  email = 'ops@shop.example',
  kinds = EMAIL_EVENTS as readonly string[],
  name = 'Default',
}): Promise<void> {
  const set = { notification_email: email, notification_email_kinds: [...kinds], name };
  await shop.context.db.updateTable('profile').set(set).where('id', '=', shop.profileId).execute();
}

async function happen(
  event: Event = 'invoice_pending',
  id = shop.context.ids.uuid(),
): Promise<string> {
  const { context, accountId, profileId } = shop;
  await transact(context.db, (trx) =>
    queueCallbacks(trx, context, [{ accountId, profileId, id, event, shown: { ...invoice, id } }]),
  );
  return id;
}

function sender(smtpUrl = shop.context.config.smtpUrl!): NoticeSender {
  const made = new NoticeSender(
    shop.context,
    createMailer({ smtpUrl, smtpFrom: shop.context.config.smtpFrom }),
  );
  senders.push(made);
  return made;
}

const rows = () =>
  shop.context.db
    .selectFrom('notice')
    .selectAll()
    .orderBy('created_at_real')
    .orderBy('id')
    .execute();
const refuse = (code: number, message: string) =>
  Object.assign(new Error(message), { responseCode: code });

describe('a notice', () => {
  it('is queued once per resource and event that the profile wants, in the same transaction', async () => {
    await want({ kinds: ['invoice_pending', 'invoice_complete'] });
    const id = await happen();
    await happen('invoice_pending', id);
    await happen('invoice_confirmed', id);
    await happen('invoice_complete', id);
    expect((await rows()).map(({ event }) => event).toSorted()).toEqual([
      'invoice_complete',
      'invoice_pending',
    ]);
    const { context, accountId, profileId } = shop;
    const failing = transact(context.db, async (trx) => {
      const event = {
        accountId,
        profileId,
        id: context.ids.uuid(),
        event: 'invoice_pending' as const,
        shown: invoice,
      };
      await queueCallbacks(trx, context, [event]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rows()).toHaveLength(2);
  });

  it('is not queued without an address, and without SMTP_URL one warning is logged', async () => {
    await shop.context.db.updateTable('profile').set({ notification_email: null }).execute();
    await happen();
    await want({});
    configure('');
    await happen();
    await happen();
    expect(await rows()).toEqual([]);
    expect(lines.filter((line) => line.includes('SMTP_URL is not set'))).toHaveLength(1);
  });

  it('is plain text and HTML, marked as automatic, without order details', async () => {
    const id = await happen('invoice_complete');
    await sender().sendDue();
    expect(smtp.received).toHaveLength(1);
    const [mail] = smtp.received;
    const [row] = await rows();
    expect(mail).toMatchObject({ from: 'notices@shop.example', to: ['ops@shop.example'] });
    expect(mail!.headers).toMatchObject({
      from: 'Shop <notices@shop.example>',
      to: 'ops@shop.example',
      subject: '[Test] Default: Invoice complete, 100.00 USD',
      'message-id': `<${row!.id}@shop.example>`,
      references: `<${id}@shop.example>`,
      'auto-submitted': 'auto-generated',
      'x-auto-response-suppress': 'All',
    });
    expect(mail!.headers['content-type']).toContain('multipart/alternative');
    for (const text of [
      'text/plain',
      'text/html',
      '0.002 BTC',
      'Bitcoin',
      'test network',
      `https://pay.example/invoice/${id}/`,
    ])
      expect(mail!.text).toContain(text);
    for (const secret of ['4711', invoice.address!]) expect(mail!.text).not.toContain(secret);
    expect(JSON.stringify(row)).not.toContain('4711');
    expect(row).toMatchObject({ state: 'sent', attempts: 1, locked_by: null });
  });

  it('reports each step of an on-chain payment', async () => {
    const paid = await shop.create();
    await shop.pay(paid.id);
    await shop.mine('BTC', 6);
    await sender().sendDue();
    const subjects = smtp.received.map(({ headers }) => headers['subject']!).toSorted();
    expect(subjects).toEqual(
      [
        'Invoice complete, 100.00 USD',
        'Invoice confirmed, 100.00 USD',
        'Invoice paid, not yet confirmed, 100.00 USD',
        'Payment complete, 0.002 BTC',
        'Payment confirmed, 0.002 BTC',
        'Payment seen, 0.002 BTC',
      ].map((subject) => `[Test] Default: ${subject}`),
    );
  });

  it('cannot be injected through a name', async () => {
    await want({
      name: 'A\r\nBcc: thief@evil.example\r\n\r\n<script>alert("1")</script>\u2028\u202E',
    });
    await happen();
    await want({ email: 'ops@shop.example\r\nRCPT TO:<thief@evil.example>' });
    await happen();
    await want({ email: 'ops@shop.example, thief@evil.example' });
    await happen();
    await sender().sendDue();
    expect(smtp.received).toHaveLength(1);
    const [mail] = smtp.received;
    expect(mail!.to).toEqual(['ops@shop.example']);
    expect(mail!.headers['bcc']).toBeUndefined();
    const htmlPart = mail!.text.slice(mail!.text.indexOf('<!doctype'));
    expect(htmlPart).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
    expect(htmlPart).not.toContain('<script');
    expect(mail!.text).not.toMatch(/[\u2028\u202E]/u);
    expect((await rows()).map(({ state }) => state).toSorted()).toEqual([
      'failed',
      'failed',
      'sent',
    ]);
  });
});

describe('an SMTP server', () => {
  it('is used with STARTTLS and a password where required', async () => {
    const strict = await testSmtp({
      authOptional: false,
      onAuth: ({ username, password }, _, done) =>
        username === 'ops' && password === 'pass/word'
          ? done(null, { user: username })
          : done(refuse(535, 'Bad password')),
    });
    await happen();
    const query = '?requireTLS=true&tls.rejectUnauthorized=false';
    await sender(`smtp://ops:wrong@127.0.0.1:${strict.port}${query}`).sendDue();
    expect(await rows()).toMatchObject([
      { state: 'pending', attempts: 0, error: expect.stringContaining('Bad password') },
    ]);
    // A certificate of another name is rejected.
    shop.context.clock.advance(5_000);
    await sender(`smtp://ops:pass%2Fword@127.0.0.1:${strict.port}?requireTLS=true`).sendDue();
    expect(await rows()).toMatchObject([{ state: 'pending', attempts: 0 }]);
    shop.context.clock.advance(5_000);
    await sender(`smtp://ops:pass%2Fword@127.0.0.1:${strict.port}${query}`).sendDue();
    expect(await rows()).toMatchObject([{ state: 'sent', attempts: 1 }]);
    expect(strict.received).toMatchObject([{ secure: true, user: 'ops' }]);
    await strict.close();
  });

  it('that is down is retried with growing pauses, without loss', async () => {
    const { port } = smtp;
    await smtp.close();
    for (let turn = 0; turn < 3; turn += 1) await happen();
    const sending = sender();
    await sending.sendDue();
    await sending.sendDue();
    expect(await rows()).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: 'pending', attempts: 0, locked_by: null })),
    );
    expect(lines.filter((line) => line.includes('the SMTP server can not be used'))).toHaveLength(
      1,
    );
    shop.context.clock.advance(5_000);
    await sending.sendDue();
    expect(lines.filter((line) => line.includes('the SMTP server can not be used'))).toHaveLength(
      2,
    );
    smtp = await testSmtp({ disabledCommands: ['STARTTLS'] }, port);
    shop.context.clock.advance(9_000);
    await sending.sendDue();
    expect(smtp.received).toEqual([]);
    shop.context.clock.advance(1_000);
    await sending.sendDue();
    expect(smtp.received).toHaveLength(3);
    expect(await rows()).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: 'sent', attempts: 1 })),
    );
  });

  it('that defers a message receives the same one later', async () => {
    let times = 0;
    await smtp.close();
    smtp = await testSmtp({
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_, __, done) => (times++ < 2 ? done(refuse(451, 'Try again later')) : done()),
    });
    await happen();
    const sending = sender(`smtp://127.0.0.1:${smtp.port}`);
    await sending.sendDue();
    expect(await rows()).toMatchObject([
      { state: 'pending', attempts: 1, error: expect.stringContaining('451') },
    ]);
    shop.context.clock.advance(59_000);
    await sending.sendDue();
    expect(times).toBe(1);
    shop.context.clock.advance(1_000);
    await sending.sendDue();
    shop.context.clock.advance(5 * 60_000);
    await sending.sendDue();
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'sent', attempts: 3, error: null });
    expect(smtp.received.map(({ headers }) => headers['message-id'])).toEqual([
      `<${row!.id}@shop.example>`,
    ]);
  });

  it('that rejects a message permanently does not receive it again; others continue', async () => {
    await smtp.close();
    smtp = await testSmtp({
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _, done) =>
        address === 'gone@shop.example' ? done(refuse(550, 'No such user')) : done(),
    });
    await want({ email: 'gone@shop.example' });
    await happen();
    await want({});
    await happen();
    const sending = sender(`smtp://127.0.0.1:${smtp.port}`);
    await sending.sendDue();
    expect(
      (await rows()).map(({ recipient, state, attempts }) => [recipient, state, attempts]),
    ).toEqual(
      expect.arrayContaining([
        ['gone@shop.example', 'failed', 1],
        ['ops@shop.example', 'sent', 1],
      ]),
    );
    shop.context.clock.advance(24 * 3_600_000);
    await sending.sendDue();
    expect(smtp.received).toHaveLength(1);
  });

  it('that rejects the sender is retried: an operator must fix it', async () => {
    await smtp.close();
    smtp = await testSmtp({
      disabledCommands: ['STARTTLS'],
      onMailFrom: (_, __, done) => done(refuse(550, 'Not you')),
    });
    await happen();
    await sender(`smtp://127.0.0.1:${smtp.port}`).sendDue();
    expect(await rows()).toMatchObject([
      { state: 'pending', attempts: 0, error: expect.stringContaining('Not you') },
    ]);
    // A notice expires after two days.
    shop.context.clock.advance(49 * 3_600_000);
    await sender(`smtp://127.0.0.1:${smtp.port}`).sendDue();
    expect(await rows()).toMatchObject([
      { state: 'failed', error: expect.stringContaining('48 hours') },
    ]);
  });

  it('that answers line by line, without an end, is given up as a server that is down', async () => {
    const server = createServer((socket) => {
      const timer = setInterval(() => socket.write('220-wait\r\n'), 5);
      socket.on('error', () => undefined).on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const mailer = createMailer({
      smtpUrl: `smtp://127.0.0.1:${port}`,
      smtpFrom: 'notices@shop.example',
      deadlineMs: 100,
    });
    const mail = { to: 'ops@shop.example', messageId: '<1@x>', date: 0, thread: '<2@x>' };
    expect(await mailer.send({ ...mail, subject: 'S', text: 'T', html: 'H' })).toEqual({
      type: 'down',
      error: 'The mail server is too slow',
    });
    mailer.close();
    server.close();
  });

  it('receives each notice once from several processes, and a copy with the same id after a kill', async () => {
    for (let turn = 0; turn < 30; turn += 1) await happen();
    const all = [sender(), sender(), sender()];
    for (let round = 0; round < 2; round += 1) await Promise.all(all.map((each) => each.sendDue()));
    expect(smtp.received).toHaveLength(30);
    expect(new Set(smtp.received.map(({ headers }) => headers['message-id'])).size).toBe(30);
    // Killed between the server's answer and the commit.
    const [row] = await rows();
    await shop.context.db
      .updateTable('notice')
      .set({ state: 'pending', finished_at_real: null })
      .where('id', '=', row!.id)
      .execute();
    await sender().sendDue();
    shop.context.clock.advance(21 * 60_000);
    await sender().sendDue();
    expect(smtp.received).toHaveLength(31);
    expect(
      smtp.received.filter(({ headers }) => headers['message-id'] === `<${row!.id}@shop.example>`),
    ).toHaveLength(2);
  });
});
