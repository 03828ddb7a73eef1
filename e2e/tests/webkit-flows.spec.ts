import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { strictPolicy, scriptTag } from '../support/host-page.ts';
import { decodeQr } from '../support/qr.ts';
import { Stack, freePort } from '../support/stack.ts';
import { viewOf } from '../support/read-payment.ts';
import { type WebKitPage, launchWebKit, webkitAvailable } from '../../tools/webkit-driver.mjs';

// Flows of other files, once in WebKitGTK: keyboard only, a strict page with a hostile script, and
// no script at all. One stack and one shop page for all.

const [TAB, ENTER] = ['\uE004', '\uE007'];
/** The first matching element, through all shadow roots; runs in the page. */
const find = (selector: string): string =>
  `const find = (root) => root.querySelector(${JSON.stringify(selector)}) ?? [...root.querySelectorAll('*')].map((node) => node.shadowRoot && find(node.shadowRoot)).find(Boolean) ?? null; return find(document)`;
const textOf = (selector: string): string => `${find(selector)}?.textContent ?? ''`;
const stage = (name: string): string =>
  `return document.querySelector('crypto-checkout:not([defer-hydration])')?.checkout?.stage === ${JSON.stringify(name)}`;

/** The element that has the focus, through all shadow roots. */
const IN_FOCUS = `let one = document.activeElement; while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;`;
const FOCUS = `${IN_FOCUS} return { tag: one?.localName, part: one?.getAttribute('part') ?? '', text: (one?.textContent ?? '').trim(), value: one?.value ?? '' }`;
interface Focus {
  tag: string;
  part: string;
  text: string;
  value: string;
}

async function tabTo(page: WebKitPage, wanted: (focus: Focus) => boolean): Promise<void> {
  const places: string[] = [];
  for (let press = 0; press < 40; press += 1) {
    await page.press(TAB);
    const focus = await page.run<Focus>(FOCUS);
    if (wanted(focus)) return;
    places.push(`${focus.tag}[${focus.part}]`);
  }
  throw new Error(`Tab never gets there, only to ${places.join(', ')}`);
}

let stack: Stack;
let shop: ReturnType<typeof createServer>;
let shopUrl: string;
/** The page that the shop serves. */
let body = '';
let orders = 0;

async function opened(kind?: string): Promise<string> {
  const order = {
    order_id: `webkit-flow-${process.pid}-${(orders += 1)}`,
    amount: '18.50',
    currency: 'USD',
  };
  const { id } = await stack.asShop('/checkouts', { order });
  if (kind) await stack.asShop(`/checkouts/${id}/payment`, { kind });
  return id;
}
const reaches = (id: string, name: string): Promise<void> =>
  expect.poll(async () => (await viewOf(stack, id)).stage, { timeout: 15_000 }).toBe(name);

async function withPage(
  use: (page: WebKitPage) => Promise<void>,
  options: readonly string[] = [],
): Promise<void> {
  const { page, close } = await launchWebKit(options);
  try {
    await use(page);
  } finally {
    await close();
  }
}

// Each test starts a browser.
test.slow();

test.beforeAll(async ({ browserName }) => {
  test.skip(!webkitAvailable(), `apt-get install webkit2gtk-driver xvfb (this is ${browserName})`);
  test.setTimeout(90_000);
  const port = await freePort();
  shopUrl = `http://localhost:${port}`;
  stack = await Stack.start({ EMBED_ORIGINS: shopUrl });
  // Runs before any other script of the page: records policy violations and element events.
  const own = `globalThis.seen = { violations: [], events: [] };
    document.addEventListener('securitypolicyviolation', (event) => seen.violations.push(event.violatedDirective + ' ' + event.blockedURI));
    document.addEventListener('checkout-change', (event) => seen.events.push(event.from + ' ' + event.to));
    document.addEventListener('checkout-error', (event) => seen.events.push(event.code));`;
  shop = createServer((request, response) => {
    const script = request.url === '/own.js';
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
    if (!script) response.setHeader('content-security-policy', strictPolicy(stack));
    response.end(script ? own : body);
  });
  await new Promise<void>((done) => shop.listen(port, done));
});
test.afterAll(async () => {
  shop?.close();
  await stack?.stop();
});

