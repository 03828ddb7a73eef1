import type { Page } from '@playwright/test';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';
import { openHostPage, scriptTag, strictPolicy } from '../support/host-page.ts';
import type { Stack } from '../support/stack.ts';
import { newGlobals, eventsOf, violationsSeen, watch } from '../support/record-events.ts';

// On a shop's page that allows nothing inline and no text made into code.

const heading = 'Choose a coin';
const NOON = Date.parse('2026-11-21T12:00:00Z');

/** A script file of the shop's own. */
async function ownScript(page: Page, stack: Stack, source: string): Promise<string> {
  await page.route(`${stack.shopUrl}/own.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: source }),
  );
  return `<script src="/own.js" defer></script>`;
}

const tag = (stack: Stack, id: string, more = ''): string =>
  `<crypto-checkout server="${stack.publicUrl}" checkout="${id}" ${more}></crypto-checkout>`;

test.beforeEach(({ page }) => watch(page));

for (const [form, file] of [
  ['inline', 'crypto-checkout.mjs'],
  ['inline', 'crypto-checkout.js'],
  ['button', 'crypto-checkout.mjs'],
  ['button', 'crypto-checkout.js'],
  ['frame', 'crypto-checkout.mjs'],
] as const)
  test(`${form} with ${file} violates no policy and leaves no global`, async ({ page, stack }) => {
    const id = await orderWithoutReturn(stack);
    const body =
      form === 'button'
        ? `<crypto-checkout-button server="${stack.publicUrl}" checkout="${id}"></crypto-checkout-button>`
        : tag(stack, id, form === 'frame' ? 'mode="frame"' : '');
    await openHostPage(page, stack, { head: scriptTag(stack, file), body });
    if (form === 'button') await page.locator('crypto-checkout-button [part~="button"]').click();
    const within = form === 'frame' ? page.frameLocator('iframe') : page;
    await expect(within.getByRole('heading', { name: heading })).toBeVisible();
    await within.locator('label:has([value="BTC"])').click();
    await expect(within.locator('crypto-qr').first()).toBeVisible();
    await expect(within.locator('crypto-hand-off [part~="large"]')).toBeVisible();
    expect(await eventsOf(page)).toContain('change choose pay');
    expect(await violationsSeen(page)).toEqual([]);
    expect(await newGlobals(page)).toEqual([]);
  });

// A classic script of another origin has no address of its own to read.
for (const kind of ['', 'type="module"', 'defer', 'async'])
  test(`the latest script works as <script ${kind}>, violates no policy and leaves no global`, async ({
    page,
    stack,
  }) => {
    const id = await orderWithoutReturn(stack);
    const head = `<script ${kind} src="${stack.publicUrl}/crypto-checkout.js"></script>`;
    await openHostPage(page, stack, { head, body: tag(stack, id) });
    await expect(page.getByRole('heading', { name: heading })).toBeVisible();
    expect(await violationsSeen(page)).toEqual([]);
    expect(await newGlobals(page)).toEqual([]);
  });

for (const file of ['crypto-checkout.mjs', 'crypto-checkout.js'])
  test(`hooks of the page's own Lit do not affect the elements of ${file}`, async ({
    page,
    stack,
  }) => {
    const id = await orderWithoutReturn(stack);
    await page.addInitScript(() => {
      const asked: string[] = [];
      Object.assign(globalThis, { asked });
      for (const name of [
        'litElementHydrateSupport',
        'litElementPolyfillSupport',
        'litHtmlPolyfillSupport',
        'reactiveElementPolyfillSupport',
      ])
        Object.assign(globalThis, { [name]: () => asked.push(name) });
    });
    await openHostPage(page, stack, { head: scriptTag(stack, file), body: tag(stack, id) });
    await expect(page.getByRole('heading', { name: heading })).toBeVisible();
    expect(await page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)).toEqual(
      [],
    );
  });

test('sdk2.js violates no policy and leaves only its two globals', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  const { payment } = (await (await fetch(`${stack.publicUrl}/checkouts/${id}`)).json()) as {
    payment: { invoice_id: string };
  };
  const own = await ownScript(
    page,
    stack,
    `SDK.setup({ account: 'a', profile: 'p', invoice: '${payment.invoice_id}', placement: 'modal',
      onOpen: (data, code) => document.body.append(code + ' ' + data.payment.id) });
     document.querySelector('#pay').addEventListener('click', () => SDK.open({}));`,
  );
  await openHostPage(page, stack, {
    head: `<script src="${stack.publicUrl}/static/js/sdk2.js"></script>${own}`,
    body: '<button id="pay">Pay</button>',
  });
  await page.locator('#pay').click();
  await expect(page.getByRole('dialog').locator('crypto-qr').first()).toBeVisible();
  await expect(page.locator('body')).toContainText(`open ${payment.invoice_id}`);
  expect(await violationsSeen(page)).toEqual([]);
  expect((await newGlobals(page)).toSorted()).toEqual(['CryptoChill', 'SDK']);
});

