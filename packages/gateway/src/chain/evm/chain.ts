import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter, ChainHealth } from '../adapter.ts';
import { deriveTarget } from '../derive/target.ts';
import type { PublicKeys } from '../keys.ts';
import type { BalanceWatch } from './balance.ts';
import type { EvmNode } from './node.ts';
import { scanEvm } from './scan.ts';
import type { EvmSetup } from './setup.ts';

export interface EvmChainOptions {
  chain: ChainId;
  node: EvmNode;
  setup: EvmSetup;
  keys: PublicKeys;
  /** Asked only where the node can't trace. */
  balances: BalanceWatch;
  /** Told of each transfer to us of a token that is not on the list: a look-alike, or one that was forgotten. */
  onIgnoredToken: (txid: string, address: string) => void;
}

const HEALTH_TIMEOUT_MS = 1_500;

/** The adapter of an EVM chain behind a JSON-RPC node. */
export function createEvmChain({ chain, node, setup, keys, balances, onIgnoredToken }: EvmChainOptions): ChainAdapter {
  const { mempool } = CHAINS[chain];
  const { network, assets, source, canTrace } = setup;
  return {
    chain,
    network,
    source: 'node',
    kinds: [assets.coin.kind, ...[...assets.tokens.values()].map(({ kind }) => kind)],
    mempool,
    health: () => health(node),
    deriveTarget: (options) => deriveTarget(keys, chain, options),
    scan: (cursor, match, limits) =>
      scanEvm({ chain, node, assets, source, canTrace, hasMempool: mempool, balances, onIgnoredToken }, cursor, match, limits),
    async blockAt(height) {
      const [hash] = await node.hashesAt([height]);
      return hash ? { height, hash } : null;
    },
  };
}

async function health(node: EvmNode): Promise<ChainHealth> {
  const silent: ChainHealth = { ok: false, tip: null, detail: 'The node does not answer' };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ChainHealth>((resolve) => (timer = setTimeout(() => resolve(silent), HEALTH_TIMEOUT_MS)));
  const asked = node.tip().then(
    ({ height }): ChainHealth => ({ ok: true, tip: height, detail: null }),
    () => silent,
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
