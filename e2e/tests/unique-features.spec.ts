import { createHash } from 'node:crypto';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';
import { manifest, openHostPage, scriptTag } from '../support/host-page.ts';

// Features that no compared checkout has, as far as no other file shows them; README.md has the
// list.

test('published integrity hashes match every script and block a changed one', async ({
  page,
  stack,
  pageErrors,
}) => {
  const published = (await (
    await fetch(`${stack.publicUrl}/elements/${manifest().version}/manifest.json`)
  ).json()) as {
    version: string;
    sri: Record<string, string>;
  };
  for (const file of ['crypto-checkout.mjs', 'crypto-checkout.js']) {
    const body = Buffer.from(
      await (await fetch(`${stack.publicUrl}/elements/${published.version}/${file}`)).arrayBuffer(),
    );
    expect(published.sri[file]).toBe(
      `sha384-${createHash('sha384').update(body).digest('base64')}`,
    );
  }
  await page.route('**/elements/**/crypto-checkout.mjs', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `${await answer.text()}\n// one byte more` });
  });
  const id = await orderWithoutReturn(stack);
  const refused = page.waitForEvent('console', (message) => message.text().includes('integrity'));
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: `<crypto-checkout server="${stack.publicUrl}" checkout="${id}"></crypto-checkout>`,
  });
  await refused;
  expect(await page.evaluate(() => customElements.get('crypto-checkout') === undefined)).toBe(true);
  pageErrors.length = 0;
});

test('the clipboard is read back after copying; a changed one is reported', async ({
  page,
  stack,
}) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  // Malware that changes addresses on the clipboard.
  await page.addInitScript(() => {
    navigator.clipboard.readText = () =>
      Promise.resolve('tb1qsomebody0else0somebody0else0somebody0el');
  });
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await page.locator('crypto-address [part~="copy-button"]').first().click();
  await expect(page.locator('crypto-address')).toContainText(/clipboard/i);
});

test('a text that the buyer copies right afterwards is no alarm', async ({ page, stack }) => {
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind: 'BTC' });
  await page.goto(`${stack.publicUrl}/pay/${id}/`);
  await page.evaluate(() => {
    const text = document.body.appendChild(document.createElement('p'));
    text.textContent = 'the buyer selected this';
    getSelection()?.selectAllChildren(text);
  });
  const address = page.locator('crypto-address');
  await address.locator('[part~="copy-button"]').first().click();
  await expect(address).toContainText('Copied');
  await page.evaluate(() => getSelection()?.selectAllChildren(document.body.lastElementChild!));
  await page.keyboard.press('Control+c');
  // Longer than the check takes.
  await page.waitForTimeout(1000);
  await expect(address).not.toContainText(/clipboard/i);
});

/** Every stage that another one can turn into, and an unknown one of a newer server. */
const TURNS = [
  'complete',
  'expired',
  'failed',
  'held',
  'late',
  'paid',
  'pay',
  'seen',
  'under_review',
  'underpaid',
];

