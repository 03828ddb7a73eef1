import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedGateway, type SimulatedGateway } from './simulated-gateway.ts';
import { REGRESSIONS } from './regressions.ts';
import { describeFailure, runSteps, shrink, type SimulationFailure } from './run-steps.ts';
import { generateSteps } from './steps.ts';

/** Number of seeds played in parallel, each stream on its own database. */
const STREAMS = 3;
const SEEDS = 100;
const STEPS = 14;

let gateways: SimulatedGateway[];
beforeAll(async () => {
  gateways = await Promise.all(Array.from({ length: STREAMS }, () => createSimulatedGateway()));
});
afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));

describe('the simulated gateway', () => {
  it(
    `keeps every invariant after every step of ${SEEDS} seeds`,
    { timeout: 240_000, retry: 0 },
    async () => {
      const seeds = Array.from({ length: SEEDS }, (_, at) => at + 1);
      const failures: SimulationFailure[] = [];
      await Promise.all(
        gateways.map(async (gateway) => {
          for (
            let seed = seeds.shift();
            seed !== undefined && failures.length === 0;
            seed = seeds.shift()
          ) {
            const failure = await runSteps(gateway, seed, generateSteps(seed, STEPS));
            if (failure) failures.push(await shrink(gateway, failure));
          }
        }),
      );
      // Copy the printed steps into regressions.ts.
      expect(failures.map(describeFailure).join('\n')).toBe('');
    },
  );

  for (const { title, seed, steps } of REGRESSIONS) {
    it(`regression: ${title}`, { retry: 0 }, async () => {
      const failure = await runSteps(gateways[0]!, seed, steps);
      expect(failure === null ? '' : describeFailure(failure)).toBe('');
    });
  }
});
