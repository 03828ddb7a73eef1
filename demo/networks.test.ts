import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { networksTable, PAGE } from './networks.ts';

it('docs/run/networks.md lists every chain that a node can serve (`npm run docs` writes the table)', () => {
  expect(readFileSync(PAGE, 'utf8')).toContain(networksTable());
});

it('docs/run/networks.md names every host that rates come from', () => {
  const folder = new URL('../packages/gateway/src/rate/sources/', import.meta.url);
  const hosts = readdirSync(folder)
    .filter((file) => !file.includes('.test.'))
    .flatMap(
      (file) => readFileSync(new URL(file, folder), 'utf8').match(/https:\/\/[a-z0-9.-]+/g) ?? [],
    );
  expect(hosts.length).toBeGreaterThan(5);
  for (const host of hosts)
    expect(readFileSync(PAGE, 'utf8')).toContain(`\`${host.replace('https://', '')}\``);
});
