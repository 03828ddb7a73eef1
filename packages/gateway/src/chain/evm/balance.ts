import { fromUnits } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { ScanEvent } from '../adapter.ts';
import type { BlockReference } from '../follow.ts';
import { JsonRpcError } from './json-rpc.ts';
import type { EvmBlock, EvmNode } from './node.ts';
import type { EvmAssets, Transfer } from './transfers.ts';

export interface BalanceWatch {
  /** Lower-case addresses that may be paid now; at most a thousand are compared. */
  addresses(): Promise<readonly string[]>;
}

interface Comparison {
  chain: ChainId;
  node: EvmNode;
  assets: EvmAssets;
  balances: BalanceWatch;
}

const MAX_ADDRESSES = 1_000;
/** Chains whose coin is a token as well: its transfers move the same balance. */
const COIN_AS_TOKEN: Partial<Record<ChainId, string>> = { celo: 'CELO-CELO' };

/**
 * Without traces, money that a contract forwards shows in balances only. What arrived between two blocks and no transaction
 * explains goes to the operator's list: it can't be told who sent it, and a guess could credit it twice.
 */
export async function balanceRemainders(
  { chain, node, assets, balances }: Comparison,
  before: BlockReference,
  after: BlockReference,
  blocks: readonly EvmBlock[],
  seen: readonly Transfer[],
): Promise<ScanEvent[]> {
  if (before.hash === after.hash) return [];
  const senders = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ from }) => from)));
  // Whoever sent something is being swept; what is left then says nothing about what came in.
  const addresses = (await balances.addresses()).filter((address) => !senders.has(address)).slice(0, MAX_ADDRESSES);
  const had = await balancesAt(node, addresses, before);
  const has = await balancesAt(node, addresses, after);
  if (had === null || has === null) return [];
  return addresses.flatMap((address, at): ScanEvent[] => {
    const grown = fromUnits((has[at] ?? 0n) - (had[at] ?? 0n), assets.coin.decimals);
    const explained = seen
      .filter((transfer) => transfer.block !== null && transfer.to === address)
      .filter(({ asset }) => asset === assets.coin.asset || asset === COIN_AS_TOKEN[chain])
      .reduce((sum, { amount }) => sum + amount, 0n);
    const amount = grown - explained;
    if (amount <= 0n) return [];
    const reason = 'balance grew without a transaction to it';
    return [
      {
        type: 'unexplained',
        unexplained: { key: `${after.hash}:${address}:delta`, txid: null, asset: assets.coin.asset, address, amount, reason },
      },
    ];
  });
}

/** Null where the node has forgotten the state: after a long stop nothing can be compared. */
async function balancesAt(node: EvmNode, addresses: readonly string[], block: BlockReference): Promise<bigint[] | null> {
  try {
    return await node.balances(addresses, block.hash);
  } catch (error) {
    if (error instanceof JsonRpcError) return null;
    throw error;
  }
}
