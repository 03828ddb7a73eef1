import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@playwright/test';
import { PNG } from 'pngjs';
import { decodeQr } from '../support/qr.ts';
import { Stack } from '../support/stack.ts';
import {
  type PaymentView,
  WATCH_CLIPBOARD,
  expectCode,
  expectOneAddress,
  readEverything,
  viewOf,
} from '../support/read-payment.ts';
import { type WebKitPage, launchWebKit, webkitAvailable } from '../../tools/webkit-driver.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Finds an element through nested shadow roots. */
const deep = (selector: string): string =>
  `const find = (root) => root.querySelector(${JSON.stringify(selector)}) ?? [...root.querySelectorAll('*')].map((node) => node.shadowRoot && find(node.shadowRoot)).find(Boolean) ?? null; return find(document);`;
const stage = (name: string): string =>
  `return document.querySelector('crypto-checkout')?.checkout?.stage === ${JSON.stringify(name)}`;

test('WebKitGTK: a buyer pays in the shop and on the hosted page', async ({
  browserName,
}, info) => {
  test.skip(!webkitAvailable(), `apt-get install webkit2gtk-driver xvfb (this is ${browserName})`);
  test.slow();
  const stack = await Stack.start();
  const { page, close } = await launchWebKit();
  try {
    await page.goto(stack.shopUrl);
    await page.click(`return document.querySelector('form button')`);
    await page.until(stage('choose'), 15_000);
    await page.run(`${axe}; return true;`);
    const violations = `return (await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })).violations.map((v) => v.id)`;
    expect(await page.run(violations)).toEqual([]);
    // A tap goes on at once.
    await page.click(deep('label:has([value="BTC"])'));
    await page.until(stage('pay'), 15_000);
    expect(await page.run(violations)).toEqual([]);
    writeFileSync(info.outputPath('webkit-pay.png'), await page.screenshot());
    const { payment, id } = await page.run<{ id: string; payment: { invoice_id: string } }>(
      `return document.querySelector('crypto-checkout').checkout`,
    );
    await page.goto(`${stack.publicUrl}/pay/${id}/`);
    await page.until(stage('pay'), 15_000);
    await stack.sandbox('pay', { invoice_id: payment.invoice_id });
    await page.until(stage('seen'), 15_000);
    writeFileSync(info.outputPath('webkit-seen.png'), await page.screenshot());
    await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
    await page.until(
      `return ['paid', 'complete'].includes(document.querySelector('crypto-checkout')?.checkout?.stage) || location.port === '${stack.shopPort}'`,
      15_000,
    );
  } finally {
    await close();
    await stack.stop();
  }
});

/** Other forms of a coin that is offered already: paid where an order names them. */
const UNOFFERED = ['BTC_P2SH', 'BTC_BECH32', 'BTC_LIGHTNING_LNURL'];
/**
 * Checkouts side by side, two kinds each from a wallet and from an exchange; more would wait for
 * each other's event streams.
 */
const AT_ONCE = 2;

/**
 * In the page: puts checkouts beside each other, each in a window of its own through which its code
 * is seen.
 */
const PLACE = `
const [server, ids] = args;
const boxes = ids.map((id) => {
  const box = document.createElement('div');
  box.className = 'box';
  Object.assign(box.style, { position: 'relative', overflow: 'hidden', inlineSize: '300px', blockSize: '300px', background: '#fff' });
  box.append(Object.assign(document.createElement('crypto-checkout'), { server, checkoutId: id }));
  return box;
});
Object.assign(document.body.style, { display: 'flex', flexWrap: 'wrap', gap: '8px', margin: '8px' });
document.body.replaceChildren(...boxes);
`;
/** In the page: whether all of a checkout is drawn; then its code is brought into its window. */
const READY = `
const [at, from, plain] = args;
const box = document.querySelectorAll('.box')[at];
const find = (root, selector) => root.querySelector(selector) ?? [...root.querySelectorAll('*')].map((node) => node.shadowRoot && find(node.shadowRoot, selector)).find(Boolean) ?? null;
const code = find(box, 'crypto-qr')?.shadowRoot.querySelector('svg');
if (!code || !find(box, from === 'exchange' ? '[part~="exchange-network"]' : '[part~="share"]') || (plain && !find(box, '[part~="plain"]'))) return null;
const { top, left } = code.getBoundingClientRect();
const frame = box.getBoundingClientRect();
box.scrollTop += top - frame.top - 8;
const { x, y, width, height } = code.getBoundingClientRect();
const seen = x >= frame.left && y >= frame.top && x + width <= frame.right && y + height <= frame.bottom && frame.bottom <= innerHeight && frame.right <= innerWidth;
return seen ? { x, y, width, height } : { x: 0, y: 0, width: 0, height: 0 };
`;

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

