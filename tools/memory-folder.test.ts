import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryFolder } from './memory-folder.mjs';

it('a machine without a folder in memory, or without room in it, uses the disk', () => {
  expect(memoryFolder('/dev/none')).toBeUndefined();
  expect(memoryFolder(tmpdir(), Number.MAX_SAFE_INTEGER)).toBeUndefined();
});

it.runIf(process.platform === 'linux')('the folder is removed when the process ends', () => {
  const parent = mkdtempSync(join(tmpdir(), 'memory-'));
  const module = new URL('memory-folder.mjs', import.meta.url).href;
  const script = `const { memoryFolder } = await import('${module}'); console.log(memoryFolder('${parent}', 1))`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const isLeft = existsSync(stdout.trim());
  rmSync(parent, { recursive: true });
  expect(stdout).toContain(join(parent, 'tests-'));
  expect(isLeft).toBe(false);
});

it.runIf(process.platform === 'linux')('a folder that cannot be removed fails no run', () => {
  const parent = mkdtempSync(join(tmpdir(), 'memory-'));
  const module = new URL('memory-folder.mjs', import.meta.url).href;
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { memoryFolder } = await import('${module}');
    console.log(memoryFolder('${parent}', 1));
    fs.rmSync = () => { throw new Error('ENOTEMPTY'); };
    syncBuiltinESMExports();`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  rmSync(parent, { recursive: true });
  expect(stdout).toContain(join(parent, 'tests-'));
  expect(status).toBe(0);
});
