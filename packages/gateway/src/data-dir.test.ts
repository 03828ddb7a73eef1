import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { unusable } from './data-dir.ts';

const folder = mkdtempSync(join(tmpdir(), 'data-dir-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('has a sentence for a folder below one that can not be looked into', () => {
  // Like a folder of another user, a link to itself has no answer to `stat`, also for root.
  const path = join(folder, 'loop');
  symlinkSync(path, path);
  const message = `EACCES: permission denied, mkdir '${path}'`;
  const refused = Object.assign(new Error(message), { code: 'EACCES', path });
  expect(unusable(path, refused)?.message).toBe(
    `DATA_DIR can't be used: ${path} (${message}). Set DATA_DIR to a folder that this user may write to.`,
  );
});
