import type { Page } from '@playwright/test';
import { violationsOf } from '../support/axe.ts';
import { expect, test as base } from '../support/fixtures.ts';
import { Stack } from '../support/stack.ts';

// The API reference of the gateway, as a developer uses it.

const test = base.extend<object, { gateway: Stack }>({
  gateway: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the parameter list
    async ({}, use) => {
      const stack = await Stack.start({}, ['gateway']);
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});
test.use({ baseURL: async ({ gateway }, use) => use(gateway.gatewayUrl) });

const search = (page: Page) => page.getByRole('searchbox');

test('a search finds an endpoint by its words, its path and its members', async ({ page }) => {
  await page.goto('/reference/');
  await page.keyboard.press('/');
  await expect(search(page)).toBeFocused();
  await page.keyboard.type('create inv');
  const first = page.locator('#results a').first();
  await expect(first).toHaveText('Create an invoice POST /v1/invoices/');
  await expect(page.getByRole('status')).toHaveText(/^\d+ found$/);
  await page.keyboard.press('ArrowDown');
  await expect(first).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#createInvoice$/);
  await expect(page.getByRole('heading', { name: 'Create an invoice' })).toBeInViewport();
  await expect(page.locator('#results')).toBeHidden();

  await search(page).fill('payouts bump');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#payoutBump$/);
  await search(page).fill('recipient_address');
  await expect(page.locator('#results')).toContainText('Create an automatic payout');
  await search(page).fill('no such thing');
  await expect(page.getByRole('status')).toHaveText('Nothing found.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('status')).toHaveText('');
});

test('the address opens one endpoint, one list, or everything', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto('/reference/');
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  const contents = page.getByRole('navigation', { name: 'Contents' });
  await expect(page.getByRole('heading', { name: 'How to sign a request' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(1);
  expect(await height()).toBeLessThan(8_000);

  await contents.getByRole('link', { name: 'Invoices', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Invoices', exact: true })).toBeInViewport();
  await expect(page.getByRole('article')).toHaveCount(0);
  await expect(contents.locator('[aria-current]')).toHaveText('Invoices');
  expect(await height()).toBeLessThan(3_000);
  await page.getByRole('link', { name: 'Create an invoice', exact: true }).press('Enter');
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect(page.getByRole('heading', { name: 'Create an invoice' })).toBeInViewport();
  // Skipping the contents keeps the endpoint.
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await skip.focus();
  await skip.press('Enter');
  await expect(page.locator('#createInvoice')).toBeFocused();
  await expect(page).toHaveURL(/#createInvoice$/);
  await page.goBack();
  await expect(page.getByRole('article')).toHaveCount(0);

  await page.goto('/reference/#object-Invoice');
  await expect(page.getByRole('article', { name: 'Invoice', exact: true })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(1);
  await contents.getByRole('link', { name: 'Everything on one page' }).click();
  expect(await page.getByRole('article').count()).toBeGreaterThan(50);
});

test('examples are in the chosen language, and can be copied', async ({ page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/reference/#createInvoice');
  const article = page.getByRole('article', { name: 'Create an invoice' });
  await expect(article.getByText('cc POST /v1/invoices/')).toBeVisible();
  await expect(article.getByText('await client.invoices.create')).toBeHidden();
  await page.getByLabel('Examples in').selectOption('TypeScript');
  await expect(article.getByText('cc POST /v1/invoices/')).toBeHidden();
  const call = article.getByText('await client.invoices.create');
  await expect(call).toBeVisible();
  await article.getByRole('button', { name: 'Copy' }).first().click();
  await expect(page.getByRole('status')).toHaveText('Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await call.textContent());
});

test('is whole without a script', async ({ browser, gateway }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${gateway.gatewayUrl}/reference/`);
  await expect(search(page)).toBeHidden();
  await page.getByRole('link', { name: 'Create an invoice' }).first().click();
  await expect(page.getByText('cc POST /v1/invoices/ ')).toBeVisible();
  await page.getByLabel('Examples in').selectOption('TypeScript');
  await expect(page.getByText('await client.invoices.create')).toBeVisible();
  await context.close();
});

test('fits phones and desktops and is accessible, in light and dark', async ({ page }) => {
  test.setTimeout(120_000);
  for (const [width, height, colorScheme] of [
    [1440, 900, 'light'],
    [360, 640, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.goto('/reference/');
    await search(page).fill('invoice');
    await expect(page.locator('#results')).toBeVisible();
    const where = `${width} in ${colorScheme}`;
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      where,
    ).toBeLessThanOrEqual(0);
    await page.screenshot({ path: `test-results/screens/reference/search-${width}.png` });
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Invoices' }).first().click();
    await page.screenshot({ path: `test-results/screens/reference/section-${width}.png` });
    expect(await violationsOf(page), `the section at ${where}`).toEqual([]);
    await page.getByRole('link', { name: 'Create an invoice' }).first().click();
    await page.screenshot({ path: `test-results/screens/reference/endpoint-${width}.png` });
    expect(await violationsOf(page), where).toEqual([]);
    await search(page).fill('invoice');
    expect(await violationsOf(page), `results at ${where}`).toEqual([]);
  }
});
