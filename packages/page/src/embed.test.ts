import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { renderCheckout } from './index.ts';
import { World, buildRender, buildScripts, given } from '../test/support/origins.ts';

let world: World;
let draw: typeof renderCheckout;
beforeAll(async () => {
  draw = await buildRender();
  world = await new World(await buildScripts(['embed', 'hydrate', 'classic', 'page'])).start();
});
afterAll(() => world?.stop());
beforeEach(() => {
  world.override = () => undefined;
  world.checkouts.clear();
  world.pay.asked.length = 0;
  world.orders.set('t', 'c1').set('u', 'c2');
  given(world, 'c1', 'choose');
});

const MODULE = 'crypto-checkout.mjs';
const CLASSIC = 'crypto-checkout.js';
const tag = (more = ''): string =>
  `<crypto-checkout server="${world.pay.url}" order="t" ${more}></crypto-checkout>`;
const html = (...body: string[]): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><body>${body.join('')}</body></html>`;
/** The strictest policy of a shop's page; `frame-src` only for `mode="frame"`. */
const strict = (more = ''): Record<string, string> => ({
  'content-security-policy':
    `default-src 'none'; script-src 'self' ${world.pay.url}; style-src 'self'; connect-src ${world.pay.url}; frame-src ${world.pay.url}; ` +
    `base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'${more}`,
});

async function payInside(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Choose a coin' }).waitFor();
  given(world, 'c1', 'pay', { version: 2 });
  await page.getByRole('heading', { name: 'Send exactly' }).waitFor();
  // A phone folds the code.
  await page.locator('crypto-qr').waitFor({ state: 'attached' });
}

