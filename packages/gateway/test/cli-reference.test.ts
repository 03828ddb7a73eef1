import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PAGE, withCommands } from './cli-reference.ts';

it('docs/reference/cli.md lists every command of both programs as --help shows it (`npm run docs` writes it)', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toBe(withCommands(page));
  for (const name of ['public-keys', 'serve', 'sign', 'approver-key', 'approve'])
    expect(page).toContain(`\n#### crypto-checkout-signer ${name}\n`);
});
