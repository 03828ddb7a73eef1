import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from './fixtures.ts';
import { manifest, openHostPage, scriptTag } from './host-page.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screens = fileURLToPath(new URL('../test-results/screens/', import.meta.url));

/** Every stage, and the notes beside one: scenarios that stand still. */
const SCENES = {
  choose: 'choose',
  pay: 'pay',
  exchange: 'exchange',
  underpaid: 'underpaid#2',
  seen: 'seen#last',
  paid: 'paid#last',
  complete: 'complete#last',
  expired: 'expired#2',
  late: 'late#3',
  overpaid: 'overpaid#2',
  held: 'held#3',
  failed: 'failed#3',
  replaced: 'replaced#3',
  reusable: 'reusable#1',
  unknown: 'unknown#2',
  error: 'error-not-found',
};

const body = Object.entries(SCENES)
  .map(([name, demo]) => `<section><crypto-checkout id="${name}" demo="${demo}"></crypto-checkout></section>`)
  .join('');

test.describe.configure({ mode: 'parallel' });

for (const locale of ['en', ...Object.keys(manifest().locales)])
  test(`every stage in ${locale} is accessible in light and dark, and has its picture taken`, async ({ page, stack }) => {
    test.slow();
    await page.setViewportSize({ width: 400, height: 900 });
    await openHostPage(page, stack, { head: scriptTag(stack), body, lang: locale, policy: null });
    await page.waitForFunction(
      (count) =>
        [...document.querySelectorAll('crypto-checkout')].filter((one) => one.shadowRoot?.querySelector('[part~="base"] crypto-status'))
          .length === count,
      Object.keys(SCENES).length,
    );
    await page.evaluate(axe);
    for (const theme of ['light', 'dark']) {
      await page.evaluate((name) => {
        document.documentElement.style.background = name === 'dark' ? '#000' : '#fff';
        document.documentElement.style.color = name === 'dark' ? '#fff' : '#000';
        for (const one of document.querySelectorAll('crypto-checkout')) one.setAttribute('theme', name);
      }, theme);
      await page.waitForTimeout(100);
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as {
          axe: { run(options: unknown): Promise<{ violations: { id: string; nodes: { target: unknown; html: string }[] }[] }> };
        };
        const report = await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
        return report.violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ target, html }) => `${JSON.stringify(target)} ${html.slice(0, 100)}`).join(' | ')}`,
        );
      });
      expect(violations, `${locale} ${theme}`).toEqual([]);
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(sideways, `${locale} scrolls sideways`).toBeLessThanOrEqual(0);
      mkdirSync(`${screens}${theme}/${locale}`, { recursive: true });
      for (const name of Object.keys(SCENES))
        await page.locator(`#${name}`).screenshot({ path: `${screens}${theme}/${locale}/${name}.png` });
    }
    // Every text of the page is in the language: none of ours is left in English.
    const languages = await page.evaluate(() =>
      [...document.querySelectorAll('crypto-checkout')].map((one) => one.shadowRoot?.querySelector('[part~="base"]')?.getAttribute('lang')),
    );
    expect(new Set(languages)).toEqual(new Set([locale]));
  });

for (const [what, width, height] of [
  ['a phone', 320, 640],
  ['a desk', 1280, 900],
] as const)
  test(`every stage fits ${what}, and has its picture taken`, async ({ page, stack }) => {
    test.slow();
    await page.setViewportSize({ width, height });
    await openHostPage(page, stack, { head: scriptTag(stack), body, policy: null });
    for (const name of Object.keys(SCENES)) {
      const checkout = page.locator(`#${name}`);
      await expect(checkout.locator('crypto-status').first()).toBeVisible();
      for (const theme of ['light', 'dark']) {
        await checkout.evaluate((element, to) => element.setAttribute('theme', to), theme);
        mkdirSync(`${screens}${width}/${theme}`, { recursive: true });
        await checkout.screenshot({ path: `${screens}${width}/${theme}/${name}.png` });
      }
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
  });
