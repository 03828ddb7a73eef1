import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, orderWithoutReturn, test } from './fixtures.ts';

declare global {
  interface Window {
    paints: number[];
    moved: number;
  }
}

test('nothing of the hosted page is painted before the whole of it has come, and nothing moves afterwards', async ({
  page,
  stack,
  browserName,
}) => {
  test.skip(browserName !== 'chromium', 'only Chromium can be told what to wait for');
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  const html = await (await fetch(`${stack.publicUrl}/pay/${id}/`, { headers: { accept: 'text/html' } })).text();
  const half = html.indexOf('<crypto-countdown');
  expect(half).toBeGreaterThan(0);
  let sendRest = (): void => {};
  const server = createServer((request, response) => {
    if (request.url === '/') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).write(html.slice(0, half));
      sendRest = () => response.end(html.slice(half));
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await page.addInitScript(() => {
      window.paints = [];
      window.moved = 0;
      new PerformanceObserver((list) => window.paints.push(...list.getEntries().map(({ startTime }) => startTime))).observe({
        type: 'paint',
        buffered: true,
      });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.moved += (entry as PerformanceEntry & { value: number }).value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.querySelector('crypto-checkout') !== null);
    // Many frames long: what can be painted would be.
    await page.waitForTimeout(600);
    expect(await page.evaluate(() => window.paints)).toEqual([]);
    sendRest();
    await page.waitForFunction(() => window.paints.length > 0);
    expect(await page.evaluate(() => window.moved)).toBe(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