test('loading the script twice, also as a classic file, has no further effect', async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  const again = scriptTag(stack, 'crypto-checkout.js').replace('<script ', '<script defer ');
  await openHostPage(page, stack, {
    head: scriptTag(stack) + scriptTag(stack) + again + again,
    body: tag(stack, id),
  });
  await expect(page.getByRole('heading', { name: heading })).toHaveCount(1);
  await expect(page.getByRole('heading', { name: heading })).toBeVisible();
  // Every script has run.
  await page.waitForFunction(() => document.readyState === 'complete');
  expect((await eventsOf(page)).filter((event) => event === 'ready')).toHaveLength(1);
  expect(await violationsSeen(page)).toEqual([]);
  expect(await newGlobals(page)).toEqual([]);
});

test('two checkouts on one page are independent, with their own languages', async ({
  page,
  stack,
}) => {
  const [one, two] = [await orderWithoutReturn(stack), await orderWithoutReturn(stack)];
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: tag(stack, one, 'id="one" locale="de"') + tag(stack, two, 'id="two" locale="ar"'),
  });
  await expect(page.locator('#one [part~="heading"]')).toHaveText('Wähle eine Währung');
  await expect(page.locator('#two [part~="heading"]')).toHaveText(/\p{Script=Arabic}/u);
  await expect(page.locator('#two [part~="base"]')).toHaveAttribute('dir', 'rtl');
  await expect(page.locator('#one [part~="base"]')).toHaveAttribute('dir', 'ltr');
  await page.locator('#one label:has([value="BTC"])').click();
  await expect(page.locator('#one crypto-qr')).toBeVisible();
  await expect(page.locator('#two crypto-coin-picker')).toBeVisible();
  // Lazy files are translated too.
  await expect(page.locator('#one [part~="other-coin"]')).toHaveText(/\p{Script=Latin}/u);
  await page.locator('#two label:has([value="BTC"])').click();
  await expect(page.locator('#two [part~="other-coin"]')).toHaveText(/\p{Script=Arabic}/u);
  expect(await violationsSeen(page)).toEqual([]);
});

test('works inside the shadow root of another element', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  const own = await ownScript(
    page,
    stack,
    `customElements.define('shop-pay', class extends HTMLElement {
      connectedCallback() {
        const element = document.createElement('crypto-checkout');
        element.setAttribute('server', this.getAttribute('server'));
        element.setAttribute('checkout', this.getAttribute('checkout'));
        this.attachShadow({ mode: 'open' }).append(element);
      }
    });`,
  );
  await openHostPage(page, stack, {
    head: own + scriptTag(stack),
    body: `<shop-pay server="${stack.publicUrl}" checkout="${id}"></shop-pay>`,
  });
  await page.locator('label:has([value="BTC"])').click();
  await expect(page.locator('crypto-qr').first()).toBeVisible();
  expect(await eventsOf(page)).toContain('change choose pay');
  expect(await violationsSeen(page)).toEqual([]);
});

test('a forbidden frame is replaced by a link to the hosted page', async ({
  page,
  stack,
  pageErrors,
}) => {
  const id = await orderWithoutReturn(stack);
  const policy = strictPolicy(stack).replace(/frame-src [^;]+/, "frame-src 'none'");
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: tag(stack, id, 'mode="frame"'),
    policy,
  });
  await expect(page.locator('[part~="redirect-link"]')).toHaveAttribute(
    'href',
    `${stack.publicUrl}/pay/${id}/`,
  );
  // The words for developers load on use.
  await expect.poll(() => eventsOf(page)).toContain('error setup');
  // The report of this violation.
  expect(pageErrors.splice(0).join()).toContain('frame-src');
});

test('a frame that does not respond for five seconds becomes a link, until it responds', async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  // Time stands still except for what the test advances: delays of a busy machine are not part of
  // the five seconds.
  await page.clock.install({ time: NOON });
  await page.clock.pauseAt(NOON + 1000);
  await page.route('**/frame/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>silent</title>' }),
  );
  await openHostPage(page, stack, { head: scriptTag(stack), body: tag(stack, id, 'mode="frame"') });
  await expect(page.locator('iframe')).toBeVisible();
  await page.clock.fastForward(4000);
  await expect(page.locator('iframe')).toBeVisible();
  await page.clock.fastForward(2000);
  await expect(page.locator('[part~="redirect-link"]')).toHaveAttribute(
    'href',
    `${stack.publicUrl}/pay/${id}/`,
  );
  await expect.poll(() => eventsOf(page)).toContain('error setup');

  // A page that took longer still takes its place.
  await page.unroute('**/frame/**');
  await page.locator('iframe').evaluate((frame: HTMLIFrameElement) => {
    const { src } = frame;
    frame.src = src;
  });
  await expect(page.frameLocator('iframe').getByRole('heading', { name: heading })).toBeVisible();
  await expect(page.locator('[part~="redirect-link"]')).toHaveCount(0);

  await page.reload();
  await expect(page.frameLocator('iframe').getByRole('heading', { name: heading })).toBeVisible();
  // It has reported its height.
  await expect(page.locator('iframe')).not.toHaveAttribute('height', '640');
  await page.clock.fastForward(10_000);
  await expect(page.locator('iframe')).toBeVisible();
  await expect(page.locator('[part~="redirect-link"]')).toHaveCount(0);
});
