import type { Locator, Page } from '@playwright/test';
import { PNG } from 'pngjs';
import { expect, test } from '../support/fixtures.ts';
import { tabTo, tabToPart } from '../support/focus.ts';
import { openHostPage, scriptTag } from '../support/host-page.ts';
import { decodeQr } from '../support/qr.ts';
import { SCENES } from '../support/scenes.ts';
import type { Stack } from '../support/stack.ts';

// Forced colors replace ours, as with Windows' contrast themes.

const SHOWN = ['choose', 'pay', 'exchange', 'underpaid', 'paid', 'expired'] as const;
const style = `<style>
  body { margin: 0 } main { display: flex; flex-wrap: wrap; align-items: start; gap: 16px; padding: 16px } crypto-checkout { inline-size: 400px }
</style>`;

async function openStages(page: Page, stack: Stack, theme: string): Promise<void> {
  await page.setViewportSize({ width: 1300, height: 900 });
  const body = SHOWN.map(
    (name) =>
      `<crypto-checkout id="${name}" demo="${SCENES[name]}" theme="${theme}"></crypto-checkout>`,
  ).join('');
  await openHostPage(page, stack, { head: scriptTag(stack) + style, body, policy: null });
  for (const name of ['pay', 'exchange', 'underpaid'])
    await expect(
      page
        .locator(
          `#${name} ${name === 'exchange' ? '[part~="option"]' : 'crypto-hand-off [part~="large"]'}`,
        )
        .first(),
    ).toBeVisible();
  for (const name of ['paid', 'expired'])
    await expect(page.locator(`#${name} [part~="badge"] svg`)).toBeVisible();
}

/**
 * Texts and pictures in a colour outside the forced palette, or with too little contrast to the
 * background.
 */
const strangers = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    const shown = (colour: string): string => (
      (probe.style.color = colour),
      getComputedStyle(probe).color
    );
    const own = new Set(
      [
        'CanvasText',
        'LinkText',
        'VisitedText',
        'ButtonText',
        'FieldText',
        'GrayText',
        'HighlightText',
      ].map(shown),
    );
    probe.remove();
    const visit = (root: ParentNode): string[] =>
      [...root.querySelectorAll('*')].flatMap((element) => [
        ...(element.getClientRects().length &&
        !element.closest('style') &&
        (element.localName === 'svg' ||
          [...element.childNodes].some((node) => node instanceof Text && node.data.trim())) &&
        element.getAttribute('part') !== 'image' &&
        !own.has(getComputedStyle(element).color)
          ? [
              `${element.localName} "${element.textContent?.trim().slice(0, 30)}" ${getComputedStyle(element).color}`,
            ]
          : []),
        ...(element.shadowRoot ? visit(element.shadowRoot) : []),
      ]);
    return [...document.querySelectorAll('crypto-checkout')].flatMap(({ shadowRoot }) =>
      visit(shadowRoot!),
    );
  });

/** The rendered edge of a control. */
const edgeOf = (control: Locator): Promise<string> =>
  control.evaluate((element) => {
    const { borderTopWidth, borderTopStyle, borderTopColor } = getComputedStyle(element);
    return `${borderTopWidth} ${borderTopStyle} ${borderTopColor}`;
  });

/** Width of the focus outline, and its contrast with the page. */
const ringOf = (page: Page): Promise<{ width: number; colours: string[] }> =>
  page.evaluate(() => {
    let element = document.activeElement!;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    // A radio button's outline surrounds its whole label.
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(
      element.closest('label') ?? element,
    );
    return {
      width: outlineStyle === 'none' ? 0 : parseFloat(outlineWidth),
      colours: [outlineColor, getComputedStyle(document.body).backgroundColor],
    };
  });

for (const [scheme, theme] of [
  ['light', 'dark'],
  ['dark', 'light'],
  ['dark', 'auto'],
] as const)
  test(`forced ${scheme} colours with theme ${theme}: text readable, QR scannable, choice and focus visible`, async ({
    page,
    stack,
  }, info) => {
    await page.emulateMedia({ forcedColors: 'active', colorScheme: scheme });
    await openStages(page, stack, theme);
    await page.screenshot({ path: info.outputPath('forced.png'), fullPage: true });

    await expect.poll(() => strangers(page)).toEqual([]);

    for (const name of ['pay', 'exchange', 'underpaid']) {
      const picture = await page.locator(`#${name} crypto-qr`).first().screenshot();
      expect(decodeQr(picture), name).toMatch(/^(?:bitcoin:)?tb1/i);
      // Decoders also read white on black; not all scanners do.
      const { data, width } = PNG.sync.read(picture);
      const greys = Array.from({ length: data.length / 4 }, (_, at) => data[at * 4]!);
      expect(greys[20 * width + 20], `${name}: the quiet zone`).toBe(255);
      expect(Math.min(...greys), `${name}: the modules`).toBe(0);
      for (const part of await page
        .locator(`#${name} [part~="option"][aria-pressed="true"]`)
        .all()) {
        const other = part.locator('xpath=../button[@aria-pressed="false"]').first();
        expect(await edgeOf(part)).not.toBe(await edgeOf(other));
      }
    }
    const radio = (kind: string): Locator => page.locator(`#choose input[value="${kind}"]`);
    await radio('BTC').evaluate((input: HTMLInputElement) => (input.checked = true));
    expect((await radio('BTC').screenshot()).equals(await radio('ETH').screenshot())).toBe(false);

    await page.locator('#choose').getByRole('searchbox').focus();
    for (const reach of [
      () => tabTo(page, ({ value }) => value === 'BTC'),
      () => tabToPart(page, 'submit'),
      () => tabToPart(page, 'option'),
      () => tabToPart(page, 'copy-button'),
      () => tabToPart(page, 'other-coin'),
    ]) {
      const { part } = (await reach()).at(-1)!;
      const { width, colours } = await ringOf(page);
      expect(width, part).toBeGreaterThanOrEqual(2);
      expect(colours[0], part).not.toBe(colours[1]);
    }
  });
