import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createArena, type Arena } from './arena.ts';
import { KEPT } from './kept.ts';
import { describeFailure, runSteps, shrink, type Failure } from './run.ts';
import { stepsOf } from './steps.ts';

/** Played side by side, each on a database of its own. */
const STREAMS = 3;
const SEEDS = 100;
const STEPS = 14;

let arenas: Arena[];
beforeAll(async () => {
  arenas = await Promise.all(Array.from({ length: STREAMS }, () => createArena()));
});
afterAll(() => Promise.all(arenas.map((arena) => arena.close())));

describe('whatever happens', () => {
  it(`every rule holds after every step of ${SEEDS} seeds`, { timeout: 240_000, retry: 0 }, async () => {
    const seeds = Array.from({ length: SEEDS }, (_, at) => at + 1);
    const failures: Failure[] = [];
    await Promise.all(
      arenas.map(async (arena) => {
        for (let seed = seeds.shift(); seed !== undefined && failures.length === 0; seed = seeds.shift()) {
          const failure = await runSteps(arena, seed, stepsOf(seed, STEPS));
          if (failure) failures.push(await shrink(arena, failure));
        }
      }),
    );
    // To be kept: the steps go into kept.ts.
    expect(failures.map(describeFailure).join('\n')).toBe('');
  });

  for (const { because, seed, steps } of KEPT) {
    it(`no rule breaks any more where ${because}`, { retry: 0 }, async () => {
      const failure = await runSteps(arenas[0]!, seed, steps);
      expect(failure === null ? '' : describeFailure(failure)).toBe('');
    });
  }
});
