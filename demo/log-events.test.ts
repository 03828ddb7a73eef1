import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { callsWithoutEvent, eventsTable, loggedEvents, namedEvents, PAGE } from './log-events.ts';

const page = readFileSync(PAGE, 'utf8');

it('docs/run/monitoring.md lists every event of the logs (`npm run docs` writes the table)', () => {
  expect(page).toContain(eventsTable());
  for (const server of ['gateway', 'BFF'] as const) {
    const listed = loggedEvents().flatMap((logged) =>
      logged.server === server ? [logged.event] : [],
    );
    const named = namedEvents(server);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !listed.includes(name))).toEqual([]);
  }
});

it('every log call of the servers names its event', () => {
  expect(callsWithoutEvent()).toEqual([]);
});

it('docs/run/monitoring.md names every metric', () => {
  const read = (file: string): string =>
    readFileSync(new URL(`../packages/${file}`, import.meta.url), 'utf8');
  const gateway = [
    ...read('gateway/src/http/monitoring/metrics.ts').matchAll(/gauge\(\s*'(\w+)'/g),
  ].map(([, name]) => `crypto_checkout_${name}`);
  const bff = ['app.ts', 'services.ts'].flatMap((file) => [
    ...read(`bff/src/${file}`).matchAll(/metrics\.(?:gauge|count)\(\s*['`](\w+)/g),
  ]);
  const names = [...gateway, ...bff.map(([, name]) => name)];
  expect(names.length).toBeGreaterThan(11);
  for (const name of names) expect(page).toContain(`\`${name}\``);
});
