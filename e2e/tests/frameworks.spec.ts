import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Buyer } from '../support/buyer.ts';
import { expect, order, test } from '../support/fixtures.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The examples under demo/frameworks, and the colour of each one's brand. */
const EXAMPLES = { html: '#23595d', react: '#6d28d9', vue: '#0f6b4f', svelte: '#b3261e' };

test.use({ colorScheme: 'light' });

for (const [name, brand] of Object.entries(EXAMPLES))
  test(`${name}: a purchase with events, in the shop's colours, under a strict policy`, async ({
    page,
    stack,
  }, info) => {
    const created = page.waitForResponse((response) =>
      response.url().endsWith('/frameworks/orders'),
    );
    await page.goto(`${stack.shopUrl}/frameworks/${name}/`);
    await page.getByRole('button', { name: 'Buy' }).click();
    const { id } = (await (await created).json()) as { id: string };
    const buyer = new Buyer(page);
    await buyer.reaches('choose');
    expect(
      await buyer.checkout.evaluate((element) =>
        getComputedStyle(element).getPropertyValue('--crypto-checkout-accent'),
      ),
    ).toContain(brand);
    await buyer.choose('BTC');
    await page.screenshot({ path: info.outputPath(`${name}.png`), fullPage: true });
    await stack.sandbox('pay', { invoice_id: (await buyer.payment()).invoice_id });
    await expect(page.getByText('Payment detected.', { exact: true })).toBeVisible({
      timeout: 15_000,
    });
    await stack.sandbox('mine', { kind: 'BTC', blocks: 1 });
    await expect(page.getByText(`Thank you! We pack order ${id}.`)).toBeVisible({
      timeout: 15_000,
    });
    await expect.poll(() => stack.orderStatus(id)).toBe('paid');
  });

test('the shop embeds the checkout in four forms', async ({ page, stack }) => {
  await order(page, stack);
  const choose = 'Choose a coin';
  await expect(page.getByRole('heading', { name: choose })).toBeVisible();
  await page.getByRole('link', { name: 'Button and dialog' }).click();
  await page.locator('crypto-checkout-button').click();
  await expect(page.getByRole('dialog').getByRole('heading', { name: choose })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'In a frame' }).click();
  await expect(page.frameLocator('iframe').getByRole('heading', { name: choose })).toBeVisible();
  // By keyboard: the parent frame still grows with its content.
  await page.getByRole('link', { name: 'On its own page' }).press('Enter');
  await expect(
    page.locator('crypto-checkout').getByRole('link', { name: 'Pay with cryptocurrency' }),
  ).toHaveAttribute('href', new RegExp(`^${stack.publicUrl}/pay/`));
});

test('every scenario opens on the scenario page, and its events are logged', async ({
  page,
  stack,
}) => {
  await page.goto(`${stack.shopUrl}/scenarios/`);
  const names = await page.locator('select[name=demo] option').allTextContents();
  expect(names.length).toBeGreaterThan(30);
  const checkout = page.locator('#stand crypto-checkout');
  for (const name of names.filter((one) => one !== 'slow')) {
    await page.getByLabel('Scenario', { exact: true }).selectOption(name);
    await page
      .getByLabel('Step', { exact: true })
      .selectOption({ index: -1 + (await page.locator('select[name=step] option').count()) });
    await expect(checkout, name).toHaveAttribute('demo', new RegExp(`^${name}#`));
    await expect(page.locator('#log li').first(), name).toHaveText(/^checkout-(?:ready|error)/);
  }
});

test("the on-ramp scenario shows the hosted page's frame and loads nothing from other companies", async ({
  page,
  stack,
}) => {
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).hostname));
  await page.goto(`${stack.shopUrl}/scenarios/?demo=onramp&step=2`);
  await page.locator('#onramp > summary').click();
  await expect(page.locator('#onramp')).toContainText('onramp.example');
  await expect(page.locator('#stand')).toContainText('on the hosted page only');
  await page.getByLabel('Step', { exact: true }).selectOption('3');
  await expect(page.locator('#log li').first()).toBeVisible();
  await expect(page.locator('#onramp')).toHaveCount(0);
  expect([...hosts]).toEqual(['localhost']);
});

test('a scenario plays to its end without leaving the page', async ({ page, stack }) => {
  await page.goto(`${stack.shopUrl}/scenarios/?demo=return`);
  await expect(page.locator('#log')).toContainText('seen → paid', { timeout: 20_000 });
  await expect(page.locator('#log')).toContainText('checkout-paid');
  expect(page.url()).toContain('/scenarios/');
});

test('the scenario page has no accessibility violations', async ({ page, stack }) => {
  await page.goto(`${stack.shopUrl}/scenarios/?demo=pay&step=1`);
  await expect(page.locator('#log li').first()).toBeVisible();
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const report = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return report.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`,
    );
  });
  expect(violations).toEqual([]);
});
