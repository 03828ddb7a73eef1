import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leftOut, leftOutSpecs, sampledFiles, sampledSpecs } from './sampled-files.mjs';

it('the sampled test files exist, and two days in a row run all of them', () => {
  for (const file of sampledFiles) expect(existsSync(file), file).toBe(true);
  expect([...leftOut(20_780), ...leftOut('20781')].toSorted()).toEqual(sampledFiles.toSorted());
  for (const file of sampledSpecs) expect(existsSync(`e2e/tests/${file}`), file).toBe(true);
  const specs = [...leftOutSpecs(20_780), ...leftOutSpecs('20781')];
  expect(specs.toSorted()).toEqual(sampledSpecs.toSorted());
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

it('an end-to-end spec that is left out is not run', () => {
  const { stdout } = spawnSync('npx', ['playwright', 'test', '--list'], {
    cwd: 'e2e',
    encoding: 'utf8',
    env: { ...process.env, LEAVE_OUT_SPECS: sampledSpecs.join(',') },
  });
  expect(stdout).toContain('buy.spec.ts');
  for (const file of sampledSpecs) expect(stdout).not.toContain(file);
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
