import { EMAIL_EVENTS } from '@crypto-checkout/protocol/event';
import { describe, expect, it } from 'vitest';
import { addressIn, isAddress } from './address.ts';
import type { NoticeContent } from './content.ts';
import { oneLine, renderNotice } from './render.ts';

const content: NoticeContent = {
  profile: 'Bücher & Söhne',
  coin: 'Bitcoin',
  chain: 'Bitcoin',
  test: false,
  sum: '100 USD',
  facts: [{ name: 'Paid', value: '0.002 BTC' }],
  invoiceId: '7f1f2b3c-0000-4000-8000-000000000000',
};

describe('a rendered notice', () => {
  it.each(EMAIL_EVENTS)('has words for %s', (event) => {
    const { subject, text, html } = renderNotice(event, content, 'https://pay.example');
    expect(subject).toMatch(/^Bücher & Söhne: [A-Z].+, 100 USD$/u);
    for (const part of [text, html]) {
      expect(part).toContain('0.002 BTC');
      expect(part).toContain('https://pay.example/invoice/7f1f2b3c-0000-4000-8000-000000000000/');
      expect(part).not.toContain('test network');
    }
    expect(html).toContain('Bücher &amp; Söhne');
    expect(html).not.toMatch(/undefined|null|\[object/);
  });

  it('names a test network in the subject, and no page of a payout', () => {
    const { subject, text } = renderNotice('payout_pending', { ...content, test: true, invoiceId: null }, 'https://pay.example');
    expect(subject).toBe('[Test] Bücher & Söhne: Payout sent, 100 USD');
    expect(text).toContain('Bitcoin, test network');
    expect(text).not.toContain('https://');
  });

  it('cuts a long name, not what happened', () => {
    const { subject } = renderNotice('invoice_complete', { ...content, profile: 'x'.repeat(256) }, 'https://pay.example');
    expect(subject).toBe(`${'x'.repeat(59)}…: Invoice complete, 100 USD`);
  });
});

it('one line has no control character, direction mark or line separator', () => {
  expect(oneLine(' a\r\nb\u0000c\u2028d\u202Ee\u200Bf\t ')).toBe('a b c d e f');
});

describe('an address', () => {
  it.each(['ops@shop.example', 'o.p+s@shop.example', 'ops@münchen.example'])('%s is one', (text) => expect(isAddress(text)).toBe(true));
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
  ])('%j is none', (text) => expect(isAddress(text)).toBe(false));
  it('is read out of a sender', () => {
    expect(addressIn('Shop <notices@shop.example>')).toBe('notices@shop.example');
    expect(addressIn('notices@shop.example')).toBe('notices@shop.example');
    expect(addressIn('Shop\r\nBcc: x <notices@shop.example>')).toBeNull();
    expect(addressIn('a@b, c@d')).toBeNull();
  });
});