test('WebKitGTK: text, QR, link and clipboard contain the same payment for every kind', async ({
  browserName,
}, info) => {
  test.skip(!webkitAvailable(), `apt-get install webkit2gtk-driver xvfb (this is ${browserName})`);
  test.setTimeout(300_000);
  const stack = await Stack.start();
  const { page, close } = await launchWebKit();
  try {
    const first = await orderOf(stack, 'coins');
    const { coins } = await viewOf(stack, first.id);
    const kinds = [...coins.map(({ kind }) => kind), ...UNOFFERED];
    expect(kinds.length).toBeGreaterThan(40);
    await page.goto(`${stack.publicUrl}/pay/${first.id}/`);
    await page.until(stage('choose'), 15_000);
    for (let next = 0; next < kinds.length; next += AT_ONCE) {
      const views = [];
      for (const kind of kinds.slice(next, next + AT_ONCE))
        for (const from of ['wallet', 'exchange']) views.push(await paymentOf(stack, kind, from));
      await page.run(
        PLACE,
        stack.publicUrl,
        views.map(({ id }) => id),
      );
      const places: Place[] = [];
      for (const [at, { payment }] of views.entries())
        places.push(await until(page, READY, at, payment.from, payment.public_address !== null));
      const picture = await page.screenshot();
      for (const [at, { payment }] of views.entries()) {
        const qr = decodeQr(cropped(picture, places[at]!));
        if (qr === null)
          writeFileSync(info.outputPath(`${payment.kind}-${payment.from}.png`), picture);
        const displayed = await page.run<Awaited<ReturnType<typeof readEverything>>>(
          `${WATCH_CLIPBOARD}; return await (${readEverything.toString()})(document.querySelectorAll('.box')[args[0]]);`,
          at,
        );
        expect(qr, `${payment.kind} from ${payment.from}`).not.toBeNull();
        expectOneAddress({ ...displayed, qr: qr ?? '' }, payment);
      }
    }
  } finally {
    await close();
    await stack.stop();
  }
});

test('WebKitGTK: the QR code scans in the dark theme, full screen, and for a remaining amount', async ({
  browserName,
}, info) => {
  test.skip(!webkitAvailable(), `apt-get install webkit2gtk-driver xvfb (this is ${browserName})`);
  test.slow();
  const stack = await Stack.start();
  const { page, close } = await launchWebKit();
  const scan = async (name: string): Promise<string> => {
    await page.run('scrollTo(0, 0)');
    const picture = await page.screenshot();
    const qr = decodeQr(picture);
    if (qr === null) writeFileSync(info.outputPath(`${name}.png`), picture);
    expect(qr, name).not.toBeNull();
    return qr ?? '';
  };
  const readPage = async (name: string): Promise<Parameters<typeof expectOneAddress>[0]> => {
    const qr = await scan(name);
    return {
      ...(await page.run<Omit<Parameters<typeof expectOneAddress>[0], 'qr'>>(
        `${WATCH_CLIPBOARD}; return await (${readEverything.toString()})();`,
      )),
      qr,
    };
  };
  try {
    for (const kind of ['ETH', 'BTC', 'XRP', 'L-BTC', 'BTC_LIGHTNING']) {
      const { id, payment } = await paymentOf(stack, kind, 'wallet');
      await page.goto(`${stack.publicUrl}/pay/${id}/`);
      await page.until(stage('pay'), 15_000);
      await page.run(`document.querySelector('crypto-checkout').setAttribute('theme', 'dark')`);
      await page.until(
        deep(payment.public_address ? '[part~="plain"]' : '[part~="large"]'),
        15_000,
      );
      const dark = `return /\\d+/.exec(getComputedStyle(document.querySelector('crypto-checkout').shadowRoot.querySelector('[part~="base"]')).backgroundColor)[0]`;
      expect(Number(await page.run(dark)), kind).toBeLessThan(128);
      expectOneAddress(await readPage(`${kind}-dark`), payment);

      await page.click(deep('[part~="large"]'));
      const width = await page.until<number>(
        deep('dialog crypto-qr').replace(
          'return find(document)',
          'return find(document)?.getBoundingClientRect().width',
        ),
        5000,
      );
      expect(width, kind).toBeGreaterThan(400);
      // It covers the page: no other code is in the picture.
      expectCode(await scan(`${kind}-large`), payment);
      await page.click(deep('dialog [part~="close-button"]'));

      if (kind !== 'BTC') continue;
      await stack.sandbox('pay', { invoice_id: payment.invoice_id, amount: '0.00001' });
      await page.until(stage('underpaid'), 15_000);
      const { payment: left } = await viewOf(stack, id);
      expect(left.remaining).not.toBe(payment.due);
      await page.until(
        `return document.querySelector('crypto-checkout').checkout.payment.remaining === ${JSON.stringify(left.remaining)}`,
        5000,
      );
      expectOneAddress(await readPage('rest'), left);
    }
  } finally {
    await close();
    await stack.stop();
  }
});

/** A new payment of that kind. */
async function paymentOf(
  stack: Stack,
  kind: string,
  from: string,
): Promise<{ id: string; payment: PaymentView }> {
  const { id } = await orderOf(stack, `${kind}-${from}`);
  await stack.asShop(`/checkouts/${id}/payment`, { kind, from });
  const { payment } = await viewOf(stack, id);
  expect(payment.from, kind).toBe(from);
  return { id, payment };
}

/** Asks the page again until it answers. */
async function until(page: WebKitPage, script: string, ...args: unknown[]): Promise<Place> {
  let place: Place | null = null;
  await expect
    .poll(async () => (place = await page.run<Place | null>(script, ...args)), {
      timeout: 15_000,
      intervals: [50],
    })
    .not.toBeNull();
  expect(place!.width, `code ${String(args[0])} is in its window`).toBeGreaterThan(100);
  return place!;
}

/** A part of a picture, with whole pixels around it. */
function cropped(picture: Buffer, { x, y, width, height }: Place): Buffer {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const whole = PNG.sync.read(picture);
  const part = new PNG({ width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top });
  PNG.bitblt(whole, part, left, top, part.width, part.height, 0, 0);
  return PNG.sync.write(part);
}

let orders = 0;
const orderOf = (stack: Stack, name: string): Promise<{ id: string }> =>
  stack.asShop('/checkouts', {
    order: { order_id: `webkit-${name}-${(orders += 1)}`, amount: '18.50', currency: 'USD' },
  });
