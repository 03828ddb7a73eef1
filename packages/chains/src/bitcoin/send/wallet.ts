import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import type { BitcoinPlan } from '../../sender.ts';
import type { BitcoinNetwork } from '../network.ts';
import { DECIMALS } from '../units.ts';
import type { Coin } from './coins.ts';
import type { UtxoKeys } from './own-key.ts';
import type { BitcoinSendNode } from './send-node.ts';

/** A wallet of one UTXO chain: its keys and coins, and the node. */
export interface BitcoinWallet {
  network: BitcoinNetwork;
  node: BitcoinSendNode;
  keys: UtxoKeys;
  /** The stored outputs of this wallet that no transaction in a block spends. */
  coins: () => Promise<readonly Coin[]>;
  /** Depth from which on the payments of others are spent. */
  minConfirmations: number;
  /** Index of a change key that no transaction uses. */
  nextChange: () => Promise<number>;
}

/** The least amount of an output. */
export const dustOf = ({ chain }: Pick<BitcoinNetwork, 'chain'>): bigint =>
  toUnits(parseAmount(CHAIN_DETAILS[chain].dust ?? '0'), DECIMALS);

/** Confirmed coins come first, then the largest. */
export async function freeCoins(
  { coins }: Pick<BitcoinWallet, 'coins'>,
  taken: readonly string[],
): Promise<Coin[]> {
  const isTaken = new Set(taken);
  const free = (await coins()).filter(({ outpoint }) => !isTaken.has(outpoint));
  return free.toSorted(
    (a, b) => Number(a.isOwnChange) - Number(b.isOwnChange) || (a.units > b.units ? -1 : 1),
  );
}

export const planInput = ({
  outpoint,
  units,
  branch,
  index,
  address,
}: Coin): BitcoinPlan['inputs'][number] => ({
  outpoint,
  units: units.toString(),
  branch,
  index,
  address,
});
