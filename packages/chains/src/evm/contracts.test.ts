import { KINDS, CHAINS } from '@crypto-checkout/protocol/kind';
import { getAddress } from 'viem';
import { expect, test } from 'vitest';

const tokens = KINDS.filter(
  ({ chain, contract }) => CHAINS[chain].family === 'evm' && contract !== null,
);

test.each(tokens)('the contract of $kind has its EIP-55 checksum', ({ contract }) => {
  expect(contract).toBe(getAddress(contract!.toLowerCase()));
});
