import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPage } from './index.ts';
import { type SourceServer, sendScript, startSourceServer } from '../test/support/source-server.ts';
import { HEAVY, files, request } from '../test/support/views.ts';

let server: SourceServer;
let letScriptGo: () => void = () => {};
let scriptMayGo: Promise<void> = Promise.resolve();

beforeAll(async () => {
  // Sources have no hashes to check.
  const page = createPage({ files: { ...files([]), sri: {} } });
  server = await startSourceServer('takeover-test', (asked, response) => {
    const url = new URL(asked.url ?? '', 'http://x');
    const [, view, show = null] = HEAVY[Number(url.searchParams.get('at'))] ?? HEAVY[0]!;
    if (url.pathname.startsWith('/pay/')) {
      const { html, headers } = page.render(
        request(view, { lang: url.searchParams.get('lang'), show, secure: false }),
      );
      response.writeHead(200, headers).end(html);
    } else if (url.pathname.startsWith('/elements/')) {
      void scriptMayGo.then(() => sendScript(response));
    } else if (url.pathname.startsWith('/checkouts/'))
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    else return false;
    return true;
  });
});

afterAll(() => server?.close());

it.each(HEAVY.map(([name], at) => [name, at] as const))(
  'takes over %s: not one node is drawn anew, and no word changes but the times, which the reader has in another zone',
  async (_, at) => {
    scriptMayGo = new Promise((resolve) => (letScriptGo = resolve));
    const [, view, show] = HEAVY[at]!;
    const page = await server.browser.newPage({ timezoneId: 'America/New_York' });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${server.origin}/pay/c/?lang=ar&at=${at}`, { waitUntil: 'commit' });
    await page.waitForSelector('[part=footer]');
    const nodes = await page.evaluateHandle(() => [
      ...document.querySelector('crypto-checkout')!.shadowRoot!.querySelectorAll('*'),
    ]);
    const texts = await page.evaluateHandle(() => {
      const found: Text[] = [];
      const collect = (node: Node): void => {
        if (node instanceof Text && node.data.trim()) found.push(node);
        // With a running clock.
        if (!(node instanceof Element)) return node.childNodes.forEach(collect);
        if (['style', 'crypto-countdown'].includes(node.localName)) return;
        if (node.shadowRoot) collect(node.shadowRoot);
        node.childNodes.forEach(collect);
      };
      collect(document.querySelector('crypto-checkout')!);
      return found;
    });
    const wordsNow = (): Promise<(string | null)[]> =>
      texts.evaluate((list) => list.map((text) => (text.isConnected ? text.data : null)));
    const words = (await wordsNow()) as string[];
    expect(words.length).toBeGreaterThan(10);
    letScriptGo();
    await page.waitForFunction(() => {
      const { shadowRoot } = document.querySelector('crypto-checkout')!;
      const parts = [...shadowRoot!.querySelectorAll('*')].filter(({ localName }) =>
        localName.includes('-'),
      );
      return parts.every((part) => (part as { hasUpdated?: boolean }).hasUpdated);
    });
    expect(
      await page.evaluate(
        (list) =>
          list.filter((node) => !node.isConnected).map(({ outerHTML }) => outerHTML.slice(0, 100)),
        nodes,
      ),
    ).toEqual([]);
    const expected = await inReadersZone(page, view, show === 'receipt' ? 'long' : 'short', words);
    expect(expected.join() !== words.join()).toBe(tellsTime(view));
    await expect.poll(wordsNow).toEqual(expected);
    expect(errors).toEqual([]);
    await page.close();
  },
);

/** Times of payments, and deadlines. */
const tellsTime = ({ received, payment }: Checkout): boolean =>
  received.length > 0 || payment?.extendable === true || payment?.from === 'exchange';

/** Rendered with the server's times, updated to the reader's. */
async function inReadersZone(
  page: Page,
  view: Checkout,
  timeStyle: 'long' | 'short',
  words: readonly string[],
): Promise<string[]> {
  const language = 'ar-u-nu-latn';
  let texts = [...words];
  for (const time of [
    ...view.received.map(({ created_at }) => created_at),
    view.payment?.expires_at ?? '',
  ].filter(Boolean))
    for (const options of [
      { dateStyle: 'medium' as const, timeStyle },
      { timeStyle: 'short' as const },
    ]) {
      const inUtc = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(
        Date.parse(time),
      );
      const server = options.timeStyle === 'long' ? inUtc : `${inUtc} UTC`;
      const reader = await page.evaluate(
        ([tag, asked, moment]) => new Intl.DateTimeFormat(tag, asked).format(Date.parse(moment)),
        [language, options, time] as const,
      );
      texts = texts.map((text) => text.replaceAll(server, reader));
    }
  return texts;
}

it('offers to try again what could not be drawn', async () => {
  scriptMayGo = Promise.resolve();
  const page = await server.browser.newPage();
  await page.goto(`${server.origin}/pay/c/`);
  await page.waitForFunction(
    () =>
      (document.querySelector('crypto-checkout') as unknown as { hasUpdated?: boolean }).hasUpdated,
  );
  // As a child does whose drawing throws.
  await page.evaluate(() =>
    (document.querySelector('crypto-checkout') as unknown as { broken(why: string): void }).broken(
      'a test',
    ),
  );
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByText('We couldn’t load this payment.').first().waitFor();
  await page.close();
});
