import { type Page, test as base } from '@playwright/test';
import { Stack } from './stack.ts';

/**
 * The hash of the style that Playwright adds to a page for a screenshot. Its policy report is
 * ignored.
 */
const SCREENSHOT_STYLE = 'sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=';

interface WorkerFixtures {
  /** Gateway, BFF and shop for the tests of one worker; blocks and clock move by hand. */
  stack: Stack;
}
interface TestFixtures {
  /** Errors and policy reports of the page. Checked to be empty after each test. */
  pageErrors: string[];
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  stack: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the parameter list
    async ({}, use) => {
      const stack = await Stack.start();
      await use(stack);
      await stack.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  pageErrors: [
    async ({ page }, use) => {
      const errors: string[] = [];
      const report = (text: string): void => {
        if (!text.includes(SCREENSHOT_STYLE)) errors.push(text);
      };
      page.on('pageerror', (error) => report(error.message));
      page.on('console', (message) => {
        if (/Content.Security.Policy|Trusted Type/i.test(message.text())) report(message.text());
      });
      await use(errors);
      base.expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});
export { expect } from '@playwright/test';

/** Buys a product of the demo shop and returns the order's id; the browser is on the order page. */
export async function order(page: Page, stack: Stack, product = 'Harbour mug'): Promise<string> {
  await page.goto(stack.shopUrl);
  await page.getByRole('listitem').filter({ hasText: product }).getByRole('button').click();
  await page.waitForURL(/\/orders\/A-/);
  return new URL(page.url()).pathname.split('/')[2] ?? '';
}

let opened = 0;
/** Opens a checkout from the shop's server, without a page to return to; returns its id. */
export async function orderWithoutReturn(stack: Stack): Promise<string> {
  const order = {
    order_id: `direct-${process.pid}-${(opened += 1)}`,
    amount: '18.50',
    currency: 'USD',
  };
  return (await stack.asShop('/checkouts', { order })).id;
}
