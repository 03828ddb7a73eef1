// Takes the pictures of docs/: scenarios of the built element in a page of its own. Needs a build
// (`npm run build`).
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SHOP = 'https://shop.example/';

const BASE = `
  * { box-sizing: border-box }
  body { margin: 0; padding: 28px; display: grid; gap: 28px; align-items: start; font: 16px/1.5 system-ui, sans-serif; background: #f3f4f6 }
  crypto-checkout { display: block }`;

/** The brands in the documentation. */
export const BRANDS = `
  .sea { --crypto-checkout-accent: #0f6b6b; --crypto-checkout-radius: 20px }
  .night { color-scheme: dark; --crypto-checkout-accent: #c4b5fd; --crypto-checkout-background: #17132a; --crypto-checkout-radius: 12px }
  .press {
    --crypto-checkout-accent: #a3122a;
    --crypto-checkout-background: #fffaf0;
    --crypto-checkout-text: #221a14;
    --crypto-checkout-radius: 0;
    --crypto-checkout-font: 1rem/1.5 Georgia, serif;
  }`;

const tag = (demo, name = '', theme = 'light') =>
  `<crypto-checkout demo="${demo}" class="${name}" theme="${theme}" locale="en"></crypto-checkout>`;

const PICTURES = {
  'checkout.png': { width: 760, css: '', body: tag('pay:ETH_USDT#1') },
  'brands.png': {
    width: 1290,
    css: `body { grid-template-columns: repeat(3, 1fr) } ${BRANDS}`,
    body: tag('choose#1', 'sea') + tag('pay#1', 'night', 'dark') + tag('paid#last', 'press'),
  },
  'stages.png': {
    width: 1290,
    css: 'body { grid-template-columns: repeat(3, 1fr) }',
    body: tag('confirming#last') + tag('late#last') + tag('overpaid#last'),
  },
};

const executablePath =
  process.env.CHROMIUM ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  for (const [name, { width, css, body }] of Object.entries(PICTURES)) {
    const page = await browser.newPage({ viewport: { width, height: 780 }, timezoneId: 'UTC' });
    await page.route(`${SHOP}**`, (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname !== '/')
        return route.fulfill({
          path: here(`../dist/elements${pathname}`),
          contentType: 'text/javascript',
        });
      const script = '<script type="module" src="/crypto-checkout.mjs"></script>';
      return route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><html lang="en"><title>Shop</title><style>${BASE}${css}</style>${body}${script}`,
      });
    });
    await page.clock.install({ time: new Date('2026-11-21T12:00:00Z') });
    await page.goto(SHOP);
    await page.waitForFunction(() =>
      [...document.querySelectorAll('crypto-checkout')].every((element) => element.checkout),
    );
    // Small parts of it render a moment later.
    await page.clock.runFor(600);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: here(`../docs/${name}`), fullPage: name === 'checkout.png' });
    console.log(`${name}: ${readFileSync(here(`../docs/${name}`)).length} bytes`);
    await page.close();
  }
} finally {
  await browser.close();
}
