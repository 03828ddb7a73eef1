import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { allLocales } from '@crypto-checkout/elements/generated/locale-codes';
import jsqr from 'jsqr';
import { describe, expect, it } from 'vitest';
import {
  REFUNDABLE,
  checkout,
  inTwoCoins,
  lightning,
  payment,
  xrp,
} from '../../elements/test/support/fixture.ts';
import { SITUATIONS } from '../../elements/test/support/situations.ts';
import { createPage } from './index.ts';

const page = createPage();
const textOf = (
  view: Checkout,
  { lang = null, colours = true }: { lang?: string | null; colours?: boolean } = {},
): string =>
  page.renderText({
    checkout: view,
    acceptLanguage: null,
    lang,
    basePath: '/pay-here',
    publicUrl: 'https://shop.example/pay-here',
    successUrl: null,
    secure: true,
    colours,
  }).text;

const INK = '\u001b[38;5;16;48;5;231m';
const END = '\u001b[0m';
const SCALE = 4;

/** The code in a text, as a camera sees it: foreground and background of the characters. */
function scan(
  text: string,
  { colours, ground = 255 }: { colours: boolean; ground?: number },
): string | null {
  const lines = text
    .split('\n')
    .filter((line) =>
      colours ? line.startsWith(INK) && line.endsWith(END) : /^[ ▀▄█]*[▀▄█][ ▀▄█]*$/.test(line),
    );
  const rows = lines.map((line) => (colours ? line.slice(INK.length, -END.length) : line));
  const columns = Math.max(...rows.map((row) => row.length)) + 8;
  const [width, height] = [columns * SCALE, (rows.length + 4) * 2 * SCALE];
  const pixels = new Uint8ClampedArray(width * height * 4).fill(ground);
  const paint = (column: number, line: number, dark: boolean): void => {
    for (let y = line * SCALE; y < (line + 1) * SCALE; y += 1)
      for (let x = column * SCALE; x < (column + 1) * SCALE; x += 1)
        pixels.fill(dark ? 0 : 255, (y * width + x) * 4, (y * width + x) * 4 + 3);
  };
  rows.forEach((row, at) =>
    row.split('').forEach((character, column) => {
      paint(column + 4, at * 2 + 4, '▀█'.includes(character));
      paint(column + 4, at * 2 + 5, '▄█'.includes(character));
    }),
  );
  for (let alpha = 3; alpha < pixels.length; alpha += 4) pixels[alpha] = 255;
  const decode = ((jsqr as unknown as { default?: typeof jsqr }).default ?? jsqr) as unknown as (
    data: Uint8ClampedArray,
    width: number,
    height: number,
    options: { inversionAttempts: 'dontInvert' },
  ) => { data: string } | null;
  return decode(pixels, width, height, { inversionAttempts: 'dontInvert' })?.data ?? null;
}

