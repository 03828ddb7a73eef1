import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const MODULE = new URL('folder-lock.ts', import.meta.url).href;

it('one process holds a folder until it is killed', async () => {
  const code = `const { lockFolder } = await import(${JSON.stringify(MODULE)});
    console.log(await lockFolder(${JSON.stringify(folder)}));
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await new Promise((resolve) =>
    holder.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())),
  );
  expect(said).toBe('true');
  expect(await lockFolder(folder)).toBe(false);
  expect(await lockFolder(join(folder, '.'))).toBe(false);
  const ended = new Promise((resolve) => holder.once('exit', resolve));
  holder.kill('SIGKILL');
  await ended;
  expect(await lockFolder(folder)).toBe(true);
  expect(await lockFolder(folder)).toBe(false);
});
