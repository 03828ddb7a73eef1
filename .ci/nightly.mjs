// `npm run nightly`: what takes too long for `npm test`. Thousands of seeds of the simulation, then fuzzing.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { ensureInstalled, requireNode, root } from './setup.mjs';

requireNode();
ensureInstalled();
const { Command, InvalidArgumentError } = await import('commander');
const whole = (text) => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
};
const options = new Command('npm run nightly --')
  .description(
    'Plays random sequences of everything that can happen through the gateway, and looks after each step whether every rule holds.',
  )
  .option('--seeds <number>', 'how many seeds are played', whole, 2000)
  .option('--seed <number>', 'plays this one seed')
  .option(
    '--from <number>',
    'the first seed; by default another one every day',
    whole,
    (Math.floor(Date.now() / 86_400_000) % 100_000) * 10_000,
  )
  .option('--steps <number>', 'steps of a seed', whole, 30)
  .option('--minutes <number>', 'ends after this time, whatever was played; fuzzing takes a quarter of it', whole)
  .option('--no-fuzz', 'leaves fuzzing out')
  .parse()
  .opts();

const streams = options.seed === undefined ? Math.min(4, Math.max(1, availableParallelism())) : 1;
const from = options.seed === undefined ? options.from : whole(options.seed);
const seeds = options.seed === undefined ? options.seeds : 1;
const began = Date.now();
const until = options.minutes === undefined ? undefined : began + options.minutes * 60_000 * (options.fuzz ? 0.75 : 1);
const failures = [];
let played = 0;
/** Steps that once failed, which are played before any seed. */
let kept = 0;

const progress = (last = false) => {
  const done = `${played} of ${seeds} seeds${kept > 0 ? ` and ${kept} kept ones` : ''}`;
  const line = `${done}, ${failures.length} failed, ${((Date.now() - began) / 1000).toFixed(0)} s`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}${last ? '\n' : ''}`);
  else if (last || played % 100 === 0) console.log(line);
};

/** One process plays every so many-th seed. */
const stream = (at) =>
  new Promise((resolve, reject) => {
    const args = ['--conditions=source', '--import', 'tsx', `${root}packages/gateway/test/simulation/nightly.ts`];
    const wanted = ['--from', from + at, '--seeds', seeds - at, '--every', streams, '--steps', options.steps];
    const child = spawn(
      process.execPath,
      [...args, ...wanted, ...(until ? ['--until', until] : []), ...(at === 0 && options.seed === undefined ? ['--kept'] : [])].map(String),
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    createInterface({ input: child.stdout }).on('line', (text) => {
      const { failure, kept: isKept } = JSON.parse(text);
      if (isKept) kept += 1;
      else played += 1;
      if (failure !== null) {
        failures.push(failure);
        console.log(`\n${failure}`);
      }
      if (!isKept) progress();
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a stream ended with ${code}`))));
  });

console.log(`seeds from ${from}, ${options.steps} steps each, ${Math.min(streams, seeds)} at once`);
await Promise.all(Array.from({ length: Math.min(streams, seeds) }, (_, at) => stream(at)));
progress(true);
if (failures.length > 0) {
  mkdirSync(`${root}test-results`, { recursive: true });
  writeFileSync(`${root}test-results/nightly.txt`, failures.join('\n\n'));
  console.log('Their steps are in test-results/nightly.txt: each belongs into packages/gateway/test/simulation/kept.ts.');
}

let fuzzed = 0;
if (options.fuzz && options.seed === undefined) {
  const minutes = options.minutes === undefined ? 10 : options.minutes / 4;
  console.log(`fuzzing for ${minutes} minutes …`);
  fuzzed = await new Promise((resolve) => {
    const env = { ...process.env, FUZZ_SECONDS: String(Math.ceil(minutes * 60)), NO_COLOR: '1' };
    const args = [`${root}node_modules/vitest/vitest.mjs`, 'run', 'packages/gateway/test/fuzz', '--no-file-parallelism'];
    spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env }).on('exit', resolve);
  });
}
process.exit(failures.length > 0 || fuzzed !== 0 ? 1 : 0);
