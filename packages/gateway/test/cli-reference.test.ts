import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands, PAGE } from './cli-reference.ts';

it('docs/reference/cli.md lists every command as --help shows it (`npm run docs` writes it)', () => {
  expect(readFileSync(PAGE, 'utf8')).toContain(commands().trim());
});
