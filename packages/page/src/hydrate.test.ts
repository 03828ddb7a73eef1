import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkout, inTwoCoins, REFUNDABLE } from '../../elements/test/support/fixture.ts';
import { type SourceServer, sendScript, startSourceServer } from '../test/support/source-server.ts';
import { createPage } from './index.ts';

const FILES = {
  version: '0',
  embed: '',
  classic: '',
  page: 'page.mjs',
  locales: {},
  sri: {},
  sizes: {},
};

let server: SourceServer;
/** The rendered view, the API's answers, and the requests received. */
let drawn: Checkout;
let now: Checkout;
/** The answer after the buyer's choice. */
let chosen: Checkout;
let posted: string[] = [];
let letScriptGo: () => void = () => {};
let scriptMayGo: Promise<void> = Promise.resolve();

beforeAll(async () => {
  const page = createPage({ files: FILES });
  server = await startSourceServer('page-test', (request, response) => {
    const url = request.url ?? '';
    if (url.startsWith('/pay/')) {
      const query = new URL(url, 'http://x').searchParams;
      const { html, headers } = page.render({
        checkout: drawn,
        acceptLanguage: null,
        lang: query.get('lang'),
        show: query.get('show'),
        basePath: '',
        publicUrl: server.origin,
        successUrl: null,
        secure: false,
      });
      response.writeHead(200, headers).end(html);
    } else if (url.startsWith('/elements/')) {
      void scriptMayGo.then(() => sendScript(response));
    } else if (url.startsWith('/checkouts/')) {
      if (request.method === 'POST') {
        posted.push(url);
        now = chosen;
      }
      const gone = url.endsWith('/events');
      response
        .writeHead(gone ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(now));
    } else return false;
    return true;
  });
});

afterAll(() => server?.close());

/** Opens a page whose script is held back. */
async function open(
  view: Checkout,
  search = '',
  reader: BrowserContextOptions = {},
): Promise<{ page: Page; errors: string[] }> {
  drawn = now = view;
  posted = [];
  scriptMayGo = new Promise((resolve) => (letScriptGo = resolve));
  const page = await server.browser.newPage(reader);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (/Content Security|Trusted/i.test(message.text())) errors.push(message.text());
  });
  await page.goto(`${server.origin}/pay/c/${search}`, { waitUntil: 'commit' });
  await page.waitForSelector('[part=footer]');
  return { page, errors };
}

const hydrated = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => {
    const element = document.querySelector('crypto-checkout') as {
      hasUpdated?: boolean;
      shadowRoot: ShadowRoot;
    } | null;
    const parts = [...(element?.shadowRoot.querySelectorAll('*') ?? [])].filter(({ localName }) =>
      localName.includes('-'),
    );
    return (
      element?.hasUpdated && parts.every((part) => (part as { hasUpdated?: boolean }).hasUpdated)
    );
  });

