import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';

export interface ServedChains {
  network: 'mainnet' | 'testnet';
  /** The source of each chain: a node, or the simulation. */
  chains: Partial<Record<ChainId, 'node' | 'sandbox'>>;
}

/** The chains that this service offers, for its log. */
export const servedChains = ({
  network,
  chains,
}: Pick<Context, 'network' | 'chains'>): ServedChains => ({
  network,
  chains: Object.fromEntries([...chains.values()].map(({ chain, source }) => [chain, source])),
});
