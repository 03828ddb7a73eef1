import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PAGES = ['deploy.md', 'keys-and-custody.md'];

/** The systemd units that the pages for operators print. */
const units = PAGES.flatMap((page) => {
  const text = readFileSync(fileURLToPath(new URL(`../docs/run/${page}`, import.meta.url)), 'utf8');
  return [...text.matchAll(/`\/etc\/systemd\/system\/([\w.-]+)`:\s+```ini\n(.*?)```/gs)].map(
    ([, name = '', unit = '']) => ({ name, unit }),
  );
});
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

function verify(changed: (unit: string) => string = (unit) => unit): string {
  const folder = mkdtempSync(join(tmpdir(), 'units-'));
  for (const { name, unit } of units) writeFileSync(join(folder, name), changed(unit));
  const { stdout, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', ...units.map(({ name }) => join(folder, name))],
    // Not those of this machine.
    { encoding: 'utf8', env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` } },
  );
  rmSync(folder, { recursive: true });
  return `${stdout}${stderr}`;
}

it.skipIf(!hasSystemd)('systemd accepts the units of the pages without a word', () => {
  expect(units.map(({ name }) => name)).toEqual([
    'crypto-checkout-gateway.service',
    'crypto-checkout-signer.service',
  ]);
  const about = (text: string) =>
    text.split('\n').filter((line) => line.includes('crypto-checkout'));
  expect(about(verify())).toEqual([]);
  // It would name a mistake.
  expect(about(verify((unit) => unit.replace('ProtectHome', 'ProtectHomes'))).join()).toContain(
    'ProtectHomes',
  );
});
