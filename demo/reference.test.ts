import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = (...options: string[]): { said: string; status: number | null } => {
  const { stdout, stderr, status } = spawnSync(process.execPath, options, {
    cwd: root,
    encoding: 'utf8',
  });
  return { said: stdout + stderr, status };
};

it('reference and types are those of the elements of today (`npm run reference -w packages/elements` writes them)', () => {
  expect(node('packages/elements/reference.mjs', '--check')).toEqual({ said: '', status: 0 });
}, 60_000);

it('every part that is drawn is in the reference, and nothing else is', () => {
  const sources = readdirSync(`${root}packages/elements/src`, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('generated'),
    )
    .map((file) => readFileSync(`${root}packages/elements/src/${file}`, 'utf8'));
  const drawn = sources.flatMap((text) =>
    [...text.matchAll(/\spart="([a-z -]+)"/g)].flatMap(([, names = '']) => names.split(' ')),
  );
  const documented = [
    ...readFileSync(`${root}docs/elements.md`, 'utf8').matchAll(/`::part\(([\w-]+)\)`/g),
  ].map(([, name]) => name);
  expect(drawn.length).toBeGreaterThan(50);
  expect([...new Set(drawn)].filter((name) => !documented.includes(name))).toEqual([]);
  // With two names, the source has one of them elsewhere.
  const text = sources.join('\n');
  expect(
    documented.filter(
      (name) => !new RegExp(`["'\\s]${name}["'\\s]`).test(text.replace(/^ \*.*$/gm, '')),
    ),
  ).toEqual([]);
});

it('the types hold in React, Preact, Solid, Vue and Svelte, and refuse what is wrong', () => {
  for (const folder of ['packages/elements/types', 'demo/frameworks/react']) {
    const project = folder.endsWith('types') ? `${folder}/test` : folder;
    expect(node('node_modules/typescript/bin/tsc', '-p', project)).toEqual({ said: '', status: 0 });
  }
}, 60_000);
