import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { releaseNotes } from './release-notes.mjs';

const folder = fileURLToPath(new URL('../.changeset/', import.meta.url));
const pending = readdirSync(folder)
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => readFileSync(folder + file, 'utf8'));

it('puts each paragraph under its kind, and each kind once', () => {
  const one = "---\n'a': patch\n---\n\nFixed: a payout\nwaited.\n\nAdded: refunds.\n";
  const other = "---\n'b': minor\n---\n\nAdded: receipts.\n";
  expect(releaseNotes('0.2.0', '2026-12-01', [one, other])).toBe(
    '## [0.2.0] - 2026-12-01\n\n### Added\n\n- Refunds.\n- Receipts.\n\n### Fixed\n\n- A payout waited.\n',
  );
});

it('lists a text without a kind as a change', () => {
  expect(releaseNotes('0.2.0', '2026-12-01', ["---\n'a': patch\n---\n\nA: b.\n"])).toBe(
    '## [0.2.0] - 2026-12-01\n\n### Changed\n\n- A: b.\n',
  );
});

it('reads the changesets of the next release, within 100 columns', () => {
  const notes = pending.length === 0 ? '' : releaseNotes('1.0.0', '2026-12-01', pending);
  expect(notes.split('\n').filter((line) => Array.from(line).length > 100)).toEqual([]);
});
