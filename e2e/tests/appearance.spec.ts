import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { NOTES, STAGES } from '../../packages/protocol/src/checkout/checkout.ts';
import { violationsOf } from '../support/axe.ts';
import { expect, test } from '../support/fixtures.ts';
import { manifest, openHostPage, scriptTag } from '../support/host-page.ts';
import { MORE_SCENES, SCENES } from '../support/scenes.ts';
import type { Stack } from '../support/stack.ts';
import { turnOf } from '../../tools/sampled-files.mjs';

const screens = fileURLToPath(new URL('../../test-results/screens/', import.meta.url));

/** Stages side by side, each as wide as a phone or a desktop. */
const body = (width: string, scenes: Readonly<Record<string, string>>): string =>
  `<div class="sheet ${width}">${Object.entries(scenes)
    .map(
      ([name, demo]) =>
        `<section><crypto-checkout id="${name}" demo="${demo}"></crypto-checkout></section>`,
    )
    .join('')}</div>`;
const style = `<style>
  body { margin: 0 }
  .sheet { display: flex; flex-wrap: wrap; gap: 16px; align-items: start; padding: 16px }
  .phone section { inline-size: 400px } .small section { inline-size: 320px } .desk section { inline-size: 720px }
</style>`;

async function openSheet(
  page: Page,
  stack: Stack,
  width: string,
  lang = 'en',
  scenes: Readonly<Record<string, string>> = SCENES,
): Promise<void> {
  await openHostPage(page, stack, {
    head: scriptTag(stack) + style,
    body: body(width, scenes),
    lang,
    policy: null,
  });
  // Every file that loads after the first paint has arrived.
  await page.waitForFunction((count) => {
    const all = [...document.querySelectorAll('crypto-checkout')].filter(({ shadowRoot }) => {
      const status = shadowRoot?.querySelector('[part~="base"] crypto-status')?.shadowRoot;
      const other = shadowRoot?.querySelector('crypto-hand-off');
      return (
        status?.querySelector('[part~="badge"] svg, h2') &&
        (!other || other.shadowRoot?.querySelector('button'))
      );
    });
    return all.length === count && document.documentElement.scrollHeight > 0;
  }, Object.keys(scenes).length);
}

async function applyTheme(page: Page, theme: string): Promise<void> {
  await page.evaluate(async (name) => {
    const isDark =
      name === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : name === 'dark';
    document.documentElement.style.background = isDark ? '#000' : '#fff';
    document.documentElement.style.color = isDark ? '#fff' : '#000';
    for (const one of document.querySelectorAll('crypto-checkout')) one.setAttribute('theme', name);
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})));
  }, theme);
}

/** Pixels by which a checkout is wider than its container. */
const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('section')]
      .filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => `${one.firstElementChild?.id} by ${one.scrollWidth - one.clientWidth}`),
  );

test.describe.configure({ mode: 'parallel' });
// Tracing so many checkouts would take longer than checking them.
test.use({ trace: 'off' });

const LOCALES = ['en', ...Object.keys(manifest().locales)];

test('the stages are tested in every language', () => {
  const translated = readdirSync(new URL('../../packages/elements/xliff/', import.meta.url)).map(
    (name) => name.replace(/\.xlf$/, ''),
  );
  expect(translated.length).toBeGreaterThanOrEqual(30);
  expect(LOCALES.toSorted()).toEqual(['en', ...translated].toSorted());
});

/**
 * Axe and the screenshots take most of this file's time. `npm run nightly` checks all languages;
 * `npm test` draws half of them each time, and inspects an eighth and one from right to left.
 */
const isNightly = process.env['NIGHTLY'] === '1';
const SEED = Number(process.env['SAMPLE_SEED'] ?? Math.floor(Date.now() / 86_400_000));
const everyNth = (parts: number): string[] =>
  LOCALES.filter((locale, at) => isNightly || locale === 'ar' || (at + turnOf(SEED)) % parts === 0);
const drawn = everyNth(2);
const inspected = everyNth(8);