describe('the script tag', () => {
  it.each([
    ['as a module', [MODULE]],
    ['as a classic file', [CLASSIC]],
    ['as a module, twice', [MODULE, MODULE]],
    ['as a classic file, twice', [CLASSIC, CLASSIC]],
    ['both, the module first', [MODULE, CLASSIC]],
    ['both, the classic file first', [CLASSIC, MODULE]],
  ])('works %s, under the strictest policy, and leaves no global', async (_, files) => {
    const { page, errors } = await world.open(
      html(tag('locale="de"'), ...files.map((file) => world.script(file))),
      strict(),
    );
    await page.getByRole('heading', { name: 'Wähle eine Währung' }).waitFor();
    await page
      .locator('crypto-checkout')
      .evaluate((element) => element.setAttribute('locale', 'en'));
    await payInside(page);
    given(world, 'c1', 'paid', { version: 3 });
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    const globals = await page.evaluate(() => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      const usual = new Set(Object.getOwnPropertyNames(frame.contentWindow));
      return Object.getOwnPropertyNames(globalThis).filter(
        (name) => !usual.has(name) && !/^\d+$/.test(name),
      );
    });
    // `events` belongs to this test.
    expect(globals.filter((name) => !/^(?:events|__pw|__playwright)/.test(name))).toEqual([]);
    expect(errors).toEqual([]);
    expect(await page.locator('crypto-checkout').count()).toBe(1);
    await page.close();
  });

  it('fits a policy that names its one Trusted Types policy', async () => {
    const { page, errors } = await world.open(
      html(tag(), world.script(MODULE)),
      strict('; trusted-types lit-html'),
    );
    await payInside(page);
    expect(errors).toEqual([]);
    await page.close();
  });

  // A classic script runs before every module; with `defer` it runs in document order.
  it.each([
    ['the classic file behind it, deferred', [MODULE, 'defer'], ''],
    [
      'the classic file on either side, where duplicates are allowed',
      [MODULE, CLASSIC],
      " 'allow-duplicates'",
    ],
    [
      'the classic file before it, where duplicates are allowed',
      [CLASSIC, MODULE],
      " 'allow-duplicates'",
    ],
  ])('fits such a policy as a module with %s', async (_, files, allowed) => {
    const scripts = files.map((file) =>
      file === 'defer'
        ? world.script(CLASSIC).replace('<script', '<script defer')
        : world.script(file),
    );
    const { page, errors } = await world.open(
      html(tag(), ...scripts),
      strict(`; trusted-types lit-html${allowed}`),
    );
    await payInside(page);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('names the page’s own policy where it keeps the element from its server', async () => {
    const policy = `script-src 'self' ${world.pay.url}; connect-src 'self'`;
    const { page } = await world.open(html(tag()), { 'content-security-policy': policy });
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    await page.evaluate(
      (src) =>
        document.head.append(
          Object.assign(document.createElement('script'), { type: 'module', src }),
        ),
      `${world.pay.url}/elements/${world.manifest.version}/${MODULE}`,
    );
    await expect
      .poll(() => said.join('\n'))
      .toMatch(/crypto-checkout: .* cannot be reached from here: .*connect-src\?/);
    // The request is repeated after some seconds.
    await page.evaluate(() =>
      document.querySelector<HTMLElement & { refresh(): void }>('crypto-checkout')!.refresh(),
    );
    await expect
      .poll(() => said.filter((line) => line.startsWith('crypto-checkout:')).at(-1))
      .toBe(
        `crypto-checkout: the policy of this page keeps it from ${world.pay.url}: it needs connect-src ${world.pay.url}`,
      );
    await page.close();
  });

  it('shows nothing of itself without a script, only what the shop put there', async () => {
    const { page } = await world.open(
      html('<crypto-checkout-button><a href="/pay">Pay by link</a></crypto-checkout-button>'),
    );
    expect(await page.getByRole('link', { name: 'Pay by link' }).isVisible()).toBe(true);
    await page.close();
  });

  it('shows several checkouts that do not disturb each other, in two languages, one in a shadow root', async () => {
    given(world, 'c2', 'pay');
    const { page, errors } = await world.open(
      html(tag('locale="de"'), '<div id="host"></div>', world.script(MODULE)),
      strict(),
    );
    await page.evaluate((server) => {
      const other = document.createElement('crypto-checkout');
      for (const [name, value] of Object.entries({ server, order: 'u', locale: 'ar' }))
        other.setAttribute(name, value);
      document.querySelector('#host')!.attachShadow({ mode: 'open' }).append(other);
    }, world.pay.url);
    await page.getByRole('heading', { name: 'Wähle eine Währung' }).waitFor();
    await page.getByRole('heading', { name: 'أرسل بالضبط' }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('the button on a shop’s page', () => {
  const button = (more = '', content = ''): string =>
    `<crypto-checkout-button server="${world.pay.url}" order="t" ${more}>${content}</crypto-checkout-button>`;

  it('opens a dialog under the strictest policy, full screen on a phone', async () => {
    const { page, errors } = await world.open(html(button(), world.script(MODULE)), strict());
    await page.setViewportSize({ width: 360, height: 640 });
    await page.getByRole('button', { name: 'Pay with cryptocurrency' }).click();
    await payInside(page);
    expect(await page.getByRole('dialog').boundingBox()).toEqual({
      x: 0,
      y: 0,
      width: 360,
      height: 640,
    });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.setViewportSize({ width: 1200, height: 800 });
    const box = (await page.getByRole('dialog').boundingBox())!;
    expect(Math.round(box.x)).toBe(Math.round((1200 - box.width) / 2));
    expect(errors).toEqual([]);
    await page.close();
  });

  it('moves nothing behind it, and the page does not scroll', async () => {
    const { page } = await world.open(
      html(button(), '<p id="mark">x</p>', '<p>text</p>'.repeat(200), world.script(MODULE)),
    );
    const mark = (): Promise<unknown> =>
      page
        .locator('#mark')
        .evaluate((element) => [
          element.getBoundingClientRect().left,
          element.clientWidth,
          scrollY,
        ]);
    await page.getByRole('button').waitFor();
    const before = await mark();
    await page.getByRole('button').click();
    await page.getByRole('dialog').waitFor();
    await page.mouse.move(5, 5);
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(100);
    expect(await mark()).toEqual(before);
    await page.close();
  });

  it('keeps Escape to one dialog at a time', async () => {
    const { page } = await world.open(
      html('<dialog id="outer">', button(), '</dialog>', world.script(MODULE)),
    );
    await page.evaluate(() => document.querySelector<HTMLDialogElement>('#outer')!.showModal());
    await page.getByRole('button').click();
    await page.getByRole('dialog', { name: 'Payment' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Payment' }).waitFor({ state: 'hidden' });
    expect(
      await page.locator('#outer').evaluate((outer) => (outer as HTMLDialogElement).open),
    ).toBe(true);
    await page.close();
  });

  it('goes to the hosted page with mode="redirect", opening the checkout first', async () => {
    const { page } = await world.open(html(button('mode="redirect"'), world.script(MODULE)));
    await page.getByRole('button').click();
    await page.waitForURL(`${world.pay.url}/pay/c1/`);
    await page.getByRole('heading', { name: 'Choose a coin' }).waitFor();
    await page.close();
  });
});

describe('an element that the shop’s server has drawn', () => {
  /** A shop's page with the element, whose script is held back by the test. */
  async function drawn(
    stage: string,
    language: string,
  ): Promise<{ page: Page; errors: string[]; letGo: () => void }> {
    const view = given(world, 'c1', stage);
    const files = { version: world.manifest.version, ssr: 'crypto-checkout-ssr.mjs', sri: {} };
    const {
      html: markup,
      scripts,
      policy,
    } = draw({ checkout: view, server: world.pay.url, files, language });
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const page = await world.browser.newPage();
    await page.route(/crypto-checkout-ssr\.mjs/, async (route) => {
      await gate;
      await route.continue();
    });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on(
      'console',
      (message) =>
        void (/Content Security|Trusted/i.test(message.text()) && errors.push(message.text())),
    );
    const directives = Object.entries(policy).map(
      ([name, sources]) => `${name} ${name.endsWith('-src') ? "'self' " : ''}${sources.join(' ')}`,
    );
    world.pages.set('/drawn', {
      html: html(markup, scripts),
      headers: {
        'content-security-policy': `default-src 'none'; ${directives.join('; ')}; require-trusted-types-for 'script'`,
      },
    });
    await page.goto(`${world.shop.url}/drawn`, { waitUntil: 'commit' });
    return { page, errors, letGo };
  }

  it.each([
    ['choose', 'en', 'Choose a coin'],
    ['pay', 'de', 'Sende genau'],
    ['seen', 'ar', 'رُصدت الدفعة'],
    ['paid', 'en', 'Payment complete'],
  ])(
    'is there before the script, and is taken over without being drawn anew: %s in %s',
    async (stage, language, heading) => {
      const { page, errors, letGo } = await drawn(stage, language);
      const title = page.getByRole('heading', { level: 2 }).first();
      await title.waitFor();
      const words = await title.textContent();
      if (language !== 'ar') expect(words?.trim()).toBe(heading);
      const [status, shift] = [
        await page.locator('crypto-status').first().elementHandle(),
        await watchShifts(page),
      ];
      letGo();
      await page.waitForFunction(
        () =>
          (document.querySelector('crypto-checkout') as { hasUpdated?: boolean } | null)
            ?.hasUpdated,
      );
      expect(await page.evaluate(([node]) => node?.isConnected, [status])).toBe(true);
      expect(await title.textContent()).toBe(words);
      expect(await page.locator('crypto-status').count()).toBe(1);
      // Chromium counts a page as stable below 0.1.
      expect(await shift()).toBeLessThan(0.01);
      given(world, 'c1', 'complete', { version: 9 });
      if (stage !== 'choose')
        await page.waitForFunction(
          () =>
            (document.querySelector('crypto-checkout') as { checkout?: { stage: string } } | null)
              ?.checkout?.stage === 'complete',
        );
      expect(errors).toEqual([]);
      await page.close();
    },
  );

  it('leaves nothing behind that another copy of Lit on the page would find', async () => {
    const { page, letGo } = await drawn('pay', 'en');
    letGo();
    await page.waitForFunction(
      () =>
        (document.querySelector('crypto-checkout') as { hasUpdated?: boolean } | null)?.hasUpdated,
    );
    expect(
      await page.evaluate(() =>
        Object.keys(globalThis).filter((name) => /^(?:lit|reactive)/i.test(name)),
      ),
    ).toEqual([]);
    await page.close();
  });
});

/** The sum of layout shifts from now on. */
async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const page = globalThis as unknown as { shifted: number };
    page.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        page.shifted += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift' });
  });
  return () => page.evaluate(() => (globalThis as unknown as { shifted: number }).shifted);
}