describe('the payment link in a terminal', () => {
  const wrong = checkout('pay', {
    notes: ['wrong_coin'],
    received: checkout('seen').received.map((one) => ({
      ...one,
      kind: 'ETH_USDT',
      symbol: 'USDT',
      name: 'Tether',
      network: 'Ethereum (ERC20)',
      amount: '18.5',
      value: null,
      rate: null,
    })),
  });

  it('says what happened first, and has no code where paying is not what helps', () => {
    const text = textOf(wrong, { colours: false });
    expect(text.split('You sent 18.50\u00a0USDT, not BTC')).toHaveLength(2);
    expect(text).not.toContain('Send your payment');
    expect(text).not.toMatch(/[▀▄█]/);
    expect(textOf(checkout('pay'), { colours: false })).toMatch(/[▀▄█]/);
  });

  it('has no amount and no address of a price that is over, also after a dropped transaction', () => {
    const { view } = SITUATIONS['underpaid, the rest was dropped']!;
    const over = { ...view, payment: { ...view.payment!, expires_at: view.server_time } };
    for (const one of [over, checkout('expired')]) {
      const text = textOf(one);
      expect(text).toContain('This price has expired');
      expect(text).not.toMatch(/^Amount/m);
    }
    expect(textOf(checkout('expired'))).not.toContain(checkout('expired').payment!.address);
    const text = textOf(over);
    expect(text).toContain('Transaction dropped');
    expect(text.split('The network dropped your transaction.')).toHaveLength(2);
    // Only with what came, for the shop.
    expect(text.indexOf('Address: ')).toBeGreaterThan(text.indexOf('Transaction: '));
  });

  it('names refunds first, and says when one can be asked for', () => {
    const transaction = wrong.received[0]!.txid;
    const refundable = [{ ...REFUNDABLE, transaction, ready: false }];
    expect(textOf({ ...wrong, refundable })).toContain(
      'You can ask for a refund once the payment is final.',
    );
    const text = textOf(wrong);
    expect(text.indexOf('Contact the shop')).toBeLessThan(text.indexOf('Pay with BTC'));
    expect(text.indexOf('Pay with BTC')).toBeLessThan(text.indexOf('Address: '));
  });

  it('says what is left, where to get a refund, and what became of it', () => {
    const half = SITUATIONS['underpaid, the rest was dropped']!.view;
    expect(textOf(half)).toMatch(/ left of \$49\.90/);
    const transaction = wrong.received[0]!.txid;
    expect(
      textOf({ ...wrong, refundable: [{ ...REFUNDABLE, transaction, ready: true }] }),
    ).toContain(`Get a refund: https://shop.example/pay-here/pay/${wrong.id}/refund`);
    const refund = {
      transaction,
      kind: 'USDT-TRX',
      amount: '18.5',
      received: '17',
      address: 'TReturn',
      tag: null,
      status: 'paid',
      txid: 'ab12',
      explorer_url: null,
    } as const;
    const sent = textOf({ ...wrong, refunds: [refund] });
    expect(sent).toContain('Refund sent.');
    expect(sent).toContain('Address: TReturn');
    expect(sent).toContain('Transaction: ab12');
    const replaceable = [{ ...REFUNDABLE, transaction, ready: true }];
    const asked = textOf({ ...wrong, refunds: [{ ...refund, status: 'requested' }], replaceable });
    expect(asked).toContain(
      `Use another address: https://shop.example/pay-here/pay/${wrong.id}/refund`,
    );
  });

  it.each([
    ['bitcoin', checkout('pay')],
    ['lightning', lightning()],
    ['XRP', xrp()],
    ['the rest of an underpaid order', checkout('underpaid')],
  ])('holds a code that scans, black on white whatever the terminal’s colours: %s', (_, view) => {
    for (const ground of [0, 255])
      expect(scan(textOf(view), { colours: true, ground })).toBe(view.payment?.strings.qr);
    expect(scan(textOf(view, { colours: false }), { colours: false })).toBe(
      view.payment?.strings.qr,
    );
  });

  it('has no colour codes where they would be printed', () => {
    expect(textOf(checkout('pay'), { colours: false })).not.toContain('\u001b');
  });

  it('says everything that is needed to pay', () => {
    const text = textOf(checkout('pay'));
    for (const words of [
      'Quay & Co.',
      'Enamel mug, sea green',
      'Order 1042',
      '$49.90',
      'Send your payment',
      'Coin: Bitcoin (BTC)\n',
      'Amount: 0.00081234 BTC',
      'Address: bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
      'Send only BTC on Bitcoin.',
      'This price holds until 12:14',
      'UTC',
      'Time left: 15 minutes',
      'https://shop.example/pay-here/pay/c8e1f0a9b2d34c5e6f708192a3b4c5d6/',
      'Back to the shop: https://shop.example/orders/1042',
    ])
      expect(text).toContain(words);
    expect(textOf(xrp())).toContain('Destination tag: 12345');
    expect(textOf(lightning())).toMatch(/Lightning request: lnbc/);
  });

  it('names what the form of an exchange needs, and that it may send no amount as small', () => {
    const view = checkout('pay', { payment: payment({ from: 'exchange' }) });
    const text = textOf(view);
    for (const words of [
      'Paste these into your exchange’s withdrawal form.',
      'Withdrawal network: Bitcoin',
      '0.00081234 BTC must arrive after your exchange’s fee.',
    ])
      expect(text).toContain(words);
    expect(text).not.toContain('Open wallet app');
    const small = textOf({ ...view, payment: { ...view.payment!, minimum_withdrawal: '0.001' } });
    expect(small).toContain('Send your payment\nMost exchanges won’t send less than 0.001 BTC.');
    expect(small).not.toMatch(/withdrawal form|Withdrawal network/);
    expect(textOf(view, { lang: 'de' }).match(/0\.00081234 BTC/g)).toHaveLength(2);
    expect(textOf(checkout('pay'))).not.toMatch(/exchange/i);
    const paid = textOf(
      checkout('paid', {
        payment: { ...checkout('paid').payment!, from: 'exchange', minimum_withdrawal: '0.001' },
      }),
    );
    expect(paid).not.toMatch(/exchange/i);
  });

  it('says which other coin a wallet needs for the network’s fee', () => {
    expect(textOf(checkout('choose'))).toMatch(
      /^ {2}USDT-TRX .* · Your wallet also needs a little TRX for the network fee\.$/m,
    );
  });

  it('explains how to choose a coin, to get a new price and more time', () => {
    const api = 'https://shop.example/pay-here/checkouts/c8e1f0a9b2d34c5e6f708192a3b4c5d6';
    const choose = textOf(checkout('choose'));
    expect(choose).toContain(`curl -L -d kind=BTC_BECH32 ${api}/payment`);
    expect(choose).toMatch(/^ {2}USDT-TRX +Tether, TRON \(TRC20\) · ≈ 49\.93 USDT/m);
    expect(textOf(checkout('expired'))).toContain(`curl -L -d '' ${api}/renew`);
    expect(textOf(checkout('pay', { payment: payment({ extendable: true }) }))).toContain(
      `curl -L -d extend=true ${api}/renew`,
    );
    expect(textOf(checkout('pay'))).not.toContain('curl');
  });

  it('proves a payment, and asks for no other one', () => {
    const text = textOf(checkout('paid', { success_url: 'https://shop.example/thanks' }));
    expect(text).toContain('Payment complete\n');
    expect(text).toContain(
      'Transaction: 387a2e9e74f6b160f8f01cf0a04a208cc0867060f1f813c0f3126f4af2f5953d · 0.00081234 BTC',
    );
    expect(text).toContain('Invoice: 3f6f1a52-3a3d-4f0e-9d54-0a2f6d0c9b11');
    expect(text).toContain('Price: 1 BTC = $61,427.48');
    expect(text).toContain('Continue: https://shop.example/thanks');
    expect(text).not.toMatch(/[▀▄█]/);
    expect(text).not.toContain('Send only');
    expect(textOf(checkout('expired'))).not.toContain('▀');
  });

  it('has no price of a coin in itself, and says each fact of it once', () => {
    const order = { ...checkout('pay').order, amount: { amount: '0.00081234', currency: 'BTC' } };
    for (const stage of ['pay', 'paid']) {
      const text = textOf(checkout(stage, { order }));
      expect(text).not.toContain('Price: ');
      expect(text).toContain('Coin: Bitcoin (BTC)\n');
    }
    expect(textOf(checkout('paid'))).toContain('Coin: Bitcoin (BTC)\n');
  });

  it('names one unit over lightning', () => {
    const asked = lightning();
    const text = textOf(asked);
    expect(text).toContain('Amount: 81234 sats\n');
    const part = {
      ...asked.payment!,
      remaining: '0.00041234',
      strings: { ...asked.payment!.strings, amount: '0.00041234' },
    };
    const [came] = checkout('underpaid').received;
    const rest = textOf({
      ...asked,
      stage: 'underpaid',
      payment: part,
      received: [{ ...came!, kind: 'BTC_LIGHTNING' }],
    });
    expect(rest).toContain('40,000 sats received. Send 41,234 sats more.');
    expect(rest).toContain(': 41234 sats\n');
    expect(rest).not.toMatch(/[\d.]+ BTC\b(?! =)/);
  });

  it('shows every payment of an order, in whichever coin it came', () => {
    const rest = textOf(inTwoCoins('underpaid'));
    expect(rest).toContain('0.0004 BTC received. Send 25.34 USDT more.');
    expect(rest).toMatch(
      /Transaction: 387a\w+ · 0\.0004 BTC = \$24\.57\nPrice: 1 BTC = \$61,427\.48\nTime: Nov 21/,
    );
    const paid = textOf(inTwoCoins('complete'));
    expect(paid).toContain('Received: 0.0004 BTC + 25.34 USDT');
    expect(paid).toMatch(/Transaction: 387a\w+ · 0\.0004 BTC = \$24\.57/);
    expect(paid).toMatch(/Transaction: 9b1c\w+ · 25\.34 USDT = \$25\.33/);
    const late = { ...checkout('pay'), received: checkout('late').received };
    expect(textOf(late)).toContain('0.00081234 BTC arrived after the price expired.');
  });

  it('says in words why a payment does not count', () => {
    const received = checkout('paid').received;
    const replaced = textOf(
      checkout('pay', {
        received: received.map((one) => ({ ...one, status: 'replaced' as const })),
      }),
    );
    expect(replaced).toContain('Your wallet replaced this transaction, so it doesn’t count.');
    expect(replaced).not.toContain('(replaced)');
    expect(textOf(checkout('late'))).toMatch(/Transaction: .* · 0\.00081234 BTC · \S/);
  });

  it('counts confirmations only where several are needed', () => {
    const view = checkout('seen');
    const seen = (need: number): string =>
      textOf({
        ...view,
        payment: { ...view.payment!, confirmations: { have: 0, need, final: 6 } },
      });
    expect(seen(2)).toContain('0 of 2 confirmations');
    expect(seen(1)).not.toContain('confirmations');
    expect(seen(1)).toContain('Waiting for the network to confirm it.');
  });

  it.each(allLocales)('speaks %s', (lang) => {
    for (const stage of [
      'choose',
      'pay',
      'underpaid',
      'seen',
      'paid',
      'expired',
      'late',
      'held',
      'failed',
      'new one',
    ]) {
      const text = textOf(checkout(stage), { lang });
      expect(text).not.toMatch(/\b(?:undefined|null|NaN)\b|\[object/);
      if (lang !== 'en')
        expect(text).not.toMatch(
          /Back to the shop|Send your payment|Choose a coin|Payment detected/,
        );
    }
  });

  it('keeps what it is given from moving the cursor, colouring, or turning lines around', () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\r\n\u009b31m\u202eabc\u2066';
    const view = checkout('pay', {
      merchant: { name: evil, contact: `mailto:a@b.c${evil}`, logo: null, legal: null },
      order: { order_id: evil, description: evil, amount: { amount: evil, currency: evil } },
      shop_url: `https://shop.example/${evil}`,
      payment: payment({ symbol: evil, network: evil, name: evil, tag: evil }),
    });
    const text = textOf(view, { colours: false });
    expect(text).toContain('owned');
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(text.split('\n').every((line) => !/^\d*owned/.test(line))).toBe(true);
  });
});
