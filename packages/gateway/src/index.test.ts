import { expect, it } from 'vitest';
import * as gateway from './index.ts';

it('exports what a host needs, and nothing else', () => {
  expect(Object.keys(gateway).toSorted()).toEqual([
    'ConfigError',
    'SETTINGS',
    'createApp',
    'createContext',
    'loadConfig',
    'startWorker',
  ]);
});
