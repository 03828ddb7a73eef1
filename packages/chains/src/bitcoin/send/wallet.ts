import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import type { BitcoinPlanInput } from '../../sender.ts';
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
  /** Whether a signer elsewhere asks for a proof of the amounts. Default: false. */
  provesAmounts?: boolean;
  /** As in `ChainSender`. Default: true. */
  sharesTransactions?: boolean;
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

const planInput = ({ outpoint, units, branch, index, address }: Coin): BitcoinPlanInput => ({
  outpoint,
  units: units.toString(),
  branch,
  index,
  address,
});

/**
 * The coins as inputs of a plan, with the proofs that a signer elsewhere needs.
 * @throws UnavailableError when the node does not have the bytes
 */
export async function planInputs(
  { node, network, provesAmounts = false }: BitcoinWallet,
  coins: readonly Coin[],
): Promise<BitcoinPlanInput[]> {
  const hasSegwit = network.versions.bech32 !== null;
  if (hasSegwit || !provesAmounts) return coins.map(planInput);
  const inputs: BitcoinPlanInput[] = [];
  for (const coin of coins) {
    const previous = coin.previous ?? (await node.transactionOf(coin.outpoint));
    inputs.push({ ...planInput(coin), previous });
  }
  return inputs;
}
