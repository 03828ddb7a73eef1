import { hex } from '@scure/base';
import { type BitcoinFormat, scriptOf } from '../address.ts';
import type { BitcoinNetwork } from '../network.ts';
import { formatOf, FUNDING_KEY, type OwnKey, type UtxoKeys } from './own-key.ts';
import type { BitcoinSendNode, Unspent } from './send-node.ts';

/** An output of this wallet, as the database has it. */
export interface Coin extends OwnKey {
  outpoint: string;
  units: bigint;
  address: string;
  /** Change of a transaction of ours that has no replacement: it can be spent before its block. */
  isOwnChange: boolean;
  /** As in a plan. */
  previous?: string | undefined;
}

/** A coin that the node confirms. */
export interface SpendableCoin extends Coin {
  format: BitcoinFormat;
}

/** Core's default refuses more unconfirmed ancestors than 25; others may have smaller limits. */
const MAX_ANCESTORS = 5;
const COINBASE_MATURITY = 100;
/** Candidates that the node checks at once. */
const BATCH = 50;

export interface CoinOptions {
  node: BitcoinSendNode;
  network: BitcoinNetwork;
  keys: UtxoKeys;
  minConfirmations: number;
}

/**
 * Checks candidates with the node, in their order, until `isEnough`. A coin counts only while the
 * node has it unspent, with the same amount and script.
 */
export async function spendableCoins(
  options: CoinOptions,
  candidates: readonly Coin[],
  isEnough: (found: readonly SpendableCoin[]) => boolean,
): Promise<SpendableCoin[]> {
  const found: SpendableCoin[] = [];
  for (let from = 0; from < candidates.length && !isEnough(found); from += BATCH) {
    const part = candidates.slice(from, from + BATCH);
    const states = await options.node.unspent(
      part.map(({ outpoint }) => outpoint),
      true,
    );
    for (const [at, coin] of part.entries()) {
      const checked = await check(options, coin, states[at] ?? null);
      if (checked !== null) found.push(checked);
    }
  }
  return found;
}

async function check(
  { node, network, keys, minConfirmations }: CoinOptions,
  coin: Coin,
  state: Unspent | null,
): Promise<SpendableCoin | null> {
  if (state === null || state.units !== coin.units) return null;
  if (state.script !== hex.encode(scriptOf(network.versions, coin.address))) return null;
  if (state.isCoinbase && state.confirmations < COINBASE_MATURITY) return null;
  const isOwn = coin.branch === FUNDING_KEY.branch && coin.index !== FUNDING_KEY.index;
  const isDeep = state.confirmations >= (isOwn ? 1 : minConfirmations);
  if (!isDeep && !(await isUsableChange(node, coin))) return null;
  const format = formatOf(keys, network, coin, coin.address);
  return format === null ? null : { ...coin, format };
}

async function isUsableChange(node: BitcoinSendNode, coin: Coin): Promise<boolean> {
  if (!coin.isOwnChange) return false;
  const ancestors = await node.ancestors(coin.outpoint.split(':')[0]!);
  return ancestors !== null && ancestors <= MAX_ANCESTORS;
}
