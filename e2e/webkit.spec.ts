import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@playwright/test';
import { decodeQr } from './qr.ts';
import { Stack } from './stack.ts';
import { WATCH_CLIPBOARD, expectOneAddress, readEverything, viewOf } from './told.ts';
import { launchWebKit, webkitAvailable } from './webkit.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const root = `document.querySelector('crypto-checkout').shadowRoot`;
/** Finds an element through nested shadow roots. */
const deep = (selector: string): string =>
  `const find = (root) => root.querySelector(${JSON.stringify(selector)}) ?? [...root.querySelectorAll('*')].map((node) => node.shadowRoot && find(node.shadowRoot)).find(Boolean) ?? null; return find(document);`;
const stage = (name: string): string => `return document.querySelector('crypto-checkout')?.checkout?.stage === ${JSON.stringify(name)}`;

test('a buyer pays in WebKitGTK, in the shop and on the hosted page', async ({ browserName }, info) => {
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
    await page.run(deep('input[type=radio][value="BTC"]').replace(/return find\(document\);$/, 'find(document).click();'));
    await page.click(deep('crypto-checkout [part~="submit"], [part~="submit"]').replace('find(document)', `find(${root})`));
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

/** One kind of each form that a payment string has, and Liquid's two addresses. */
const FORMS = ['BTC', 'BTC_LIGHTNING', 'LTC', 'DOGE', 'XRP', 'ETH', 'ETH_USDT', 'SOL', 'TON', 'TRX', 'USDT-TRX', 'L-BTC'];

test('text, QR, link and clipboard name the same payment in WebKitGTK, for one kind of each form', async ({ browserName }, info) => {
  test.skip(!webkitAvailable(), `apt-get install webkit2gtk-driver xvfb (this is ${browserName})`);
  test.slow();
  const stack = await Stack.start();
  const { page, close } = await launchWebKit();
  try {
    const { coins } = await viewOf(stack, (await orderOf(stack, 'coins')).id);
    const kinds = FORMS.filter((kind) => coins.some((coin) => coin.kind === kind));
    expect(kinds).toEqual(FORMS);
    for (const kind of kinds)
      for (const from of ['wallet', 'exchange'] as const) {
        const { id } = await orderOf(stack, `${kind}-${from}`);
        await stack.asShop(`/checkouts/${id}/payment`, { kind, from });
        const { payment } = await viewOf(stack, id);
        await page.goto(`${stack.publicUrl}/pay/${id}/`);
        await page.until(
          `return document.querySelector('crypto-checkout:not([defer-hydration])')?.checkout?.payment !== undefined`,
          15_000,
        );
        // Everything that is fetched is there: the plain address comes last.
        await page.until(
          deep(payment.public_address ? '[part~="plain"]' : 'crypto-hand-off [part~="share"], [part~="share"], .copies'),
          15_000,
        );
        const picture = await page.screenshot();
        const qr = decodeQr(picture);
        if (qr === null) writeFileSync(info.outputPath(`${kind}-${from}.png`), picture);
        expect(qr, `${kind} from ${from}`).not.toBeNull();
        const told = await page.run<Awaited<ReturnType<typeof readEverything>>>(
          `${WATCH_CLIPBOARD}; return await (${readEverything.toString()})();`,
        );
        expectOneAddress({ ...told, qr: qr ?? '' }, payment, from);
      }
  } finally {
    await close();
    await stack.stop();
  }
});

let orders = 0;
const orderOf = (stack: Stack, name: string): Promise<{ id: string }> =>
  stack.asShop('/checkouts', { order: { order_id: `webkit-${name}-${(orders += 1)}`, amount: '18.50', currency: 'USD' } });
