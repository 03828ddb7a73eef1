import { KINDS } from '@crypto-checkout/protocol/kind';
import { expect, it } from 'vitest';
import { balancesAt } from './balances.ts';

const ADDRESS = `0x${'ab'.repeat(20)}`;

/** The assets that a comparison of one address counts, where every balance is one. */
async function countedOn(chain: 'celo' | 'base'): Promise<string[]> {
  const [coin, ...tokens] = KINDS.filter((kind) => kind.chain === chain);
  const assets = {
    coin: coin!,
    tokens: new Map(tokens.map((kind) => [kind.contract!.toLowerCase(), kind])),
  };
  const node = { balances: async (addresses: readonly string[]) => addresses.map(() => 1n) };
  const found = await balancesAt({ chain, node, assets }, 7, [ADDRESS]);
  return found!.map(({ asset }) => asset);
}

it('the coin of Celo, which is also a token, is counted once', async () => {
  const counted = await countedOn('celo');
  expect(counted).toContain('CELO');
  expect(counted).toContain('USDT-CELO');
  expect(counted).not.toContain('CELO-CELO');
});

it('every token of another chain is counted beside the coin', async () => {
  const kinds = KINDS.filter(({ chain }) => chain === 'base');
  expect(await countedOn('base')).toEqual(kinds.map(({ asset }) => asset));
});