test('WebKitGTK: a purchase by keyboard alone, from coin to receipt', () =>
  withPage(async (page) => {
    const id = await opened();
    await page.goto(`${stack.publicUrl}/pay/${id}/`);
    await page.until(stage('choose'), 15_000);
    // Before its script has loaded, the form submits natively to another page.
    await page.until(`return (() => { ${find('crypto-coin-picker')} })()?.hasUpdated`, 15_000);
    await tabTo(page, ({ value }) => value === 'BTC');
    await page.press(ENTER);
    await page.until(stage('pay'), 15_000);
    // The pressed button is gone: the focus moves to the stage's heading.
    await page.until(`${IN_FOCUS} return one.localName === 'h2'`, 15_000);
    await tabTo(page, ({ text }) => text === 'Exchange');
    await page.press(' ');
    await expect.poll(async () => (await viewOf(stack, id)).payment.from).toBe('exchange');
    await page.until(find('[part~="option"][aria-pressed="true"][value="exchange"]'), 15_000);
    await tabTo(page, ({ part }) => part === 'copy-button');
    await page.press(ENTER);
    await page.until(`${IN_FOCUS} return /copied/i.test(one.textContent)`, 5000);
    const { payment } = await viewOf(stack, id);
    await stack.sandbox('pay', { invoice_id: payment.invoice_id });
    await page.until(stage('seen'), 15_000);
    await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
    await page.until(stage('complete'), 15_000);
    await tabTo(page, ({ part }) => part === 'receipt-link');
    await page.press(ENTER);
    await page.until(find('[part~="receipt"]'), 15_000);
  }));

test('WebKitGTK: works under a strict policy; hides and reports an address that another script changed', () =>
  withPage(async (page) => {
    const id = await opened();
    body = `<!doctype html><html lang="en"><title>A shop</title><script src="/own.js"></script>${scriptTag(stack)}<crypto-checkout server="${stack.publicUrl}" checkout="${id}"></crypto-checkout>`;
    await page.goto(`${shopUrl}/`);
    await page.until(stage('choose'), 15_000);
    // Before the picker's script has loaded, a tap only chooses.
    await page.until(`return (() => { ${find('crypto-coin-picker')} })()?.hasUpdated`, 15_000);
    await page.click(find('label:has([value="BTC"])'));
    await page.until(stage('pay'), 15_000);
    // The lazy files have loaded, including the tamper check.
    await page.until(find('[part~="large"]'), 15_000);
    expect(await page.run('return seen')).toEqual({ violations: [], events: ['choose pay'] });
    expect(decodeQr(await page.screenshot())).toContain(
      (await viewOf(stack, id)).payment.address?.toUpperCase(),
    );

    await page.run(`const root = document.querySelector('crypto-checkout').shadowRoot.querySelector('crypto-address').shadowRoot;
      root.querySelector('[part~="value"]').textContent = 'tb1qevil0evil0evil0evil0evil0evil0evil0e'`);
    await page.until(find('[part~="guard"]'), 5000);
    expect(await page.run(textOf('[role=alert]'))).toContain('Please do not pay here');
    expect(
      await page.run(`return (() => { ${find('crypto-qr')} })()?.getClientRects().length ?? 0`),
    ).toBe(0);
    expect(await page.run('return seen')).toEqual({
      violations: [],
      events: ['choose pay', 'tampered'],
    });
  }));

test('WebKitGTK: scripts off: choose, exchange and back, another coin, pay, receipt', () =>
  withPage(
    async (page) => {
      const id = await opened();
      await page.goto(`${stack.publicUrl}/pay/${id}/`);
      expect(await page.run(`return customElements.get('crypto-checkout') === undefined`)).toBe(
        true,
      );
      const press = async (selector: string): Promise<void> => {
        await page.until(find(selector), 15_000);
        await page.click(find(selector));
      };
      await press('input[type=radio][value="BTC"]');
      await press('[part~="submit"]');
      await expect.poll(async () => (await viewOf(stack, id)).payment?.kind).toBe('BTC');
      await press('button[value="exchange"]');
      await expect.poll(async () => (await viewOf(stack, id)).payment.from).toBe('exchange');
      await page.until(find('[aria-pressed="true"][value="exchange"]'), 15_000);
      expect(decodeQr(await page.screenshot())).toBe((await viewOf(stack, id)).payment.address);
      await press('button[value="wallet"]');
      await expect.poll(async () => (await viewOf(stack, id)).payment.from).toBe('wallet');
      await page.until(find('[aria-pressed="true"][value="wallet"]'), 15_000);
      const { payment } = await viewOf(stack, id);
      expect(decodeQr(await page.screenshot())).toContain(payment.address?.toUpperCase());
      await stack.sandbox('pay', { invoice_id: payment.invoice_id });
      await stack.sandbox('mine', { kind: 'BTC', blocks: 6 });
      await reaches(id, 'complete');
      await page.goto(`${stack.publicUrl}/pay/${id}/`);
      await press('[part~="receipt-link"]');
      await page.until(find('[part~="receipt"]'), 15_000);
    },
    ['--enable-javascript=false'],
  ));
