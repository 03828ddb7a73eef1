import { Command, InvalidArgumentError } from 'commander';
import { createSimulatedGateway } from './simulated-gateway.ts';
import { REGRESSIONS } from './regressions.ts';
import { describeFailure, runSteps, shrink } from './run-steps.ts';
import { generateSteps } from './steps.ts';

/**
 * Plays one stream of seeds for `tools/nightly.mjs`. Prints a line of JSON per seed, so that
 * several streams can be combined.
 */
const integer = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be an integer.');
  return Number(text);
};
const { from, seeds, every, steps, until, regressions } = new Command()
  .requiredOption('--from <number>', 'first seed', integer)
  .requiredOption('--seeds <number>', 'number of seeds', integer)
  .option('--every <number>', 'plays every n-th seed, for parallel streams', integer, 1)
  .option('--steps <number>', 'steps per seed', integer, 30)
  .option('--until <milliseconds>', 'starts no seed after this time', Number)
  .option('--regressions', 'also plays the regressions')
  .parse()
  .opts<{
    from: number;
    seeds: number;
    every: number;
    steps: number;
    until?: number;
    regressions?: true;
  }>();

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const gateway = await createSimulatedGateway();
try {
  const known =
    regressions === true
      ? REGRESSIONS.map(({ seed, steps }) => ({ seed, steps, isRegression: true }))
      : [];
  const numbers = Array.from({ length: Math.ceil(seeds / every) }, (_, at) => from + at * every);
  for (const run of [
    ...known,
    ...numbers.map((seed) => ({ seed, steps: generateSteps(seed, steps), isRegression: false })),
  ]) {
    if (until !== undefined && Date.now() > until) break;
    const failure = await runSteps(gateway, run.seed, run.steps);
    print({
      seed: run.seed,
      isRegression: run.isRegression,
      failure: failure === null ? null : describeFailure(await shrink(gateway, failure)),
    });
  }
} finally {
  await gateway.close();
}
