import { expect, it } from 'vitest';
import * as bff from './index.ts';

it('exports these and nothing else', () => {
  expect(Object.keys(bff).toSorted()).toEqual([
    'Catalogue',
    'OptionsError',
    'SHOP_EVENTS',
    'StoreError',
    'createBff',
    'createMemoryStore',
  ]);
});
