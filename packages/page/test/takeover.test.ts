import type { AddressInfo } from 'node:net';
import { type Server, createServer as createHttpServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { type ViteDevServer, createServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPage } from '../src/index.ts';
import { HEAVY, files, request } from './views.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let vite: ViteDevServer;
let server: Server;
let browser: Browser;
let letScriptGo: () => void = () => {};
let scriptMayGo: Promise<void> = Promise.resolve();

beforeAll(async () => {
  vite = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    cacheDir: `${root}node_modules/.vite-takeover-test`,
    resolve: { conditions: ['source', 'module', 'browser', 'development'] },
    optimizeDeps: { noDiscovery: true, include: ['qrcode/lib/core/qrcode.js'] },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  });
  // Sources have no hashes to check.
  const page = createPage({ files: { ...files([]), sri: {} } });
  server = createHttpServer((asked, response) => {
    const url = new URL(asked.url ?? '', 'http://x');
    const [, view, show = null] = HEAVY[Number(url.searchParams.get('at'))] ?? HEAVY[0]!;
    if (url.pathname.startsWith('/pay/')) {
      const { html, headers } = page.render(request(view, { lang: url.searchParams.get('lang'), show, secure: false }));
      response.writeHead(200, headers).end(html);
    } else if (url.pathname.startsWith('/elements/')) {
      void scriptMayGo.then(() =>
        response.writeHead(200, { 'content-type': 'text/javascript' }).end("import '/packages/page/src/client.ts';"),
      );
    } else if (url.pathname.startsWith('/checkouts/')) response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    else vite.middlewares(asked, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});

afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  await vite?.close();
});

it.each(HEAVY.map(([name], at) => [name, at] as const))(
  'takes over %s: not one node is drawn anew, not one word changes',
  async (_, at) => {
    scriptMayGo = new Promise((resolve) => (letScriptGo = resolve));
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/pay/c/?lang=ar&at=${at}`, { waitUntil: 'commit' });
    await page.waitForSelector('[part=footer]');
    const nodes = await page.evaluateHandle(() => [...document.querySelector('crypto-checkout')!.shadowRoot!.querySelectorAll('*')]);
    const words = await page.locator('crypto-checkout').innerText();
    letScriptGo();
    await page.waitForFunction(() => {
      const { shadowRoot } = document.querySelector('crypto-checkout')!;
      const parts = [...shadowRoot!.querySelectorAll('*')].filter(({ localName }) => localName.includes('-'));
      return parts.every((part) => (part as { hasUpdated?: boolean }).hasUpdated);
    });
    expect(
      await page.evaluate((list) => list.filter((node) => !node.isConnected).map(({ outerHTML }) => outerHTML.slice(0, 100)), nodes),
    ).toEqual([]);
    expect(await page.locator('crypto-checkout').innerText()).toBe(words);
    expect(errors).toEqual([]);
    await page.close();
  },
);
