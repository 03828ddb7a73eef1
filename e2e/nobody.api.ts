import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';

test('every test that README.md names for what nobody had exists', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('## What nobody had'));
  const rows = [...table.matchAll(/^\| .+? \| `([\w.-]+)` (.+?) *\|$/gm)];
  expect(rows.length).toBeGreaterThan(15);
  expect(rows).toHaveLength(table.split('\n').filter((line) => line.includes('.spec.ts`')).length);
  for (const [, file = '', name = ''] of rows) {
    const place = new URL(file, import.meta.url);
    expect(existsSync(place), file).toBe(true);
    expect(readFileSync(place, 'utf8'), `${file}: ${name}`).toContain(`test('${name}'`);
  }
});
