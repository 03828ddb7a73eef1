import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

/** The checker's source, to be run in a page. */
export const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

interface Axe {
  run(
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { target: unknown; html: string }[] }[] }>;
}

/**
 * Accessibility violations on the page, shadow roots included: WCAG 2.2 AA, or a subset of rules.
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const runOnly = only ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    // Only violations are collected.
    const report = await axe.run({
      runOnly: only ? { type: 'rule', values: runOnly } : runOnly,
      resultTypes: ['violations'],
    });
    return report.violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, html }) => `${JSON.stringify(target)} ${html.slice(0, 100)}`).join(' | ')}`,
    );
  }, rules);
}
