import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsTable } from './settings.ts';

/** Without the padding that a formatter adds to tables. */
const plain = (text: string): string =>
  text
    .replaceAll(/ +\|/g, ' |')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll('| --- ', '|---')
    .replaceAll('|---|\n', '|---|\n');

it('docs/run/settings.md lists every setting as the servers read it (`npm run docs` writes the table)', () => {
  const page = plain(readFileSync(new URL('../docs/run/settings.md', import.meta.url), 'utf8'));
  for (const line of settingsTable().split('\n').slice(2)) expect(page).toContain(plain(line));
});
