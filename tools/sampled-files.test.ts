import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leftOut, sampledFiles } from './sampled-files.mjs';

it('the sampled test files exist, and two days in a row run all of them', () => {
  for (const file of sampledFiles) expect(existsSync(file), file).toBe(true);
  expect([...leftOut(20_780), ...leftOut('20781')].toSorted()).toEqual(sampledFiles.toSorted());
});
