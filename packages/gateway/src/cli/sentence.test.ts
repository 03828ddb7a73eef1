import { mkdirSync } from 'node:fs';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../config.ts';
import { ServiceError } from '../http/error.ts';
import { UsageError } from './io.ts';
import { sentenceFor } from './sentence.ts';

const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
};

describe('one sentence for mistakes that a user can correct', () => {
  it.each([
    ['what was typed', () => Promise.reject(new UsageError('No such thing.')), 'No such thing.'],
    ['a setting', () => Promise.reject(new ConfigError('PORT is wrong.')), 'PORT is wrong.'],
    [
      'a refusal',
      () => Promise.reject(new ServiceError('NotFound', 'There is none.')),
      'There is none.',
    ],
    ['a file', () => mkdirSync('/dev/null/x'), "ENOTDIR: not a directory, mkdir '/dev/null/x'."],
    [
      'a database that is away',
      () => new Client({ connectionString: 'postgres://127.0.0.1:1/x' }).connect(),
      'The database went away: connect ECONNREFUSED 127.0.0.1:1.',
    ],
    [
      'one of several addresses',
      () =>
        Promise.reject(
          new AggregateError([
            Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' }),
          ]),
        ),
      'The database went away: connect ECONNREFUSED ::1:1.',
    ],
  ])('%s', async (_what, work, sentence) => {
    expect(sentenceFor(await thrownBy(work))).toBe(sentence);
  });

  it('null for a bug', () => {
    expect(sentenceFor(new TypeError('x is not a function'))).toBeNull();
    expect(sentenceFor('nothing')).toBeNull();
  });
});
