import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
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
const MAX_LINES = 400;
const MAX_COLUMNS = 100;
/**
 * Two or three files may name each other's types. Lint refuses every cycle that exists at run time.
 */
const MAX_CYCLE = 3;

it(`no folder has more than ${MAX_FILES} sources`, () => {
  const counts = new Map<string, number>();
  for (const folder of SOURCES.map(dirname)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
});

it(`no source has more than ${MAX_LINES} lines`, () => {
  const linesOf = (file: string): number =>
    readFileSync(root + file, 'utf8')
      .trimEnd()
      .split('\n').length;
  expect(SOURCES.filter((file) => linesOf(file) > MAX_LINES)).toEqual([]);
});

it(`no cycle of imports has more than ${MAX_CYCLE} files, those of types included`, () => {
  const cycles = cyclesOf(new Map(SOURCES.map((file) => [file, importsOf(file)])));
  expect(cycles.filter((cycle) => cycle.length > MAX_CYCLE)).toEqual([]);
});

it('finds a cycle of four files in a graph', () => {
  const graph = { a: ['b'], b: ['c', 'e'], c: ['d'], d: ['a'], e: ['e', 'elsewhere'] };
  expect(cyclesOf(new Map(Object.entries(graph)))).toEqual([['a', 'b', 'c', 'd']]);
});

describe('the packages', () => {
  const manifestOf = (folder: string) =>
    JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')) as Record<string, unknown> & {
      scripts: Record<string, string>;
    };

  it.each(readdirSync(`${root}packages`))(
    '%s has the scripts and fields of each package',
    (name) => {
      const manifest = manifestOf(`packages/${name}`);
      expect(Object.keys(manifest.scripts)).toEqual(
        expect.arrayContaining(['test', 'typecheck', 'build']),
      );
      expect(manifest).toMatchObject({
        license: 'MIT',
        type: 'module',
        engines: { node: '^20.19 || >=22.12' },
      });
    },
  );

  it('have their run-time libraries themselves: the root has none', () => {
    expect(manifestOf('.')).not.toHaveProperty('dependencies');
  });
});

it(`comments keep to ${MAX_COLUMNS} columns, links apart`, () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.cjs', '*.css'], {
    cwd: root,
    encoding: 'utf8',
  });
  const wide = files
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/generated/') && existsSync(root + file))
    .flatMap((file) =>
      wideComments(readFileSync(root + file, 'utf8')).map((number) => `${file}:${number}`),
    );
  expect(wide).toEqual([]);
});

it('finds a wide comment of each form', () => {
  const wide = 'word '.repeat(25);
  const forms = [`  // ${wide}`, `/** ${wide}*/`, ` * ${wide}`, `send(); // ${wide}`];
  expect(forms.map((form) => wideComments(form))).toEqual(forms.map(() => [1]));
  expect(
    wideComments(`// https://example.com/${'a'.repeat(100)}\nconst text = '${wide}';`),
  ).toEqual([]);
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

/** The numbers of lines whose comment is too wide, although it could be wrapped. */
function wideComments(source: string): number[] {
  const isWide = (line: string): boolean =>
    Array.from(line).length > MAX_COLUMNS &&
    /^\s*(?:\/\/|\/\*+|\*)\s|[;,{}()]\s+\/\/ [^'"`]*$/.test(line) &&
    !/https?:\/\/\S{60,}/.test(line);
  return source.split('\n').flatMap((line, at) => (isWide(line) ? [at + 1] : []));
}

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

/** Groups of files that all import each other, directly or not. */
function cyclesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const reachOf = (start: string): Set<string> => {
    const reached = new Set<string>();
    const open = [...(imports.get(start) ?? [])];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (reached.has(file)) continue;
      reached.add(file);
      open.push(...(imports.get(file) ?? []));
    }
    return reached;
  };
  const reach = new Map([...imports.keys()].map((file) => [file, reachOf(file)]));
  const groups = [...imports.keys()].map((file) =>
    [...imports.keys()].filter(
      (other) => reach.get(file)!.has(other) && reach.get(other)!.has(file),
    ),
  );
  const cycles = groups.filter((group) => group.length > 1);
  return [...new Map(cycles.map((cycle) => [cycle.join(), cycle])).values()];
}
