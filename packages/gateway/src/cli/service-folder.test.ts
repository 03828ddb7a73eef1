import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigError } from '../config.ts';
import { requireServiceFolder } from './service-folder.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'cc-folder-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('refuses a folder that no service has used', () => {
  for (const dataDir of [folder, join(folder, 'typo')])
    expect(() => requireServiceFolder({ dataDir, databaseUrl: null })).toThrow(
      new ConfigError(
        `No service has its database in ${dataDir}. Set DATA_DIR or DATABASE_URL as the service has it, or start the service there first.`,
      ),
    );
  expect(readdirSync(folder)).toEqual([]);
});

it('works in a service’s folder, and with DATABASE_URL', () => {
  requireServiceFolder({ dataDir: join(folder, 'typo'), databaseUrl: 'postgres://db/x' });
  mkdirSync(join(folder, 'postgres'));
  requireServiceFolder({ dataDir: folder, databaseUrl: null });
});
