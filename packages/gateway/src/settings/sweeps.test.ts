import { parseAmount } from '@crypto-checkout/protocol/amount';
import { expect, it } from 'vitest';
import { loadConfig } from '../config.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

it('each chain can have a cold address, and all of them one limit', () => {
  const { sweepTo, hotLimit } = loadConfig({
    SWEEP_TO_ETH: COLD.toLowerCase(),
    SWEEP_TO_BSC: COLD,
    HOT_LIMIT: '5000.50',
  });
  expect(sweepTo).toEqual({ ethereum: COLD, bsc: COLD });
  expect(hotLimit).toBe(parseAmount('5000.50'));
  expect(loadConfig({})).toMatchObject({ sweepTo: {}, hotLimit: null });
});

it('a mistake in an address or in the limit ends the start', () => {
  const wrong = COLD.replace('E', 'e');
  expect(() => loadConfig({ SWEEP_TO_ETH: wrong })).toThrow(
    `SWEEP_TO_ETH must be an address of the chain with a right checksum, not "${wrong}".`,
  );
  expect(() => loadConfig({ HOT_LIMIT: '5k' })).toThrow(
    'HOT_LIMIT must be an amount of US dollars, as in 5000, not "5k".',
  );
});
