import { describe, expect, it } from 'vitest';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { checkout } from '../../elements/test/support/fixture.ts';
import { createPage } from './index.ts';
import { type ReceiptClaims, renderReceipt, renderReceiptText } from './receipt.ts';
import { files } from '../test/support/views.ts';

// The languages are those of the page.
createPage({ files: { ...files([]), sri: {} } });

const TXID = '4e3a'.repeat(16);
const CREATED = '2026-11-21T12:00:00.000000+00:00';
const claims: ReceiptClaims = {
  invoice_id: '3f6f1a52-3a3d-4f0e-9d54-0a2f6d0c9b11',
  order_id: 'A-1042',
  network: 'mainnet',
  kind: 'BTC',
  final: true,
  amount: { amount: '1249.50', currency: 'USD' },
  invoiced: { amount: '0.0130157', currency: 'BTC' },
  created_at: CREATED,
  payments: [
    {
      kind: 'BTC',
      txid: TXID,
      amount: { amount: '0.0130157', currency: 'BTC' },
      created_at: CREATED,
    },
  ],
  refunds: [],
};
const request = (more: Partial<ReceiptClaims> = {}, lang = 'en') => ({
  claims: { ...claims, ...more },
  merchantName: 'Quay & Co.',
  acceptLanguage: null,
  lang,
  secure: true,
});

/** The rows of the page by their labels, and those of the e-mail. */
function rows(more: Partial<ReceiptClaims> = {}, lang = 'en') {
  const { html } = renderReceipt({ ...request(more, lang), files: [], mail: null });
  const onPage = Object.fromEntries(
    [...html.matchAll(/<dt>(.*?)<\/dt><dd><bdi>(.*?)<\/bdi><\/dd>/g)]
      .map(([, label = '', value = '']) => [label, value] as const)
      .toReversed(),
  );
  return { onPage, mail: renderReceiptText(request(more, lang)).text };
}

describe('the page of a signed receipt, and its e-mail', () => {
  it('write the price as its readers do', () => {
    const { onPage, mail } = rows();
    expect(onPage['Amount']).toBe('$1,249.50');
    expect(mail).toContain('Amount: $1,249.50\n');
    expect(rows({}, 'de').onPage['Betrag']).toBe('1.249,50\u00A0$');
  });

  it('say whether the money has to stay', () => {
    expect(rows().onPage['Status']).toBe('Payment complete. Confirmed and final.');
    expect(rows().mail).toContain('Status: Payment complete. Confirmed and final.\n');
    expect(rows({ final: false }).onPage['Status']).toBe('Payment complete.');
  });

  it('name a test network in the language', () => {
    const english = 'Test network: these coins have no value.';
    expect(rows({ network: 'testnet' }).onPage['Status']).toContain(english);
    const german = rows({ network: 'testnet' }, 'de');
    expect(german.onPage['Status']).toContain('Testnetz');
    expect(german.mail).not.toContain('testnet');
    expect(rows().onPage['Status']).not.toContain('Test');
  });
});

it('is named what it is, and has a way back in the reader’s language', () => {
  const { html } = renderReceipt({ ...request({}, 'de'), files: [], mail: null });
  expect(html).toContain('<h1>Signierter Beleg</h1>');
  expect(html).toContain('<a href="./?lang=de">Zurück</a>');
});

describe('the saved link of an order', () => {
  const page = createPage({ files: null });
  const textAt = (view: Checkout): string =>
    page
      .render({
        checkout: view,
        show: 'receipt',
        acceptLanguage: null,
        lang: 'en',
        basePath: '',
        publicUrl: 'https://pay.example',
        successUrl: null,
        secure: true,
      })
      .html.replaceAll(/<style.*?<\/style>|snapshot='[^']*'|<!--.*?-->|<[^>]*>/gs, ' ')
      .replaceAll(/\s+/g, ' ');

  it('shows the details of an unpaid one, and the way to pay it', () => {
    const expired = textAt(checkout('expired'));
    expect(expired).toContain('Payment details Get a new price Status Not paid. This price has');
    expect(textAt(checkout('pay'))).toContain('Payment details Pay with BTC Status Not paid.');
    for (const stage of ['expired', 'pay'])
      expect(textAt(checkout(stage))).not.toContain('Signed receipt');
  });

  it('says in one way whether a paid one is final', () => {
    expect(textAt(checkout('paid'))).toContain(
      'Receipt Status Payment complete. Not final yet. 2 of 6 confirmations.',
    );
    expect(textAt(checkout('complete'))).toContain('Payment complete. Confirmed and final.');
  });

  it('says of each payment that does not count that it does not', () => {
    const [good] = checkout('complete').received;
    const [late] = checkout('late').received;
    const view = checkout('complete', { received: [good!, { ...late!, txid: 'ab'.repeat(32) }] });
    expect(textAt(view).split('It doesn’t count towards this order.')).toHaveLength(2);
  });
});
