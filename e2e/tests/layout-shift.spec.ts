import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures.ts';
import { openHostPage, scriptTag } from '../support/host-page.ts';

// A stage changes while the buyer reads or reaches for a button: what stays must not move.

declare global {
  interface Window {
    shifts: { value: number; moved: string[] }[];
  }
}

/** Scenarios and their steps; each step follows the one before it while the buyer looks. */
const COURSES = {
  complete: 5,
  late: 3,
  'late-accepted': 4,
  held: 3,
  failed: 3,
  'wrong-coin': 2,
  replaced: 3,
  dropped: 3,
  underpaid: 2,
  'underpaid-paid': 4,
  overpaid: 3,
  'paid-twice': 4,
  reorganised: 5,
  offline: 3,
};
/** A fifth of "good" by the Core Web Vitals. */
const MOST = 0.02;

for (const viewport of [
  { width: 360, height: 640 },
  { width: 1440, height: 900 },
])
  test(`what stays on the screen does not move when the stage changes: ${viewport.width} px wide`, async ({
    page,
    stack,
    browserName,
  }) => {
    test.skip(browserName !== 'chromium', 'only Chromium reports layout shifts');
    test.setTimeout(180_000);
    await page.setViewportSize(viewport);
    await page.addInitScript(watch);
    const over: { course: string; step: number; moves: Window['shifts'] }[] = [];
    for (const [course, steps] of Object.entries(COURSES)) {
      await openHostPage(page, stack, {
        head: scriptTag(stack),
        body: `<crypto-checkout demo="${course}#1"></crypto-checkout>`,
        path: `/${course}`,
      });
      await expect(page.getByRole('button', { name: /^Copy: Amount/ })).toBeVisible();
      await atRest(page);
      await page.evaluate(() => window.shifts.splice(0));
      for (let step = 2; step <= steps; step += 1) {
        await page.evaluate(
          (detail) => dispatchEvent(new CustomEvent('crypto-checkout-demo', { detail })),
          step,
        );
        await atRest(page);
        const moves = await page.evaluate(() => window.shifts.splice(0));
        const sum = moves.reduce((total, { value }) => total + value, 0);
        console.log(`${viewport.width} px, ${course}, step ${step}: ${sum.toFixed(4)}`);
        if (sum > MOST) over.push({ course, step, moves });
      }
    }
    expect(over).toEqual([]);
  });

/** Waits until the page has drawn the same for many frames. */
const atRest = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const textOf = (root: ParentNode): string =>
          [...root.querySelectorAll('*')]
            .map((node) => (node.shadowRoot ? textOf(node.shadowRoot) : ''))
            .join('') + (root.textContent ?? '');
        const look = (last: string, frames: number): void => {
          const now = `${document.documentElement.scrollHeight} ${textOf(document)}`;
          if (now === last && frames > 30) resolve();
          else requestAnimationFrame(() => look(now, now === last ? frames + 1 : 0));
        };
        look('', 0);
      }),
  );

/** Runs in the page: collects every layout shift with the boxes that moved. */
function watch(): void {
  window.shifts = [];
  const nameOf = (node: Node | null): string =>
    node instanceof Element
      ? `${node.localName}.${node.className}[${node.getAttribute('part') ?? ''}]`
      : (node?.textContent ?? 'removed');
  const box = ({ x, y, width, height }: DOMRectReadOnly): string => `${x},${y} ${width}×${height}`;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, sources } = entry as PerformanceEntry & {
        value: number;
        sources: {
          node: Node | null;
          previousRect: DOMRectReadOnly;
          currentRect: DOMRectReadOnly;
        }[];
      };
      const moved = sources.map(
        ({ node, previousRect, currentRect }) =>
          `${nameOf(node)} ${box(previousRect)} → ${box(currentRect)}`,
      );
      window.shifts.push({ value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: false });
}
