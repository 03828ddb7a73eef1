import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';

/** Markers that keep a test, or a whole file, from running. */
const SKIPPED = /\.(?:skip|skipIf|fixme|todo|fails?)\(/;

/**
 * The source of a test by its name, or none. Tests in loops have a placeholder in the name or
 * before it.
 */
function testOf(source: string, name: string): string | undefined {
  const escaped = name.replace(/[$()*+.?[\]\\^{|}]/g, String.raw`\$&`);
  const named = new RegExp(String.raw`(['"\x60])(?:\$\{\w+\}: )?${escaped}\1`).exec(source);
  const begin = [...source.matchAll(/^( *)(?:test|it)(?:\.each)?\(/gm)].findLast(
    ({ index }) => named && index < named.index,
  );
  if (!named || !begin) return undefined;
  // It ends at a bracket with the same indentation, after the name.
  const end = new RegExp(String.raw`^${begin[1]}\}?\);$`, 'm').exec(source.slice(begin.index));
  return end && begin.index + end.index > named.index
    ? source.slice(begin.index, begin.index + end.index)
    : undefined;
}

test('every test that README.md names for a unique feature exists and is not skipped', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('## Features that other checkouts lack'));
  const rows = [...table.matchAll(/^\| .+? \| `([\w./-]+\.(?:spec|test)\.ts)` (.+?) *\|$/gm)];
  expect(rows.length).toBeGreaterThan(20);
  expect(rows).toHaveLength(
    table.split('\n').filter((line) => /\.(?:spec|test)\.ts`/.test(line)).length,
  );
  for (const [, file = '', name = ''] of rows) {
    const place = new URL(file.includes('/') ? `../../${file}` : file, import.meta.url);
    expect(existsSync(place), file).toBe(true);
    const source = readFileSync(place, 'utf8');
    expect(testOf(source, name), `${file} has no test "${name}"`).toBeDefined();
    expect(testOf(source, name), `${file}: "${name}" may be skipped`).not.toMatch(SKIPPED);
    expect(source, `all of ${file} may be skipped`).not.toMatch(
      /^(?:test|it|describe)[\w.]*\.(?:skip|fixme|todo)\b/m,
    );
  }
});

test('a removed, renamed or skipped test is detected', () => {
  const source =
    "test('one', () => {\n  test.skip();\n});\n\ntest('two', () => {});\n\ntest('three', () => {\n  expect(1).toBe(1);\n});\n// 'four'\n";
  expect(testOf(source, 'one')).toMatch(SKIPPED);
  expect(testOf(source, 'three')).not.toMatch(SKIPPED);
  expect(testOf(source, 'four')).toBeUndefined();
  expect(testOf(source, 'five')).toBeUndefined();
});
