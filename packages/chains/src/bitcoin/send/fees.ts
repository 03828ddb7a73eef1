import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import type { FeePreset } from '../../sender.ts';
import type { UtxoChainId } from '../network.ts';
import type { BitcoinSendNode } from './send-node.ts';

/** Blocks within which a transaction should be mined. */
const TARGET_BLOCKS: Readonly<Record<FeePreset, number>> = { high: 2, normal: 6, economy: 24 };

/**
 * The fee rate of a preset in satoshi per byte: the node's estimate, within the chain's limits. A
 * quiet chain gives no estimate; then a usual rate of the chain is paid.
 */
export async function feeRate(
  node: Pick<BitcoinSendNode, 'estimateRate' | 'relayRates'>,
  chain: UtxoChainId,
  preset: FeePreset,
): Promise<number> {
  const [estimate, { least }] = await Promise.all([
    node.estimateRate(TARGET_BLOCKS[preset]),
    node.relayRates(),
  ]);
  const { maxFeeRate, sandboxFeeRates } = CHAIN_DETAILS[chain];
  const rate = estimate ?? sandboxFeeRates?.[preset] ?? least;
  return Math.min(Math.max(rate, least), maxFeeRate ?? rate);
}

/** The fee of a size in the smallest unit, rounded up. */
export const feeOf = (rate: number, size: number): bigint => BigInt(Math.ceil(rate * size));
