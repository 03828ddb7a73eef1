import { EMAIL_EVENTS, resourceOf } from '@crypto-checkout/protocol/event';
import { invoice as invoiceSchema } from '@crypto-checkout/protocol/schema/invoice';
import { payout as payoutSchema } from '@crypto-checkout/protocol/schema/payout';
import { transaction as transactionSchema } from '@crypto-checkout/protocol/schema/transaction';
import { describe, expect, it } from 'vitest';
import { addressOfSender, isAddress } from './address.ts';
import { noticeContent } from './content.ts';
import { oneLine, renderNotice } from './render.ts';

const at = '2026-11-21T06:00:00.000000+00:00';
const id = '7f1f2b3c-0000-4000-8000-000000000000';
const network = 'mainnet';
const invoice = invoiceSchema.parse({
  id,
  kind: 'BTC',
  created_at: at,
  expires_at: at,
  profile_id: 'profile',
  address: 'bc1q',
  lightning: null,
  network,
  status: 'paid',
  amount: {
    requested: { amount: '100', currency: 'USD' },
    invoiced: { amount: '0.002', currency: 'BTC', rate_usd: '50000' },
    paid: { amount: '0.002', currency: 'BTC' },
  },
  custom_fee: null,
  min_confirmations: 1,
  zero_conf_enabled: false,
  notes: 'SECRET',
  passthrough: 'SECRET',
  transactions: [],
});
const { status: _status, transactions: _transactions, ...embedded } = invoice;

/** Callback bodies, and the texts made from them. */
const SHOWN = {
  invoice: {
    shown: invoice,
    sum: '100.00 USD',
    lines: ['Requested 100.00 USD', 'Invoiced 0.002 BTC', 'Paid 0.002 BTC', `Invoice ${id}`],
  },
  transaction: {
    shown: transactionSchema.parse({
      id: 'our-id',
      kind: 'BTC',
      txid: 'f00d',
      invoice: embedded,
      amount: { paid: { amount: '0.002', currency: 'BTC', quotes: { USD: '100.5' } } },
      currency_rates: { BTC: { USD: '50250' } },
      created_at: at,
      executed_at: at,
      confirmed_at: null,
      confirmations: 3,
      status: 'confirmed',
      zero_conf_status: null,
      network,
      risk_level: null,
      risk_data: {},
      sub_kind: null,
    }),
    sum: '0.002 BTC',
    lines: [
      'Amount 0.002 BTC',
      'Worth 100.50 USD',
      'Confirmations 3',
      'Transaction f00d',
      'Our id our-id',
      `Invoice ${id}`,
    ],
  },
  payout: {
    shown: payoutSchema.parse({
      id,
      kind: 'ETH_USDT',
      txid: '0xf00d',
      created_at: at,
      approved_at: null,
      executed_at: at,
      profile_id: 'profile',
      wallet_id: 'wallet',
      confirmations: 2,
      status: 'confirmed',
      network,
      amount: { total: '12.5', network_fee: '0.00065', network_fee_currency: 'ETH' },
      network_fee_pays: 'merchant',
      network_fee_preset: 'normal',
      network_fee: null,
      passthrough: 'SECRET',
      reference_id: 'SECRET',
      sub_kind: null,
      error: null,
      approved_by: null,
      recipients: [
        {
          id: 'recipient',
          address: '0xSECRET',
          amount: {
            requested: { amount: '10', currency: 'EUR' },
            received: { amount: '12.5', currency: 'USDT' },
          },
          custom_fee: null,
          notes: 'SECRET',
        },
      ],
    }),
    sum: '12.5 USDT',
    lines: [
      'Amount 12.5 USDT',
      'Network fee 0.00065 ETH',
      'Recipients 1',
      'Confirmations 2',
      'Transaction 0xf00d',
      `Payout ${id}`,
    ],
  },
} as const;

const PROFILE = 'Bücher & Söhne';
const content = noticeContent('invoice_complete', SHOWN.invoice.shown, PROFILE);
/** Without the markup of tables. */
const facts = (text: string): string[] => text.split('\n').map((line) => line.replace(/: +/, ' '));

describe('a rendered notice', () => {
  it.each(EMAIL_EVENTS)('has words for %s', (event) => {
    const { shown, sum, lines } = SHOWN[resourceOf(event) as keyof typeof SHOWN];
    const { subject, text, html } = renderNotice(
      event,
      noticeContent(event, shown, PROFILE),
      'https://pay.example',
    );
    expect(subject.replace(/: [A-Z].+,/u, ': …,')).toBe(`Bücher & Söhne: …, ${sum}`);
    const [coin, chain] = event.startsWith('payout')
      ? ['Tether', 'Ethereum (ERC20)']
      : ['Bitcoin', 'Bitcoin'];
    expect(facts(text)).toEqual(
      expect.arrayContaining([`Coin ${coin}`, `Network ${chain}`, ...lines]),
    );
    for (const line of lines)
      expect(html).toContain(
        `>${line.split(' ').at(-1)}<`.replace(/>(USD|BTC|ETH|USDT)<$/, ` $1<`),
      );
    for (const part of [text, html]) {
      expect(part.includes(`https://pay.example/invoice/${id}/`)).toBe(!event.startsWith('payout'));
      expect(part).not.toContain('test network');
      expect(part).not.toMatch(/undefined|null|\[object|SECRET/);
    }
    expect(html).toContain('Bücher &amp; Söhne');
  });

  it('names a test network in the subject, and links no page of a payout', () => {
    const shown = { ...SHOWN.payout.shown, network: 'testnet' };
    const { subject, text } = renderNotice(
      'payout_pending',
      noticeContent('payout_pending', shown, PROFILE),
      'https://pay.example',
    );
    expect(subject).toBe('[Test] Bücher & Söhne: Payout sent, 12.5 USDT');
    expect(text).toContain('Ethereum (ERC20), test network');
    expect(text).not.toContain('https://');
  });

  it('truncates a long name, not the event', () => {
    const { subject } = renderNotice(
      'invoice_complete',
      { ...content, profile: 'x'.repeat(256) },
      'https://pay.example',
    );
    expect(subject).toBe(`${'x'.repeat(59)}…: Invoice complete, 100.00 USD`);
  });
});

it('one line has no control character, direction mark or line separator', () => {
  expect(oneLine(' a\r\nb\u0000c\u2028d\u202Ee\u200Bf\t ')).toBe('a b c d e f');
});

describe('an address', () => {
  it.each(['ops@shop.example', 'o.p+s@shop.example', 'ops@münchen.example'])(
    '%s is valid',
    (text) => expect(isAddress(text)).toBe(true),
  );
  it.each([
    '',
    'ops',
    '@shop.example',
    'a@b@c',
    'a@b,c@d',
    'A <a@b>',
    'a@b\n',
    'a b@c',
    '"a"@b',
    'a@b;c',
    'a@b\u0000',
    `${'a'.repeat(250)}@b.example`,
  ])('%j is invalid', (text) => expect(isAddress(text)).toBe(false));
  it('is extracted from a sender', () => {
    expect(addressOfSender('Shop <notices@shop.example>')).toBe('notices@shop.example');
    expect(addressOfSender('notices@shop.example')).toBe('notices@shop.example');
    expect(addressOfSender('Shop\r\nBcc: x <notices@shop.example>')).toBeNull();
    expect(addressOfSender('a@b, c@d')).toBeNull();
  });
});
