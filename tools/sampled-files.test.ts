import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  componentFiles,
  engineSpecs,
  leftOut,
  leftOutSpecs,
  sampledFiles,
  sampledSpecs,
  turnOf,
} from './sampled-files.mjs';

/** Both commands read every test file, beside other steps on the same processors. */
const COMMAND_MS = 180_000;
const DAYS = [20_780, 20_781, 20_782, '20783'];

it('the sampled test files exist, and four days in a row run each of them once', () => {
  for (const file of sampledFiles) expect(existsSync(file), file).toBe(true);
  for (const file of sampledSpecs) expect(existsSync(`e2e/tests/${file}`), file).toBe(true);
  for (const [all, left] of [
    [sampledFiles, leftOut],
    [sampledSpecs, (seed: number | string) => leftOutSpecs(seed)],
  ] as const)
    for (const file of all)
      expect(
        DAYS.map((seed) => left(seed).includes(file)).filter((isLeftOut) => !isLeftOut),
        file,
      ).toHaveLength(1);
});

it('a sampled file draws another sample within itself each time', () => {
  const days = Array.from({ length: 32 }, (_, day) => 20_000 + day);
  for (const [all, left] of [
    [sampledFiles, leftOut],
    [sampledSpecs, (seed: number) => leftOutSpecs(seed)],
  ] as const)
    for (const file of all) {
      const runs = days.filter((day) => !left(day).includes(file));
      expect(new Set(runs.map((day) => turnOf(day) % 8)).size, file).toBe(8);
    }
});

it('Firefox and WebKit run each of their specs every second day, and one at least every day', () => {
  for (const engine of ['firefox', 'webkit'] as const) {
    const all = engineSpecs[engine];
    for (const file of all) {
      expect(existsSync(`e2e/tests/${file}`), file).toBe(true);
      expect(
        DAYS.map((seed) => leftOutSpecs(seed, engine).includes(file)).filter(Boolean),
        file,
      ).toHaveLength(2);
    }
    for (const seed of DAYS)
      expect(all.every((file) => leftOutSpecs(seed, engine).includes(file))).toBe(false);
    expect(all.some((file) => sampledSpecs.includes(file))).toBe(false);
  }
});

it('four days run each file of the components in every engine, and Chromium twice', () => {
  const all = Array.from({ length: 11 }, (_, at) => `file ${at}`);
  for (const [engine, times] of Object.entries({ chromium: 2, firefox: 1, webkit: 1 })) {
    const runs = DAYS.flatMap((seed) => componentFiles(all, seed, engine));
    for (const file of all)
      expect(
        runs.filter((one) => one === file),
        `${file} in ${engine}`,
      ).toHaveLength(times);
  }
  for (const seed of DAYS) {
    const run = ['chromium', 'firefox', 'webkit'].flatMap((engine) =>
      componentFiles(all, seed, engine),
    );
    expect(new Set(run).size, 'files in any engine').toBe(all.length);
    const inFirefox = componentFiles(all, seed, 'firefox');
    expect(inFirefox).not.toHaveLength(0);
    expect(componentFiles(all, seed, 'webkit').some((file) => inFirefox.includes(file))).toBe(
      false,
    );
  }
});

it(
  'an excluded test file is not run',
  () => {
    const { stdout } = spawnSync(
      'npx',
      ['vitest', 'list', '--filesOnly', ...sampledFiles.flatMap((file) => ['--exclude', file])],
      { encoding: 'utf8' },
    );
    expect(stdout).toContain('tools/sampled-files.test.ts');
    for (const file of sampledFiles) expect(stdout).not.toContain(file);
  },
  COMMAND_MS,
);

it(
  'an end-to-end spec that is left out is not run',
  () => {
    const { stdout } = spawnSync('npx', ['playwright', 'test', '--list'], {
      cwd: 'e2e',
      encoding: 'utf8',
      env: { ...process.env, LEAVE_OUT_SPECS: [...sampledSpecs, 'webkit.spec.ts'].join(',') },
    });
    expect(stdout).toContain('buy.spec.ts');
    for (const file of [...sampledSpecs, ' webkit.spec.ts']) expect(stdout).not.toContain(file);
    expect(stdout).toContain(' webkit-flows.spec.ts');
  },
  COMMAND_MS,
);

it('each day runs the money contract of one family of nodes', () => {
  const contracts = ['contract', 'esplora-contract', 'bitcoin-contract', 'lightning-contract'].map(
    (name) => `packages/gateway/src/engine/${name}.test.ts`,
  );
  for (const seed of DAYS)
    expect(contracts.filter((file) => !leftOut(seed).includes(file))).toHaveLength(1);
});

it('a seed that is no whole number is refused', () => {
  for (const seed of ['x', '', '-1', '1.5'])
    for (const ask of [leftOut, (text: string) => componentFiles([], text, 'webkit')])
      expect(() => ask(seed), seed).toThrow('SAMPLE_SEED must be a whole number');
});
