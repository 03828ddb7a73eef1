import { KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { expect, it } from 'vitest';
import { linkedNetwork } from './linked-network.ts';

const coin = kindOf('ETH')!;
const usdc = kindOf('ETH_USDC')!;
const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const assets = { coin, tokens: new Map([[CONTRACT.toLowerCase(), usdc]]) };

it('names the chain of the node where it is not that of the tables', () => {
  expect(linkedNetwork({ network: 'testnet', chainId: 560_048, assets }, 'ETH')).toEqual({
    chain_id: 560_048,
    contract: null,
  });
});

it('names the contract that the operator set, with its checksum', () => {
  expect(linkedNetwork({ network: 'testnet', chainId: 11_155_111, assets }, 'ETH_USDC')).toEqual({
    chain_id: 11_155_111,
    contract: CONTRACT,
  });
});

it('names nothing for the networks and contracts of the tables', () => {
  const tokens = KINDS.filter(({ chain, token }) => chain === 'ethereum' && token);
  const listed = new Map(tokens.map((kind) => [kind.contract!.toLowerCase(), kind]));
  const main = { network: 'mainnet', chainId: 1, assets: { coin, tokens: listed } } as const;
  for (const { kind } of [coin, ...tokens]) expect(linkedNetwork(main, kind)).toBeNull();
  expect(linkedNetwork({ network: 'testnet', chainId: 11_155_111, assets }, 'ETH')).toBeNull();
});
