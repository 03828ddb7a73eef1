import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bitcoinWithLightning,
  checkout,
  payment,
  xrp,
} from '../../elements/test/support/fixture.ts';
import { createPage } from './index.ts';
import { type SourceServer, sendScript, startSourceServer } from '../test/support/source-server.ts';
import { ALL_COINS, files, request } from '../test/support/views.ts';

/** A small phone, without the browser's bars. */
const PHONE = { width: 360, height: 640 };
const MOST_WORDS = 45;
const PHONES = {
  iPhone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  Android:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
};

/** The box itself has no size: its label is seen. */
const ATTACHED = { state: 'attached' } as const;
const TRON = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const order = {
  order: {
    order_id: 'A-1042',
    description: 'Harbour mug',
    amount: { amount: '18.50', currency: 'USD' },
  },
  merchant: { name: 'Quay & Co.', contact: 'https://shop.example/help', logo: null, legal: null },
  coins: ALL_COINS,
};
const tether = payment({
  kind: 'USDT-TRX',
  name: 'Tether',
  symbol: 'USDT',
  network: 'TRON (TRC20)',
  address: TRON,
  due: '18.51',
  remaining: '18.51',
  strings: { qr: TRON, link: TRON, address: TRON, amount: '18.51', tag: null },
});
const VIEWS: Readonly<Record<string, Checkout>> = {
  BTC: checkout('pay', order),
  'USDT-TRX': checkout('pay', { ...order, payment: tether }),
  'BTC-LIGHTNING': bitcoinWithLightning(order),
  XRP: { ...xrp(), ...order },
};

let server: SourceServer;

beforeAll(async () => {
  const page = createPage({ files: { ...files([]), sri: {} } });
  server = await startSourceServer('takeover-test', (asked, response) => {
    const [, first = '', name = ''] = (asked.url ?? '').split(/[/?]/);
    const view = VIEWS[name];
    if (first === 'pay' && view) {
      const { html, headers } = page.render(
        request({ ...view, id: name }, { lang: 'en', secure: false }),
      );
      response.writeHead(200, headers).end(html);
    } else if (first === 'elements') sendScript(response);
    else if (first === 'checkouts')
      response
        .writeHead(view ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ...view, id: name }));
    else return false;
    return true;
  });
});

afterAll(() => server?.close());

async function open(name: string, phone: keyof typeof PHONES | null): Promise<Page> {
  const page = await server.browser.newPage({
    viewport: phone ? PHONE : { width: 1440, height: 900 },
    ...(phone && { userAgent: PHONES[phone], hasTouch: true, isMobile: true }),
  });
  await page.goto(`${server.origin}/pay/${name}/`);
  await page.locator('crypto-hand-off').locator('a, button').first().waitFor();
  await page.locator('.spot svg').first().waitFor();
  return page;
}

/** Every visible text above the lower edge of the screen, each node alone. */
const textsOnScreen = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts: string[] = [];
    const visit = (node: Node): void => {
      if (node instanceof Text) {
        const parent = node.parentElement ?? (node.getRootNode() as ShadowRoot).host;
        const range = document.createRange();
        range.selectNodeContents(node);
        const { top, width, height } = range.getBoundingClientRect();
        if (
          width > 1 &&
          height > 1 &&
          top < innerHeight &&
          parent.checkVisibility() &&
          getComputedStyle(parent).clipPath === 'none'
        )
          texts.push(node.data.trim());
        return;
      }
      if (node instanceof Element) {
        if (['STYLE', 'SCRIPT', 'NOSCRIPT'].includes(node.nodeName)) return;
        // An address is one word, whatever is bold in it.
        if (node.nodeName === 'CODE') return void texts.push(node.textContent);
        if (node.shadowRoot) visit(node.shadowRoot);
      }
      node.childNodes.forEach(visit);
    };
    visit(document.body);
    return texts.filter(Boolean);
  });

describe.each(
  Object.keys(VIEWS).flatMap((name) =>
    (['iPhone', 'Android'] as const).map((phone) => [name, phone] as const),
  ),
)('the pay screen on a small phone: %s, %s', (name, phone) => {
  it('says amount, coin, network, price, time and address in at most 45 words, without scrolling', async () => {
    const page = await open(name, phone);
    const { symbol, network, due, address } = VIEWS[name]!.payment!;
    const texts = await textsOnScreen(page);
    const all = texts.join(' ').replace(/\s+/g, ' ');
    for (const part of [
      'Quay & Co.',
      '$18.50',
      `Send exactly`,
      `${due} ${symbol}`,
      `on ${network}`,
      address!,
      'Show QR code',
    ])
      expect(all).toContain(part);
    expect(all).toMatch(/\d\d:\d\d/);
    const words = all.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));
    expect(words.length, all).toBeLessThanOrEqual(MOST_WORDS);
    // The ways to pay come before the values to copy.
    const [way, values] = await Promise.all(
      ['[part=wallet-link], [part=wallet]', 'crypto-address'].map((part) =>
        page.locator(part).first().boundingBox(),
      ),
    );
    expect(way!.y + way!.height).toBeLessThan(values!.y);
    await page.close();
  });

  it('folds the code that the phone cannot scan, and shows it whole', async () => {
    const page = await open(name, phone);
    const code = page.locator('crypto-qr');
    expect(await code.isVisible()).toBe(false);
    const enlarge = page.locator('[part=large]');
    expect(await enlarge.isVisible()).toBe(false);
    const button = page.getByRole('button', { name: / QR code$/ });
    expect(await button.count()).toBe(1);
    await page.getByText('Show QR code').click();
    await page.getByRole('button', { name: 'Hide QR code', exact: true }).waitFor(ATTACHED);
    expect(await page.getByText('Show QR code').isVisible()).toBe(false);
    const box = (await code.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(PHONE.height);
    // The focus is on the button, which a key presses, too.
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show QR code', exact: true }).waitFor(ATTACHED);
    expect(await code.isVisible()).toBe(false);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Hide QR code', exact: true }).waitFor(ATTACHED);
    await page.close();
  });
});

it('shows the code beside amount and address on a desktop, with the amount where the code holds none', async () => {
  const page = await open('USDT-TRX', null);
  const [code, amount, address] = await Promise.all(
    ['crypto-qr', 'crypto-amount', 'crypto-address'].map((tag) => page.locator(tag).boundingBox()),
  );
  expect(code!.x + code!.width).toBeLessThan(amount!.x);
  expect(amount!.y).toBeLessThan(address!.y);
  expect(code!.y + code!.height).toBeLessThan(900);
  expect((await textsOnScreen(page)).join(' ')).toContain(
    'This code holds only the address. Send 18.51 USDT on TRON (TRC20).',
  );
  await page.close();
});

it('does not say of a code with address and tag that it holds only the address', async () => {
  const page = await open('XRP', null);
  const texts = (await textsOnScreen(page)).join(' ');
  expect(texts).toContain('Destination tag');
  expect(texts).not.toContain('holds only the address');
  await page.close();
});

it('moves nothing when wallets and marks arrive', async () => {
  for (const phone of ['iPhone', null] as const) {
    const page = await open('BTC', phone);
    const moved = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
              sum += (entry as PerformanceEntry & { value: number }).value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => resolve(sum), 300);
        }),
    );
    expect(moved).toBeLessThan(0.001);
    await page.close();
  }
});
