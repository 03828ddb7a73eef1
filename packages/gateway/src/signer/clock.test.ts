import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSignerClock } from './clock.ts';

const START = Date.UTC(2026, 10, 23);
const HOUR = 3_600_000;

let folder: string;
let wall: number;
let elapsed: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-clock-'));
  [wall, elapsed] = [START, 5_000];
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () =>
  openSignerClock(join(folder, 'clock'), { wall: () => wall, monotonic: () => elapsed });

it('passes with the time of the process, wherever the clock of the machine is set', () => {
  const clock = open();
  expect(clock.now()).toBe(START);
  for (wall of [START - 72 * HOUR, START + 72 * HOUR]) expect(clock.now()).toBe(START);
  elapsed += HOUR;
  expect(clock.now()).toBe(START + HOUR);
});

it('is never earlier after a restart, and says that the machine is behind', () => {
  const before = open();
  expect(before.isBehind).toBe(false);
  elapsed += 2 * HOUR;
  before.keep();
  wall = START - 48 * HOUR;
  const after = open();
  expect(after.isBehind).toBe(true);
  expect(after.now()).toBe(START + 2 * HOUR);
  wall = START + 30 * HOUR;
  expect(open().now()).toBe(START + 30 * HOUR);
});

it('starts by the machine when its file is damaged', () => {
  writeFileSync(join(folder, 'clock'), 'soon');
  expect(open().now()).toBe(START);
});
