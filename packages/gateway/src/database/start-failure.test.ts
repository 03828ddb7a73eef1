import { expect, it } from 'vitest';
import { startFailure } from './start-failure.ts';

it('says how long to wait for the server of a deleted folder, and which process it is', () => {
  const log = [
    'LOG:  starting PostgreSQL',
    'FATAL:  lock file "/run/x/.s.PGSQL.5432.lock" already exists',
    'HINT:  Is another postmaster (PID 4711) using socket file "/run/x/.s.PGSQL.5432"?',
  ].join('\n');
  expect(startFailure(log)).toBe(
    'The embedded PostgreSQL did not start: process 4711 still serves a folder that was deleted. It ends within a minute; wait, or end it by hand',
  );
});

it.each([
  [
    'FATAL:  could not write: No space left on device\n',
    'FATAL:  could not write: No space left on device',
  ],
  ['', 'no log'],
])('shows the last line of any other log: %j', (log, line) => {
  expect(startFailure(log)).toBe(`The embedded PostgreSQL did not start (${line})`);
});
