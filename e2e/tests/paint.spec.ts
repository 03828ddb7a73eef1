import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';

declare global {
  interface Window {
    pictures: {
      paints: number[];
      frames: { amount: boolean; code: boolean; address: boolean }[];
      moved: number;
    };
  }
}

const VIEWS = [
  // A phone folds the code, which it cannot scan.
  { view: 'a phone', viewport: { width: 412, height: 823 }, code: false },
  { view: 'a narrow window on a desktop', viewport: { width: 412, height: 823 }, code: true },
  { view: 'a desktop', viewport: { width: 1280, height: 900 }, code: true },
];

for (const { view, viewport, code } of VIEWS)
  test.describe(view, () => {
    test.use({ viewport, screen: code ? { width: 1280, height: 900 } : viewport });

    test('the first paint has the amount, and the code unless it is folded; nothing moves later', async ({
      page,
      stack,
      browserName,
    }) => {
      test.skip(browserName !== 'chromium', 'only Chromium can be told what to wait for');
      const id = await orderWithoutReturn(stack);
      await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
      const html = await (
        await fetch(`${stack.publicUrl}/pay/${id}/`, { headers: { accept: 'text/html' } })
      ).text();
      const half = html.indexOf('<crypto-countdown');
      expect(half).toBeGreaterThan(0);
      let sendRest = (): void => {};
      const server = createServer((request, response) => {
        if (request.url === '/') {
          response
            .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
            .write(html.slice(0, half));
          sendRest = () => response.end(html.slice(half));
        } else response.writeHead(404).end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        await page.addInitScript(watch);
        await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
          waitUntil: 'commit',
        });
        await page.waitForFunction(() => document.querySelector('crypto-checkout') !== null);
        // Over many frames: everything that can be painted would be.
        await page.waitForTimeout(600);
        expect(await page.evaluate(() => window.pictures.paints)).toEqual([]);
        sendRest();
        await expect(page.getByRole('button', { name: 'Copy: Address' })).toBeVisible();
        await page.waitForTimeout(100);
        const { frames, moved } = await page.evaluate(() => window.pictures);
        expect(frames[0]).toEqual({ amount: true, code, address: false });
        expect(frames.at(-1)).toEqual({ amount: true, code, address: true });
        expect(moved).toBe(0);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  });

/**
 * Runs in the page: the content of each frame from the first one with an amount, and any layout
 * shift.
 */
function watch(): void {
  window.pictures = { paints: [], frames: [], moved: 0 };
  const { paints, frames } = window.pictures;
  const shown = (selector: string, inside: string): boolean => {
    const host = document.querySelector('crypto-checkout')?.shadowRoot?.querySelector(selector);
    return (host?.shadowRoot?.querySelector(inside)?.getBoundingClientRect().height ?? 0) > 0;
  };
  const look = (): void => {
    const frame = {
      amount: shown('crypto-amount', 'b'),
      code: shown('crypto-qr', 'path'),
      address: shown('crypto-address', 'code'),
    };
    if (frame.amount && frames.length < 60) frames.push(frame);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  new PerformanceObserver((list) =>
    paints.push(...list.getEntries().map(({ startTime }) => startTime)),
  ).observe({
    type: 'paint',
    buffered: true,
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      window.pictures.moved += (entry as PerformanceEntry & { value: number }).value;
  }).observe({ type: 'layout-shift', buffered: true });
}
