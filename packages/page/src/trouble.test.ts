import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SourceServer, startSourceServer } from '../test/support/source-server.ts';

let server: SourceServer;
beforeAll(async () => {
  server = await startSourceServer('trouble-test', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (pathname !== '/shop') return false;
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        `<!doctype html><html lang="en"><script type="module" src="/packages/elements/src/script.ts"></script><crypto-checkout demo="${searchParams.get('demo')}"></crypto-checkout>`,
      );
    return true;
  });
});
afterAll(() => server.close());

/** The heading after each step of a scenario, and whether the module for trouble was requested. */
async function play(demo: string, steps: number): Promise<[string[], boolean]> {
  const page = await server.browser.newPage();
  let hasTrouble = false;
  page.on('request', (request) => {
    if (request.url().includes('/lazy/trouble.ts')) hasTrouble = true;
  });
  try {
    await page.goto(`${server.origin}/shop?demo=${encodeURIComponent(`${demo}#1`)}`);
    const heading = page.locator('crypto-status h2').first();
    await page.locator('crypto-hand-off [part=share]').first().waitFor({ state: 'attached' });
    const headings = [await heading.innerText()];
    for (let step = 2; step <= steps; step += 1) {
      await page.evaluate(
        `dispatchEvent(new CustomEvent('crypto-checkout-demo', { detail: ${step} }))`,
      );
      await expect.poll(() => heading.innerText()).not.toBe(headings.at(-1));
      headings.push(await heading.innerText());
    }
    return [headings, hasTrouble];
  } finally {
    await page.close();
  }
}

it('a payment in full and in time needs no texts of trouble', async () => {
  const [headings, hasTrouble] = await play('return', 3);
  expect(headings).toEqual(['Send exactly', 'Payment detected', 'Payment complete']);
  expect(hasTrouble).toBe(false);
});

it.each([
  ['late', ['Send exactly', 'This price has expired', 'Your payment arrived late']],
  ['held', ['Send exactly', 'Payment detected', 'Your payment is being checked']],
  ['failed', ['Send exactly', 'Payment detected', 'The payment did not go through']],
  ['replaced', ['Send exactly', 'Payment detected', 'Transaction replaced']],
  ['underpaid', ['Send exactly', 'Partly paid']],
])('the texts of trouble come when it does: %s', async (demo, wanted) => {
  const [headings, hasTrouble] = await play(demo, wanted.length);
  expect(headings).toEqual(wanted);
  expect(hasTrouble).toBe(true);
});
