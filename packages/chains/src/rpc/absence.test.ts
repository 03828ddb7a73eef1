import { expect, it } from 'vitest';
import { createAbsences } from './absence.ts';

it('confirms an absence after three looks over a minute, without one that found it', () => {
  let now = 1_000_000;
  const absences = createAbsences(() => now);
  const look = (seconds: number, ...missing: string[]): string[] => {
    now += seconds * 1000;
    return [...absences.confirm(missing)];
  };
  expect(look(0, 'a', 'b')).toEqual([]);
  expect(look(60, 'a', 'b')).toEqual([]);
  expect(look(0, 'a', 'b', 'c')).toEqual(['a', 'b']);
  expect(look(59, 'a', 'c')).toEqual(['a']);
  // b was found in between.
  expect(look(1, 'b', 'c')).toEqual(['c']);
});

it('is not delayed by a clock that steps back', () => {
  let now = 172_800_000;
  const absences = createAbsences(() => now);
  absences.confirm(['a']);
  now = 0;
  expect([...absences.confirm(['a'])]).toEqual([]);
  now = 60_000;
  expect([...absences.confirm(['a'])]).toEqual(['a']);
});