test('every stage, note and failure is accessible in English, light and dark', async ({
  page,
  stack,
}) => {
  await page.setViewportSize({ width: 1700, height: 900 });
  const seen = new Set<string>();
  for (const scenes of [SCENES, MORE_SCENES]) {
    await openSheet(page, stack, 'phone', 'en', scenes);
    for (const theme of ['light', 'dark']) {
      await applyTheme(page, theme);
      expect(await violationsOf(page), theme).toEqual([]);
    }
    expect(await sideways(page)).toEqual([]);
    mkdirSync(`${screens}more`, { recursive: true });
    await page.screenshot({
      path: `${screens}more/${scenes === SCENES ? 'usual' : 'more'}.png`,
      fullPage: true,
    });
    for (const name of await page.evaluate(() =>
      [...document.querySelectorAll('crypto-checkout')].flatMap((one) => {
        const { checkout } = one as Element & { checkout?: { stage: string; notes: string[] } };
        return checkout ? [checkout.stage, ...checkout.notes] : [];
      }),
    ))
      seen.add(name);
  }
  // The hosted page's test shows the note `test_network`.
  const all = [...STAGES, ...NOTES.filter((note) => note !== 'test_network')];
  expect(all.filter((name) => !seen.has(name))).toEqual([]);
});

for (const locale of drawn)
  test(`every stage in ${locale} is translated and fits a phone`, async ({ page, stack }) => {
    await page.setViewportSize({ width: 1700, height: 900 });
    await openSheet(page, stack, 'phone', locale);
    expect(await sideways(page), `${locale} scrolls sideways`).toEqual([]);
    // Everything is translated: no English text of ours is left.
    const languages = await page.evaluate(() =>
      [...document.querySelectorAll('crypto-checkout')].map((one) =>
        one.shadowRoot?.querySelector('[part~="base"]')?.getAttribute('lang'),
      ),
    );
    expect(new Set(languages)).toEqual(new Set([locale]));
    if (!inspected.includes(locale)) return;
    for (const theme of ['light', 'dark'])
      await test.step(`accessible in ${theme}, with a screenshot`, async () => {
        await applyTheme(page, theme);
        expect(await violationsOf(page), `${locale} ${theme}`).toEqual([]);
        expect(await sideways(page), `${locale} scrolls sideways`).toEqual([]);
        mkdirSync(`${screens}${theme}`, { recursive: true });
        const file = `${screens}${theme}/${locale}.jpg`;
        rmSync(file, { force: true });
        // The picture is complete: nothing is as small as an empty sheet, which a busy machine may
        // still have to paint.
        await expect(async () => {
          await page.screenshot({ path: file, type: 'jpeg', quality: 85, fullPage: true });
          expect(statSync(file).size, file).toBeGreaterThan(200_000);
        }).toPass();
      });
  });

for (const colorScheme of ['light', 'dark'] as const)
  test(`theme auto follows a ${colorScheme} device`, async ({ page, stack }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1700, height: 900 });
    await openSheet(page, stack, 'phone');
    const pictureOf = async (theme: string): Promise<Buffer> => {
      await applyTheme(page, theme);
      // The shop's page behind them is the same for all.
      await page.evaluate(
        (name) => (document.documentElement.style.background = name === 'dark' ? '#000' : '#fff'),
        colorScheme,
      );
      // Clocks advance.
      return page.screenshot({
        fullPage: true,
        animations: 'disabled',
        mask: [page.locator('[part~="clock"]')],
      });
    };
    const other = colorScheme === 'light' ? 'dark' : 'light';
    let auto: Buffer = Buffer.alloc(0);
    // Late content is in the second picture, and not in the first: a repeated shot has it in both.
    await expect(async () => {
      const wanted = await pictureOf(colorScheme);
      auto = await pictureOf('auto');
      expect(auto.equals(wanted)).toBe(true);
    }).toPass({ timeout: 40_000 });
    expect(auto.equals(await pictureOf(other))).toBe(false);
    mkdirSync(`${screens}auto`, { recursive: true });
    writeFileSync(`${screens}auto/${colorScheme}.png`, auto);
  });

for (const [width, pixels] of [
  ['small', 1360],
  ['desk', 1520],
] as const)
  test(`every stage fits a ${width} screen, with screenshots`, async ({ page, stack }) => {
    await page.setViewportSize({ width: pixels, height: 900 });
    await openSheet(page, stack, width);
    for (const theme of ['light', 'dark']) {
      await applyTheme(page, theme);
      mkdirSync(`${screens}${width}`, { recursive: true });
      await page.screenshot({ path: `${screens}${width}/${theme}.png`, fullPage: true });
    }
    expect(await sideways(page)).toEqual([]);
  });
