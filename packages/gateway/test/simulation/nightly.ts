import { Command, InvalidArgumentError } from 'commander';
import { createArena } from './arena.ts';
import { KEPT } from './kept.ts';
import { describeFailure, runSteps, shrink } from './run.ts';
import { stepsOf } from './steps.ts';

/** One stream of seeds, for `.ci/nightly.mjs`: a line of JSON for each, so that several streams can be counted together. */
const whole = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number.');
  return Number(text);
};
const { from, seeds, every, steps, until, kept } = new Command()
  .requiredOption('--from <number>', 'the first seed', whole)
  .requiredOption('--seeds <number>', 'how many', whole)
  .option('--every <number>', 'takes each so many-th, for several streams', whole, 1)
  .option('--steps <number>', 'of one seed', whole, 30)
  .option('--until <milliseconds>', 'begins no seed after this time', Number)
  .option('--kept', 'plays those that once failed as well')
  .parse()
  .opts<{ from: number; seeds: number; every: number; steps: number; until?: number; kept?: true }>();

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const arena = await createArena();
try {
  const ours = kept === true ? KEPT.map(({ seed, steps }) => ({ seed, steps, kept: true })) : [];
  const made = Array.from({ length: Math.ceil(seeds / every) }, (_, at) => from + at * every);
  for (const game of [...ours, ...made.map((seed) => ({ seed, steps: stepsOf(seed, steps), kept: false }))]) {
    if (until !== undefined && Date.now() > until) break;
    const failure = await runSteps(arena, game.seed, game.steps);
    say({ seed: game.seed, kept: game.kept, failure: failure === null ? null : describeFailure(await shrink(arena, failure)) });
  }
} finally {
  await arena.close();
}
