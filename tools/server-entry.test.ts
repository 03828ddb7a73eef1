import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverEntry } from './server-entry.mjs';
import { requireNode } from './setup.mjs';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'entry-'));
  writeFileSync(join(folder, 'server.mjs'), serverEntry('program.mjs'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function start(program: string, version = process.versions.node) {
  writeFileSync(join(folder, 'program.mjs'), program);
  const preload = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  return spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(preload)}`,
      join(folder, 'server.mjs'),
      'now',
    ],
    { encoding: 'utf8' },
  );
}

it('an old Node prints one sentence, and loads nothing that it could not parse', () => {
  const program = "import { inALaterNode } from 'node:crypto'; inALaterNode();";
  expect(start(program).stderr).toContain('SyntaxError');
  const { status, stdout, stderr } = start(program, '18.20.4');
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Node 18.20.4 is too old: Crypto Checkout needs Node 20.19, or 22.12 or newer.\n',
  });
});

it('refuses the versions that the other commands refuse', () => {
  for (const version of [
    '12.22.0',
    '20.18.9',
    '20.19.0',
    '21.7.3',
    '22.11.0',
    '22.12.0',
    '24.0.0',
  ]) {
    const { stderr } = start('', version);
    let other = '';
    try {
      requireNode(version);
    } catch (error) {
      other = `${(error as Error).message}\n`;
    }
    expect(stderr).toBe(other);
  }
});

it('starts the program with its arguments, and with its exit code', () => {
  const { status, stdout } = start('console.log(process.argv[2]); process.exitCode = 3;');
  expect([status, stdout]).toEqual([3, 'now\n']);
});