/** Runs in the page: records stage changes, announcements and tamper alarms. */
function recordAnnouncements(): void {
  const recorded = {
    turned: [] as { host: Element; to: string }[],
    said: new Map<Element, string[]>(),
  };
  const alarms: string[] = [];
  Object.assign(globalThis, { recorded, alarms });
  document.addEventListener('checkout-error', (event) => {
    const { code, target } = event as Event & { code: string };
    if (code === 'tampered') alarms.push((target as Element).id);
  });
  document.addEventListener('checkout-ready', ({ target }) => {
    const root = (target as Element).shadowRoot!;
    const listen = (): void => {
      const text = root.querySelector('[aria-live="polite"]')?.textContent;
      if (text) recorded.said.set(root.host, [...(recorded.said.get(root.host) ?? []), text]);
    };
    new MutationObserver(listen).observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  document.addEventListener('checkout-change', (event) =>
    recorded.turned.push({
      host: event.target as Element,
      to: (event as Event & { to: string }).to,
    }),
  );
}

/** Runs in the page: stages whose title was not announced. */
function unannouncedStages(): string[] {
  const { recorded } = globalThis as unknown as {
    recorded: { turned: { host: Element; to: string }[]; said: Map<Element, string[]> };
  };
  const titleOf = ({ shadowRoot }: Element): string =>
    (
      shadowRoot?.querySelector('crypto-status')?.shadowRoot?.querySelector('h2') ??
      shadowRoot?.querySelector('h2')
    )?.textContent
      ?.trim()
      // The amount follows this heading on the screen; it is spoken as a sentence.
      .replace('Send exactly', 'Send your payment') ?? '?';
  return recorded.turned
    .filter(({ host }) => !recorded.said.get(host)?.some((text) => text.includes(titleOf(host))))
    .map(
      ({ host, to }) =>
        `${host.id}: ${to}, "${titleOf(host)}", but: ${recorded.said.get(host)?.join(' | ')}`,
    );
}

test('each stage is announced in one polite live region', async ({ page, stack }) => {
  // A page with all checkouts is slow on a busy machine.
  test.setTimeout(120_000);
  await page.goto(`${stack.shopUrl}/scenarios/`);
  const options = page.locator('select[name=demo] option');
  await expect.poll(() => options.count()).toBeGreaterThan(30);
  const scenarios = await options.allTextContents();
  await page.addInitScript(recordAnnouncements);
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: scenarios
      .map((name) => `<crypto-checkout id="${name}" demo="${name}#1"></crypto-checkout>`)
      .join(''),
  });
  // All are settled, and have the announcer loaded.
  await expect(page.locator('#paid crypto-hand-off [part~="large"]')).toBeVisible({
    timeout: 30_000,
  });
  await expect(page.locator('#choose input[type=radio]').first()).toBeVisible();

  const announced = new Set<string>();
  // More steps than the longest scenario has.
  for (let step = 2; step <= 8; step += 1) {
    await page.evaluate(async () => {
      const { recorded } = globalThis as unknown as {
        recorded: { turned: unknown[]; said: Map<Element, string[]> };
      };
      recorded.turned = [];
      recorded.said.clear();
      dispatchEvent(new CustomEvent('crypto-checkout-demo'));
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    });
    await expect
      .poll(() => page.evaluate(unannouncedStages), { message: `step ${step}`, timeout: 15_000 })
      .toEqual([]);
    const turned = await page.evaluate(() =>
      (globalThis as unknown as { recorded: { turned: { to: string }[] } }).recorded.turned.map(
        ({ to }) => to,
      ),
    );
    for (const stage of turned) announced.add(stage);
  }
  expect([...announced].toSorted()).toEqual(TURNS);
  // Unchanged details raise no alarm.
  expect(await page.evaluate(() => (globalThis as unknown as { alarms: string[] }).alarms)).toEqual(
    [],
  );
  for (const name of scenarios.filter((one) => !/^(?:error-|slow)/.test(one)))
    await expect(page.locator(`#${name} [aria-live]`), name).toHaveCount(1, { timeout: 30_000 });
});

test('respects prefers-reduced-motion', async ({ page, stack }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: '<crypto-checkout demo="complete#last"></crypto-checkout><crypto-checkout-button demo="pay#1"></crypto-checkout-button>',
  });
  await expect(page.locator('[part~="receipt-link"]')).toBeVisible();
  await page.locator('crypto-checkout-button [part~="button"]').click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
});

test("a shop's style sheet styles the parts through ::part, under a strict policy", async ({
  page,
  stack,
}) => {
  await page.route(`${stack.shopUrl}/own.css`, (route) =>
    route.fulfill({
      contentType: 'text/css',
      body: `crypto-checkout::part(base) { border-style: dotted }
        crypto-checkout::part(value) { letter-spacing: 3px }
        crypto-checkout::part(copy-button) { text-transform: uppercase }
        crypto-checkout::part(option) { text-decoration: underline }`,
    }),
  );
  await openHostPage(page, stack, {
    head: `<link rel="stylesheet" href="/own.css">${scriptTag(stack)}`,
    body: '<crypto-checkout demo="pay#1"></crypto-checkout>',
  });
  await expect(page.locator('[part~="option"]').first()).toHaveCSS(
    'text-decoration-line',
    'underline',
  );
  await expect(page.locator('[part~="base"]').first()).toHaveCSS('border-top-style', 'dotted');
  // In another element's shadow root.
  await expect(page.locator('crypto-address [part~="value"]').first()).toHaveCSS(
    'letter-spacing',
    '3px',
  );
  await expect(page.locator('crypto-address [part~="copy-button"]').first()).toHaveCSS(
    'text-transform',
    'uppercase',
  );
});
