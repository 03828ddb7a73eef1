import type { Liquidity } from '@crypto-checkout/chains/adapter';
import { UnavailableError } from '@crypto-checkout/chains/error';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../../context.ts';

/** The liquidity of each chain that limits it. A node that does not answer is left out. */
export async function readLiquidity({
  chains,
}: Pick<Context, 'chains'>): Promise<ReadonlyMap<ChainId, Liquidity>> {
  const found = new Map<ChainId, Liquidity>();
  for (const [chain, adapter] of chains) {
    if (adapter.liquidity === undefined) continue;
    try {
      found.set(chain, await adapter.liquidity());
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }
  return found;
}
