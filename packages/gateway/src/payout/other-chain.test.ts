import type { ChainId } from '@crypto-checkout/protocol/kind';
import { expect, it } from 'vitest';
import { otherChainOf } from './other-chain.ts';

const P2SH_OF_BITCOIN = '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf';
/** The same script hash. */
const P2SH_OF_LITECOIN = 'M7wtsL7wSHDBJVMWWhtQfTMSYYkyooAAXM';

it.each<[ChainId, string, ChainId | null]>([
  ['bitcoin', P2SH_OF_LITECOIN, 'litecoin'],
  ['dogecoin', P2SH_OF_LITECOIN, 'litecoin'],
  ['litecoin', P2SH_OF_BITCOIN, 'bitcoin'],
  ['litecoin', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'bitcoin'],
  ['bitcoin', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'ethereum'],
  ['tron', '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'ethereum'],
  ['bitcoin', 'somewhere', null],
  ['bitcoin', '', null],
])('an address that is none of %s: %s', (chain, text, other) => {
  expect(otherChainOf(chain, 'mainnet', text)).toBe(other);
});
