import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      file !== '' &&
      !/\.(?:test|spec|api)\.ts$|\.d\.m?ts$/.test(file) &&
      !/(?:^|\/)(?:test|generated|migrations)\//.test(file),
  );

const MAX_FILES = 25;

it(`no folder has more than ${MAX_FILES} sources`, () => {
  const counts = new Map<string, number>();
  for (const folder of SOURCES.map(dirname)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
});

it('no product file is called like a test', () => {
  expect(SOURCES.filter((file) => /\/src\/(?:.*\/)?test-[^/]*$/.test(file))).toEqual([]);
});

describe.each([
  ['gateway', 'Folders of the gateway', 15],
  ['elements', 'Folders of the elements', 8],
])('the folders of %s', (name, heading, most) => {
  const folder = `packages/${name}/src/`;
  const floors = floorsOf(heading);
  const roomOf = (file: string): string | undefined =>
    file.startsWith(folder) && file.slice(folder.length).includes('/')
      ? file.slice(folder.length).split('/')[0]
      : undefined;
  const rooms = new Set(SOURCES.flatMap((file) => roomOf(file) ?? []));

  it(`are the rows of docs/architecture.md, "${heading}"`, () => {
    const generated = floors.has('generated') ? ['generated'] : [];
    expect([...rooms, ...generated].toSorted()).toEqual([...floors.keys()].toSorted());
  });

  it(`have at most ${most} arrows from a lower row to a higher one`, () => {
    const backward = SOURCES.flatMap((file) =>
      importsOf(file).flatMap((target) => {
        const [from, to] = [roomOf(file), roomOf(target)];
        return from && to && floors.get(from)! < floors.get(to)! ? [`${file} → ${target}`] : [];
      }),
    );
    expect(backward.length, backward.join('\n')).toBeLessThanOrEqual(most);
  });
});

/** Folder → its row in the table, counted from the bottom of the house. */
function floorsOf(heading: string): Map<string, number> {
  const page = readFileSync(`${root}docs/architecture.md`, 'utf8');
  const section = page.split('\n## ').find((text) => text.startsWith(heading)) ?? '';
  const rows = [...section.matchAll(/^\| (`[^|]*?)\|/gm)];
  return new Map(
    rows.flatMap(([, names], row) =>
      [...names!.matchAll(/`([^`]+)\/`/g)].map(([, name]) => [name!, row] as const),
    ),
  );
}

function importsOf(file: string): string[] {
  const source = readFileSync(root + file, 'utf8');
  return [...source.matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)].map(([, path]) =>
    posix.join(dirname(file), path!),
  );
}
