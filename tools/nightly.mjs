// `npm run nightly`: plays thousands of simulation seeds, fuzzes, runs everything of which
// `npm test` draws a sample, and the benches. Takes too long for `npm test`.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import {
  ensureBuilt,
  ensureChromium,
  ensureElectrum,
  ensureZeroMq,
  ensureFonts,
  ensureInstalled,
  ensureLitecoind,
  ensureOtherEngines,
  lookForAnvil,
  prepare,
  requireNode,
  root,
} from './setup.mjs';
import { sampledFiles, sampledSpecs } from './sampled-files.mjs';

prepare(requireNode, ensureInstalled);
const { Command, InvalidArgumentError } = await import('commander');
const integer = (text) => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be an integer.');
  return Number(text);
};
const options = new Command('npm run nightly --')
  .description(
    'Plays random sequences of payments, payouts, reorganisations and faults, and checks all invariants after each step.',
  )
  .option('--seeds <number>', 'number of seeds', integer, 2000)
  .option('--seed <number>', 'plays only this seed')
  .option(
    '--from <number>',
    'first seed; default: a different one every day',
    integer,
    (Math.floor(Date.now() / 86_400_000) % 100_000) * 10_000,
  )
  .option('--steps <number>', 'steps per seed', integer, 30)
  .option('--minutes <number>', 'time limit; a quarter of it is for fuzzing', integer)
  .option('--no-fuzz', 'skips fuzzing')
  .option('--no-samples', 'skips the tests of which `npm test` draws a sample')
  .option('--no-bench', 'skips the benches')
  .parse()
  .opts();

// Hours pass before the first browser is needed, so a missing one is reported now.
const [chromium] = options.samples && options.seed === undefined ? prepare(ensureChromium) : [];

const streams = options.seed === undefined ? Math.min(4, Math.max(1, availableParallelism())) : 1;
const from = options.seed === undefined ? options.from : integer(options.seed);
const seeds = options.seed === undefined ? options.seeds : 1;
const began = Date.now();
const until =
  options.minutes === undefined
    ? undefined
    : began + options.minutes * 60_000 * (options.fuzz ? 0.75 : 1);
const failures = [];
let played = 0;
/** Number of regressions, which are played before the seeds. */
let regressions = 0;

const progress = (last = false) => {
  const done = `${played} of ${seeds} seeds${regressions > 0 ? ` and ${regressions} regressions` : ''}`;
  const line = `${done}, ${failures.length} failed, ${((Date.now() - began) / 1000).toFixed(0)} s`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}${last ? '\n' : ''}`);
  else if (last || played % 100 === 0) console.log(line);
};

/** Starts a process that plays every n-th seed. */
const stream = (at) =>
  new Promise((resolve, reject) => {
    const args = [
      '--conditions=source',
      '--import',
      'tsx',
      `${root}packages/gateway/test/simulation/nightly.ts`,
    ];
    const range = [
      '--from',
      from + at,
      '--seeds',
      seeds - at,
      '--every',
      streams,
      '--steps',
      options.steps,
    ];
    const child = spawn(
      process.execPath,
      [
        ...args,
        ...range,
        ...(until ? ['--until', until] : []),
        ...(at === 0 && options.seed === undefined ? ['--regressions'] : []),
      ].map(String),
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    createInterface({ input: child.stdout }).on('line', (text) => {
      const { failure, isRegression } = JSON.parse(text);
      if (isRegression) regressions += 1;
      else played += 1;
      if (failure !== null) {
        failures.push(failure);
        console.log(`\n${failure}`);
      }
      if (!isRegression) progress();
    });
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`a stream exited with code ${code}`)),
    );
  });

console.log(`seeds from ${from}, ${options.steps} steps each, ${Math.min(streams, seeds)} at once`);
await Promise.all(Array.from({ length: Math.min(streams, seeds) }, (_, at) => stream(at)));
progress(true);
if (failures.length > 0) {
  mkdirSync(`${root}test-results`, { recursive: true });
  writeFileSync(`${root}test-results/nightly.txt`, failures.join('\n\n'));
  console.log(
    'Their steps are in test-results/nightly.txt: add each to packages/gateway/test/simulation/regressions.ts.',
  );
}

/** Runs a script of Node and returns its exit code. */
const runScript = (script, args, env = {}) =>
  new Promise((resolve) => {
    spawn(process.execPath, [script, ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, NIGHTLY: '1', NO_COLOR: '1', ...env },
    }).on('exit', resolve);
  });
const run = (command, args, env) => runScript(`${root}node_modules/${command}`, args, env);
const vitest = (args, env) => run('vitest/vitest.mjs', ['run', ...args], env);

const codes = [];
if (options.fuzz && options.seed === undefined) {
  const minutes = options.minutes === undefined ? 10 : options.minutes / 4;
  console.log(`fuzzing for ${minutes} minutes …`);
  codes.push(
    await vitest(['packages/gateway/test/fuzz', '--no-file-parallelism'], {
      FUZZ_SECONDS: String(Math.ceil(minutes * 60)),
    }),
  );
}
if (options.samples && options.seed === undefined) {
  console.log(
    'everything of which `npm test` draws a sample: hostile texts, slow files, languages, coins, other engines, components …',
  );
  const [engines] = prepare(
    ensureOtherEngines,
    ensureFonts,
    ensureBuilt,
    ensureLitecoind,
    ensureElectrum,
    ensureZeroMq,
    lookForAnvil,
  );
  const playwright = (files, project) =>
    run(
      '@playwright/test/cli.js',
      ['test', '-c', 'e2e/playwright.config.ts', ...files, '--project', project],
      chromium ? { CHROMIUM: chromium } : {},
    );
  codes.push(
    await vitest([
      'packages/gateway/src/refund/twenty-kills.test.ts',
      'packages/gateway/src/engine/engine.property.test.ts',
      ...sampledFiles,
    ]),
    await playwright(
      sampledSpecs.filter((file) => file.endsWith('.spec.ts')),
      'chromium',
    ),
    await playwright(
      sampledSpecs.filter((file) => file.endsWith('.api.ts')),
      'api',
    ),
  );
  mkdirSync(`${root}test-results`, { recursive: true });
  for (const engine of engines) {
    codes.push(await playwright([], engine));
    codes.push(
      await runScript(`${root}tools/components.mjs`, [], {
        BROWSERS: engine,
        COMPONENT_REPORT: `${root}test-results/component-${engine}.json`,
        PATH: `${root}node_modules/.bin:${process.env.PATH}`,
      }),
    );
  }
}
if (options.bench && options.seed === undefined) {
  console.log(
    'the benches: a budget that is exceeded is printed, a bench that fails is a failure …',
  );
  codes.push((await runScript(`${root}tools/bench.mjs`, [])) === 2 ? 2 : 0);
}
process.exit(failures.length > 0 || codes.some((code) => code !== 0) ? 1 : 0);