describe('the hosted page in Chromium', () => {
  it('is complete and styled before its script, and keeps nodes, focus and choice when it comes', async () => {
    const { page, errors } = await open(checkout('choose'));
    expect(await page.locator('input[type=radio]').count()).toBe(9);
    expect(
      await page.evaluate(
        () =>
          getComputedStyle(
            document.querySelector('crypto-checkout')!.shadowRoot!.querySelector('[part=base]')!,
          ).display,
      ),
    ).toBe('grid');
    const doge = page.locator('input[value=DOGE]');
    await doge.check();
    const before = await doge.elementHandle();
    letScriptGo();
    await hydrated(page);
    const same = await page.evaluate(
      ([radio]) => {
        const picker = document
          .querySelector('crypto-checkout')!
          .shadowRoot!.querySelector('crypto-coin-picker')!.shadowRoot!;
        return {
          node: picker.querySelector('input[value=DOGE]') === radio,
          focus: picker.activeElement === radio,
          checked: (radio as HTMLInputElement).checked,
        };
      },
      [before],
    );
    expect(same).toEqual({ node: true, focus: true, checked: true });
    expect(errors).toEqual([]);
    chosen = checkout('pay', { version: 2 });
    await page.locator('crypto-coin-picker label').first().click();
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    expect(posted).toEqual(['/checkouts/c8e1f0a9b2d34c5e6f708192a3b4c5d6/payment']);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('shows in its tab what has happened', async () => {
    const { page, errors } = await open(checkout('pay'), '?lang=de');
    expect(await page.title()).toBe('Quay & Co. · 49,90\u00a0$ · Zahlung');
    now = checkout('paid', { version: 2 });
    letScriptGo();
    await expect
      .poll(() => page.title())
      .toBe('Zahlung abgeschlossen · Quay & Co. · 49,90\u00a0$ · Zahlung');
    expect(errors).toEqual([]);
    await page.close();
  });

  const BACK = [
    ['the other coins', 'pay', 'coins', 'Change coin', 'Choose a coin', 'Send exactly', 'Back'],
    ['the receipt', 'complete', 'receipt', 'Receipt', 'Receipt', 'Payment complete', 'Close'],
  ] as const;
  it.each(BACK)(
    'closes %s with Back, and opens it anew with Forward',
    async (_, stage, show, link, inside, outside, close) => {
      const { page, errors } = await open(checkout(stage), '?lang=en');
      letScriptGo();
      await hydrated(page);
      const heading = (): Promise<string> =>
        page.getByRole('heading', { level: 2 }).first().innerText();
      const path = (): string => page.url().slice(server.origin.length);
      const length = await page.evaluate(() => history.length);
      await page.getByRole('link', { name: link, exact: true }).click();
      await expect.poll(heading).toBe(inside);
      await expect.poll(path).toBe(`/pay/c/?lang=en&show=${show}`);
      await page.evaluate(() => history.back());
      await expect.poll(heading).toBe(outside);
      expect(path()).toBe('/pay/c/?lang=en');
      await page.evaluate(() => history.forward());
      await expect.poll(heading).toBe(inside);
      expect(path()).toBe(`/pay/c/?lang=en&show=${show}`);
      // Closing by its own link leaves no history entry behind.
      await page.getByRole('link', { name: close, exact: true }).click();
      await expect.poll(heading).toBe(outside);
      await expect.poll(path).toBe('/pay/c/?lang=en');
      for (let times = 0; times < 3; times++) {
        await page.getByRole('link', { name: link, exact: true }).click();
        await expect.poll(path).toBe(`/pay/c/?lang=en&show=${show}`);
        await page.getByRole('link', { name: close, exact: true }).click();
        await expect.poll(path).toBe('/pay/c/?lang=en');
      }
      expect(await page.evaluate(() => history.length)).toBe(length + 1);
      expect(errors).toEqual([]);
      await page.close();
    },
  );

  it('is at its own address again once another coin is chosen', async () => {
    const { page, errors } = await open(checkout('pay'));
    letScriptGo();
    await hydrated(page);
    await page.getByRole('link', { name: 'Change coin' }).click();
    await expect.poll(() => page.url()).toContain('?show=coins');
    chosen = checkout('pay', { version: 2 });
    await page.locator('crypto-coin-picker label').first().click();
    await expect.poll(() => page.url()).toBe(`${server.origin}/pay/c/`);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Send exactly',
    ]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('is shown with the receipt by its link, and closed in place', async () => {
    const { page, errors } = await open(checkout('complete'), '?show=receipt');
    const length = await page.evaluate(() => history.length);
    letScriptGo();
    await hydrated(page);
    await page.getByRole('link', { name: 'Close' }).click();
    await expect.poll(() => page.url()).toBe(`${server.origin}/pay/c/`);
    expect(await page.evaluate(() => history.length)).toBe(length);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('is in the right language from the first paint on', async () => {
    const { page, errors } = await open(checkout('pay'), '?lang=ar');
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    const heading = await page.getByRole('heading', { level: 2 }).textContent();
    expect(heading).toBe('أرسل بالضبط');
    letScriptGo();
    await hydrated(page);
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe(heading);
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(1);
    expect(errors).toEqual([]);
    await page.close();
  });

  it.each([
    'pay',
    'underpaid',
    'seen',
    'paid',
    'complete',
    'expired',
    'late',
    'held',
    'failed',
    'wait',
  ])('takes over %s without drawing it anew', async (stage) => {
    const { page, errors } = await open(checkout(stage, { notes: ['test_network', 'overpaid'] }));
    const status = await page.locator('crypto-status h2').elementHandle();
    letScriptGo();
    await hydrated(page);
    expect(await page.evaluate(([node]) => node?.isConnected, [status])).toBe(true);
    expect(await page.locator('crypto-status').count()).toBe(1);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('keeps the way to a refund, and opens its form in the page', async () => {
    const { page, errors } = await open(checkout('late', { refundable: [REFUNDABLE] }));
    const link = page.locator('[part~="refund-link"]');
    const before = await link.elementHandle();
    letScriptGo();
    await hydrated(page);
    expect(await before?.evaluate((node) => node.isConnected)).toBe(true);
    await link.click();
    await page.locator('[name=address]').waitFor();
    expect(new URL(page.url()).pathname).toBe('/pay/c/');
    expect(errors).toEqual([]);
    await page.close();
  });

  it('writes every time as the reader does, also of what the server had drawn', async () => {
    const drawnFirst = inTwoCoins('underpaid');
    const { page, errors } = await open(drawnFirst, '?lang=en', {
      timezoneId: 'America/New_York',
      locale: 'en-US',
    });
    const rows = page.locator('[part=transaction]');
    const plain = async (): Promise<string[]> =>
      (await rows.allInnerTexts()).map((text) => text.replace(/\s/g, ' '));
    expect((await plain()).join()).toContain('Nov 21, 2026, 12:01 PM UTC');
    const [row] = await rows.elementHandles();
    letScriptGo();
    await hydrated(page);
    await expect.poll(async () => (await plain()).join()).toContain('Nov 21, 2026, 7:01 AM');
    expect(await row!.evaluate((node) => node.isConnected)).toBe(true);
    now = { ...inTwoCoins('paid'), version: 2 };
    await expect.poll(() => rows.count()).toBe(2);
    const times = (await plain()).map(
      (text) => /Nov 21, 2026, [^·\n]*[AP]M( UTC)?/.exec(text)?.[0],
    );
    expect(times).toEqual(['Nov 21, 2026, 7:01 AM', 'Nov 21, 2026, 7:06 AM']);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('draws anew, once, where the browser would have drawn something else', async () => {
    const { page, errors } = await open(checkout('pay'));
    now = checkout('choose');
    await page.evaluate(
      (view) => document.querySelector('crypto-checkout')!.setAttribute('snapshot', view),
      JSON.stringify(now),
    );
    letScriptGo();
    await hydrated(page);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Choose a coin',
    ]);
    expect(await page.locator('crypto-qr').count()).toBe(0);
    expect(await page.locator('crypto-coin-picker').count()).toBe(1);
    chosen = checkout('pay', { version: 2 });
    await page.locator('crypto-coin-picker label').first().click();
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Send exactly',
    ]);
    // The shared sheet and its own, the two for the later stages, and the one around the wallets.
    const sheets = await page.evaluate(
      () => document.querySelector('crypto-checkout')!.shadowRoot!.adoptedStyleSheets.length,
    );
    expect(sheets).toBe(5);
    expect(errors).toEqual([]);
    await page.close();
  });
});
