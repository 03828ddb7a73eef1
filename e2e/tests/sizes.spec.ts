import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures.ts';
import { openHostPage, scriptTag } from '../support/host-page.ts';
import { SCENES } from '../support/scenes.ts';
import type { Stack } from '../support/stack.ts';

// Small screens, and a desktop screen at 400 %, which is as wide as a small one.

/** Screens in addition to the stages. */
const MORE = {
  'other coins': ['pay#1', 'coins'],
  receipt: ['complete#last', 'receipt'],
  'long texts, choosing': ['long-texts#1'],
  'long texts, paying': ['long-texts#2'],
  'long texts, paid': ['long-texts#last'],
  tag: ['xrp-tag#1'],
  'tag from an exchange': ['xrp-exchange#1'],
  'less than exchanges send': ['exchange-small#1'],
  liquid: ['liquid#1'],
  lightning: ['lightning#1'],
  'more time': ['ending#1'],
} as const;
const ALL: Record<string, readonly string[]> = {
  ...Object.fromEntries(Object.entries(SCENES).map(([name, demo]) => [name, [demo]])),
  ...MORE,
};
/** WCAG 2.5.8. */
const TARGET_PX = 24;

async function openAll(page: Page, stack: Stack): Promise<void> {
  const body = Object.entries(ALL)
    .map(
      ([name, [demo, show]]) =>
        `<section title="${name}"><crypto-checkout demo="${demo}" show="${show ?? 'stage'}"></crypto-checkout></section>`,
    )
    .join('');
  await openHostPage(page, stack, { head: scriptTag(stack), body, policy: null });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('crypto-checkout')].every(({ shadowRoot }) => {
      const other = shadowRoot?.querySelector('crypto-hand-off');
      return (
        shadowRoot?.querySelector('crypto-status, [part~="receipt"]') &&
        (!other || other.shadowRoot?.querySelector('button'))
      );
    }),
  );
  // Every fold is open: its content must fit too.
  await page.evaluate(() => {
    const open = (root: ParentNode): void => {
      for (const fold of root.querySelectorAll('details')) fold.open = true;
      for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) open(shadowRoot);
    };
    open(document);
  });
}

/** Elements wider than the screen, and touch targets that are too small. */
const misfits = (page: Page): Promise<{ wide: string[]; small: string[] }> =>
  page.evaluate((least) => {
    const [wide, small]: [string[], string[]] = [[], []];
    const visit = (root: ParentNode, where: string): void => {
      for (const element of root.querySelectorAll('*')) {
        const { width, height, right, left } = element.getBoundingClientRect();
        const name = `${where}: ${element.localName}[${element.getAttribute('part') ?? ''}] ${(element.textContent ?? '').trim().slice(0, 30)}`;
        if (
          width &&
          (right > innerWidth + 1 || left < -1) &&
          getComputedStyle(element).position !== 'absolute'
        )
          wide.push(`${name} ${left}–${right}`);
        if (width && element.matches('a[href], button, input:not([type=hidden]), summary')) {
          // A label is part of its field's target; a link in a sentence has no minimum size.
          const target = element.closest('label') ?? element;
          const box = target.getBoundingClientRect();
          const inText = element.matches('a') && element.closest('p, dd') !== null;
          if (!inText && Math.min(box.width, box.height) < least - 0.5)
            small.push(`${name} ${width}×${height}`);
        }
        if (element.shadowRoot) visit(element.shadowRoot, where);
      }
    };
    for (const section of document.querySelectorAll('section')) visit(section, section.title);
    if (document.documentElement.scrollWidth > innerWidth)
      wide.push(`the page: ${document.documentElement.scrollWidth}`);
    return { wide, small };
  }, TARGET_PX);

for (const width of [320, 360, 412])
  test(
    `at ${width} px every stage fits, and every target is large enough`,
    { tag: width === 360 ? '@firefox' : [] },
    async ({ page, stack }) => {
      await page.setViewportSize({ width, height: 740 });
      await openAll(page, stack);
      expect(await misfits(page)).toEqual({ wide: [], small: [] });
    },
  );

test.describe('at 400 % zoom', () => {
  // A desktop screen of 1280 × 1024.
  test.use({ viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 });

  test('every stage fits, with large enough targets', async ({ page, stack }) => {
    await openAll(page, stack);
    expect(await misfits(page)).toEqual({ wide: [], small: [] });
  });

  test('the hosted page fits in every stage of a payment', async ({ page, stack }) => {
    const { id } = await stack.asShop('/checkouts', {
      order: { order_id: `zoom-${process.pid}`, amount: '18.50', currency: 'USD' },
    });
    const wide = (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await page.goto(`${stack.publicUrl}/pay/${id}/`);
    expect(await wide(), 'choose').toBeLessThanOrEqual(0);
    for (const kind of ['BTC', 'XRP', 'BTC_LIGHTNING', 'L-BTC'])
      for (const from of ['wallet', 'exchange']) {
        await stack.asShop(`/checkouts/${id}/payment`, { kind, from });
        await page.reload();
        expect(await wide(), `${kind} ${from}`).toBeLessThanOrEqual(0);
      }
  });
});
