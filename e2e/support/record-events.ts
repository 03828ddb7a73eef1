import type { Page } from '@playwright/test';

/** Events of the elements. */
const EVENTS = [
  'checkout-ready',
  'checkout-change',
  'checkout-paid',
  'checkout-error',
  'checkout-close',
];

/** A record of the page's events, kept in the page. */
interface Watched {
  globals: string[];
  violations: string[];
  events: string[];
}

/** Runs before any script of the page: records its globals, policy reports and element events. */
export async function watch(page: Page): Promise<void> {
  await page.addInitScript((events) => {
    const watched: Watched = { globals: [], violations: [], events: [] };
    (globalThis as unknown as { watched: Watched }).watched = watched;
    watched.globals = Object.getOwnPropertyNames(globalThis);
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      watched.violations.push(`${violatedDirective} ${blockedURI}`),
    );
    for (const name of events)
      document.addEventListener(name, (event) => {
        const { from, to, code, stage } = event as Event & Record<string, string | undefined>;
        watched.events.push(
          [name.replace('checkout-', ''), from, to, code, stage]
            .filter((one) => one !== undefined)
            .join(' '),
        );
      });
  }, EVENTS);
}

const read = <K extends keyof Watched>(page: Page, what: K): Promise<Watched[K]> =>
  page.evaluate((name) => (globalThis as unknown as { watched: Watched }).watched[name], what);

/** Violations of the page's policy. */
export const violationsSeen = (page: Page): Promise<string[]> => read(page, 'violations');

/** Events of the elements: "change pay seen", "paid", … */
export const eventsOf = (page: Page): Promise<string[]> => read(page, 'events');

/** Globals added by the page's scripts; those of the test tool do not count. */
export async function newGlobals(page: Page): Promise<string[]> {
  const before = new Set(await read(page, 'globals'));
  const now = await page.evaluate(() => Object.getOwnPropertyNames(globalThis));
  return now.filter(
    (name) => !before.has(name) && !/^(?:__playwright|__pw|__pwInit|watched$)/.test(name),
  );
}
