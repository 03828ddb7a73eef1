import type { Logger } from 'pino';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { type Config, ConfigError } from '../config.ts';
import type { Db } from '../database/database.ts';
import type { ChainAdapter } from './adapter.ts';
import { createEvmChain } from './evm/chain.ts';
import { createJsonRpc, type JsonRpc } from './evm/json-rpc.ts';
import { createEvmNode, type EvmNode } from './evm/node.ts';
import { createEvmSendNode } from './evm/send-node.ts';
import { createEvmSender } from './evm/send.ts';
import { setUpEvm, type EvmSetup } from './evm/setup.ts';
import { loadKeys, loadSeed, type PublicKeys } from './keys.ts';
import { payableAddresses } from './payable.ts';
import { createSandboxChains } from './sandbox/chains.ts';
import type { ChainSender } from './sender.ts';
import { createSigner, type Signer } from './signer.ts';

export interface OpenChainsOptions {
  config: Pick<Config, 'dataDir' | 'sandbox' | 'ethRpcUrl' | 'ethTokens' | 'testMnemonic'>;
  db: Db;
  /** Business time, milliseconds since the epoch; real time unless something moves it. */
  now?: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
}

export interface OpenChains {
  network: 'mainnet' | 'testnet';
  keys: PublicKeys;
  chains: Map<ChainId, ChainAdapter>;
  /** Of chains behind nodes. */
  senders: Map<ChainId, ChainSender>;
  signer: Signer;
}

/**
 * Opens what the settings name: chains behind nodes, and on a test network the sandbox for all others. One account is one
 * network: beside a main network nothing is simulated, and a kind without a chain is not offered.
 * @throws ConfigError when a node is not what the settings say, or nothing is left to offer
 */
export async function openChains({ config, db, log, now = Date.now }: OpenChainsOptions): Promise<OpenChains> {
  const ethereum = config.ethRpcUrl === null ? null : await openNode(config.ethRpcUrl, config.ethTokens);
  const network = ethereum?.setup.network ?? 'testnet';
  if (network === 'mainnet' && config.testMnemonic !== null)
    throw new ConfigError('TEST_MNEMONIC must not be set on a main network: everybody knows it.');
  const mnemonic = config.testMnemonic ?? undefined;
  const keys = loadKeys(config.dataDir, { network, mnemonic });
  const chains = new Map<ChainId, ChainAdapter>();
  const senders = new Map<ChainId, ChainSender>();
  if (network === 'testnet' && config.sandbox) {
    const except = new Set<ChainId>(ethereum === null ? [] : ['ethereum']);
    for (const [chain, adapter] of createSandboxChains({ db, keys, except })) chains.set(chain, adapter);
  }
  if (ethereum !== null) {
    const { rpc, setup } = ethereum;
    chains.set('ethereum', evmChain('ethereum', ethereum, { db, keys, log, now }));
    const node = createEvmSendNode(rpc);
    senders.set('ethereum', createEvmSender({ chain: 'ethereum', chainId: setup.chainId, node, assets: setup.assets, keys }));
  }
  if (chains.size === 0)
    throw new ConfigError('SANDBOX is false and no node is set, for instance by ETH_RPC_URL: there is no chain to offer.');
  return { network, keys, chains, senders, signer: createSigner(loadSeed(config.dataDir, { mnemonic })) };
}

async function openNode(url: string, tokens: Config['ethTokens']): Promise<{ rpc: JsonRpc; node: EvmNode; setup: EvmSetup }> {
  const rpc = createJsonRpc({ url });
  const node = createEvmNode(rpc);
  const settings = { url: 'ETH_RPC_URL', tokens: 'ETH_TOKENS' };
  return { rpc, node, setup: await setUpEvm({ chain: 'ethereum', node, tokens, settings }) };
}

function evmChain(
  chain: ChainId,
  { node, setup }: { node: EvmNode; setup: EvmSetup },
  { db, keys, log, now }: { db: Db; keys: PublicKeys; log: OpenChainsOptions['log']; now: () => number },
): ChainAdapter {
  if (!setup.canTrace) log.info({ chain }, 'the node can not trace: internal transfers go to the unassigned list');
  let ignored = 0;
  return createEvmChain({
    chain,
    node,
    setup,
    keys,
    balances: { addresses: () => payableAddresses(db, now()) },
    onIgnoredToken: (txid, address) => {
      ignored += 1;
      log.warn({ chain, txid, address, ignored_token: ignored }, 'ignored a transfer of a token that is not on the list');
    },
  });
}
