import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = (...options: string[]): string => {
  const { stdout, stderr } = spawnSync(process.execPath, options, { cwd: root, encoding: 'utf8' });
  return stdout + stderr;
};

it('reference and types are those of the elements of today (`npm run reference -w packages/elements` writes them)', () => {
  expect(node('packages/elements/reference.mjs', '--check')).toBe('');
}, 60_000);

it('the types hold in React, Preact, Solid, Vue and Svelte, and refuse what is wrong', () => {
  for (const folder of ['packages/elements/types', 'demo/frameworks/react']) {
    const project = folder.endsWith('types') ? `${folder}/test` : folder;
    const said = node('node_modules/typescript/bin/tsc', '-p', project);
    expect(said.split('\n').filter((line) => line.startsWith(folder))).toEqual([]);
  }
}, 60_000);
