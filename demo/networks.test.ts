import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { networksTable, PAGE } from './networks.ts';

it('docs/run/networks.md lists every chain that a node can serve (`npm run docs` writes the table)', () => {
  expect(readFileSync(PAGE, 'utf8')).toContain(networksTable());
});
