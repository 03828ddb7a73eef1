import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { ADDRESS, payoutShop, type PayoutShop } from '../../test/support/payouts.ts';
import { createMailer } from './mailer.ts';
import { NoticeSender } from './send.ts';
import { testSmtp, type ReceivedMail, type TestSmtp } from '../../test/support/smtp.ts';

let shop: PayoutShop;
let smtp: TestSmtp;
let sender: NoticeSender;
beforeAll(async () => {
  smtp = await testSmtp({ disabledCommands: ['STARTTLS'] });
  const config = loadConfig({
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    SMTP_FROM: 'notices@shop.example',
    PUBLIC_URL: 'https://pay.example',
    LOG_LEVEL: 'silent',
  });
  shop = await payoutShop({ chains: ['bitcoin', 'lightning'], overrides: { config } });
  sender = new NoticeSender(
    shop.context,
    createMailer({ smtpUrl: config.smtpUrl!, smtpFrom: config.smtpFrom }),
  );
  await shop.fund('BTC', '10');
});
beforeEach(() => void smtp.received.splice(0));
afterAll(async () => {
  sender.close();
  await smtp.close();
  await shop.close();
});

async function want(...kinds: string[]): Promise<void> {
  const set = { notification_email: 'ops@shop.example', notification_email_kinds: kinds };
  await shop.context.db.updateTable('profile').set(set).where('id', '=', shop.profileId).execute();
}

/** Mails since the last call. */
async function mails(): Promise<ReceivedMail[]> {
  await sender.sendDue();
  return smtp.received.splice(0);
}

const subjects = async (): Promise<(string | undefined)[]> =>
  (await mails()).map(({ headers }) => headers['subject']);

describe('a payout', () => {
  it('sends one notice each when sent, confirmed and complete, to profiles that want them', async () => {
    await want('payout_pending', 'payout_confirmed', 'payout_complete');
    const recipients = [
      { amount: '0.1', currency: 'BTC', address: ADDRESS.BTC, notes: 'NOTE-4711' },
      { amount: '0.2', currency: 'BTC', address: ADDRESS.BTC },
    ];
    const { id } = await shop.payOut({
      recipients,
      passthrough: 'PASS-4711',
      reference_id: 'REFERENCE-4711',
    });
    expect(await mails()).toEqual([]);
    const step = async (
      happens: () => Promise<void>,
      title: string,
      sentence: string,
      confirmations: number,
    ): Promise<void> => {
      await happens();
      await shop.work();
      const [mail, ...more] = await mails();
      expect([mail?.headers['subject'], mail?.to, more]).toEqual([
        `[Test] Default profile: ${title}, 0.3 BTC`,
        ['ops@shop.example'],
        [],
      ]);
      const { txid } = await shop.payout(id);
      for (const line of [
        sentence,
        /^Coin: +Bitcoin\r$/m,
        /^Network: +Bitcoin, test network\r$/m,
        /^Amount: +0\.3 BTC\r$/m,
        /^Network fee: +0\.000024 BTC\r$/m,
        /^Recipients: +2\r$/m,
        new RegExp(`^Confirmations: +${confirmations}\\r$`, 'm'),
        new RegExp(`^Transaction: +${txid}\\r$`, 'm'),
        new RegExp(`^Payout: +${id}\\r$`, 'm'),
      ])
        expect(mail!.text).toMatch(line);
      // The caller's passthrough is left out; a payout has no page.
      for (const secret of ['4711', ADDRESS.BTC, 'https://'])
        expect(mail!.text).not.toContain(secret);
    };
    await step(
      () => shop.work(),
      'Payout sent',
      'A payout was sent. It has no confirmation yet.',
      0,
    );
    await step(() => shop.mine('BTC'), 'Payout confirmed', 'A payout was confirmed.', 1);
    await step(() => shop.mine('BTC', 5), 'Payout complete', 'A payout is final.', 6);
    await shop.mine('BTC', 5);
    expect(await mails()).toEqual([]);
  });

  it('sends notices only where wanted, and never for a failure', async () => {
    await want('payout_complete', 'invoice_pending');
    const [done, failed] = [await shop.payOut(), await shop.payOut()];
    await shop.work();
    await shop.fail((await shop.payout(failed.id)).txid);
    await shop.mine('BTC', 6);
    expect([(await shop.payout(done.id)).status, (await shop.payout(failed.id)).status]).toEqual([
      'complete',
      'failed',
    ]);
    expect(await subjects()).toEqual(['[Test] Default profile: Payout complete, 0.1 BTC']);
    await want('invoice_complete');
    await shop.payOut();
    await shop.work();
    await shop.mine('BTC', 6);
    expect(await mails()).toEqual([]);
  });

  it('from lightning to the chain is shown as bitcoin', async () => {
    await want('payout_pending');
    await shop.payOut({ kind: 'BTC_LIGHTNING_TO_BTC' });
    await shop.work();
    const [mail] = await mails();
    expect(mail!.headers['subject']).toBe('[Test] Default profile: Payout sent, 0.1 BTC');
    expect(mail!.text).toMatch(/^Coin: +Bitcoin\r$/m);
    expect(mail!.text).not.toContain('LIGHTNING_TO');
  });
});
