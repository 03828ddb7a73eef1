import type { Page } from '@playwright/test';
import { expect, orderWithoutReturn, test } from '../support/fixtures.ts';
import { openHostPage, scriptTag } from '../support/host-page.ts';
import type { Stack } from '../support/stack.ts';
import { eventsOf, watch } from '../support/record-events.ts';

// Another script of the shop's page changes the payment details. Inside the page this is detected
// and hidden, best effort; in a frame it is impossible.

/** The longest time for which changed details may be visible. */
const HIDDEN_WITHIN_MS = 500;
const EVIL = 'tb1qevil0evil0evil0evil0evil0evil0evil0e';

async function openPayment(page: Page, stack: Stack, kind: string, mode = 'inline'): Promise<void> {
  await watch(page);
  const id = await orderWithoutReturn(stack);
  await stack.asShop(`/checkouts/${id}/payment`, { kind });
  await openHostPage(page, stack, {
    head: scriptTag(stack),
    body: `<crypto-checkout server="${stack.publicUrl}" checkout="${id}" mode="${mode}"></crypto-checkout>`,
  });
}

/** Attacks, each run in the page. */
const CHANGES: Record<string, { kind: string; run: (evil: string) => void }> = {
  'the address': {
    kind: 'BTC',
    run: (evil) => {
      const root = document
        .querySelector('crypto-checkout')!
        .shadowRoot!.querySelector('crypto-address')!.shadowRoot!;
      root.querySelector('[part~="value"]')!.textContent = evil;
    },
  },
  'the amount': {
    kind: 'BTC',
    run: () => {
      const root = document
        .querySelector('crypto-checkout')!
        .shadowRoot!.querySelector('crypto-amount')!.shadowRoot!;
      root.querySelector('[part~="value"]')!.textContent = '9.99 BTC';
    },
  },
  'the code': {
    kind: 'BTC',
    run: () => {
      const root = document
        .querySelector('crypto-checkout')!
        .shadowRoot!.querySelector('crypto-qr')!.shadowRoot!;
      root.querySelector('svg [d]')!.setAttribute('d', 'M0 0h7v7H0z');
    },
  },
  'the wallet link': {
    kind: 'BTC',
    run: (evil) => {
      const link = document
        .querySelector('crypto-checkout')!
        .shadowRoot!.querySelector('a[part~="wallet-link"]')!;
      link.setAttribute('href', `bitcoin:${evil}?amount=1`);
    },
  },
  'the tag': {
    kind: 'XRP',
    run: () => {
      const root = document
        .querySelector('crypto-checkout')!
        .shadowRoot!.querySelector('crypto-address')!.shadowRoot!;
      [...root.querySelectorAll('[part~="value"]')].at(-1)!.textContent = '4711';
    },
  },
  "the element's own property": {
    kind: 'BTC',
    run: (evil) => {
      const element = document
        .querySelector('crypto-checkout')!
        .shadowRoot!.querySelector('crypto-address')!;
      (element as unknown as { address: string }).address = evil;
    },
  },
  'a code of its own above ours': {
    kind: 'BTC',
    run: () => {
      const picture = document.createElement('canvas');
      picture.width = picture.height = 240;
      document
        .querySelector('crypto-checkout')!
        .shadowRoot!.querySelector('[part~="base"]')!
        .prepend(picture);
    },
  },
};

for (const [what, { kind, run }] of Object.entries(CHANGES))
  test(`${what} changed by another script is hidden within half a second and reported`, async ({
    page,
    stack,
  }) => {
    // Half a second of the page's own clock: a busy machine is not late by it.
    await page.clock.install();
    await openPayment(page, stack, kind);
    // The tamper check starts together with the other lazy files.
    await expect(page.locator('crypto-hand-off [part~="large"]')).toBeVisible();
    // Without a change nothing is hidden.
    await expect(page.locator('crypto-address')).toBeVisible();
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000);
    await expect(page.locator('crypto-address')).toBeVisible();
    await page.evaluate(run, EVIL);
    await page.clock.runFor(HIDDEN_WITHIN_MS);
    expect(await page.locator('crypto-address').isVisible()).toBe(false);
    await expect(page.locator('[part~="guard"]')).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('Please do not pay here');
    await expect(page.locator('crypto-qr').first()).toBeHidden();
    await expect(page.locator('[part~="guard-link"]')).toHaveAttribute(
      'href',
      new RegExp(`^${stack.publicUrl}/pay/`),
    );
    expect(await eventsOf(page)).toContain('error tampered');
  });

test('a script of the page cannot reach into the frame', async ({ page, stack }) => {
  await openPayment(page, stack, 'BTC', 'frame');
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('crypto-qr').first()).toBeVisible();
  const address = await frame.locator('crypto-address [part~="value"]').first().textContent();
  const reached = await page.evaluate((evil) => {
    const iframe = document.querySelector('crypto-checkout')!.shadowRoot!.querySelector('iframe')!;
    const tried: string[] = [];
    const attempt = (name: string, what: () => unknown): void => {
      try {
        const got = what();
        if (got !== null && got !== undefined) tried.push(`${name}: ${typeof got}`);
      } catch {
        // The browser refuses.
      }
    };
    attempt('contentDocument', () => iframe.contentDocument);
    attempt('document', () => iframe.contentWindow!.document);
    attempt('checkout', () => (iframe.contentWindow as unknown as { checkout: unknown }).checkout);
    attempt('location', () => iframe.contentWindow!.location.href);
    attempt('storage', () => iframe.contentWindow!.localStorage);
    // Messages to the frame are ignored.
    for (const type of ['checkout', 'hello', 'welcome', 'look'])
      iframe.contentWindow!.postMessage(
        {
          name: 'crypto-checkout',
          v: 1,
          type,
          nonce: 'x',
          checkout: { payment: { address: evil } },
        },
        '*',
      );
    return tried;
  }, EVIL);
  expect(reached).toEqual([]);
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  expect(await frame.locator('crypto-address [part~="value"]').first().textContent()).toBe(address);
  expect(await eventsOf(page)).not.toContain('error tampered');
});
