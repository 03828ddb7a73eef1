import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leftOut, sampledFiles } from './sampled-files.mjs';

it('the sampled test files exist, and two days in a row run all of them', () => {
  for (const file of sampledFiles) expect(existsSync(file), file).toBe(true);
  expect([...leftOut(20_780), ...leftOut('20781')].toSorted()).toEqual(sampledFiles.toSorted());
});

it('an excluded test file is not run', () => {
  const { stdout } = spawnSync(
    'npx',
    ['vitest', 'list', '--filesOnly', ...sampledFiles.flatMap((file) => ['--exclude', file])],
    { encoding: 'utf8' },
  );
  expect(stdout).toContain('tools/sampled-files.test.ts');
  for (const file of sampledFiles) expect(stdout).not.toContain(file);
});

it('each day runs the money contract of one family of nodes', () => {
  const contract = (name: string) => `packages/gateway/src/engine/${name}.test.ts`;
  for (const seed of [20_780, 20_781])
    for (const name of ['contract', 'esplora-contract'])
      expect(leftOut(seed).includes(contract(name))).not.toBe(
        leftOut(seed).includes(contract('bitcoin-contract')),
      );
});

it('a seed that is no whole number is refused', () => {
  for (const seed of ['x', '', '-1', '1.5'])
    expect(() => leftOut(seed), seed).toThrow('SAMPLE_SEED must be a whole number');
});
