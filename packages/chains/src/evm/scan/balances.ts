import { fromUnits } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { AddressBalance } from '../../adapter.ts';
import { JsonRpcError } from '../../json-rpc.ts';
import type { EvmNode } from '../node.ts';
import type { EvmAssets } from './transfers.ts';

/** Chains whose coin is also an ERC-20 token: both show the same balance. */
const COIN_AS_TOKEN: Partial<Record<ChainId, string>> = { celo: 'CELO-CELO' };

/**
 * Balances of addresses after a block: of the coin, and of each listed token.
 * @returns null when the node has pruned the state of that block
 */
export async function balancesAt(
  { chain, node, assets }: { chain: ChainId; node: Pick<EvmNode, 'balances'>; assets: EvmAssets },
  height: number,
  addresses: readonly string[],
): Promise<AddressBalance[] | null> {
  const tokens = [...assets.tokens].filter(([, { asset }]) => asset !== COIN_AS_TOKEN[chain]);
  const listed = [[null, assets.coin] as const, ...tokens];
  try {
    const found = await Promise.all(
      listed.map(async ([contract, { asset, decimals }]) => {
        const balances = await node.balances(addresses, height, contract);
        return balances.map((units, at) => ({
          address: addresses[at]!,
          asset,
          amount: fromUnits(units, decimals),
        }));
      }),
    );
    return found.flat();
  } catch (error) {
    if (error instanceof JsonRpcError) return null;
    throw error;
  }
}
