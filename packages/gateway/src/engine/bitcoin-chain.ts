import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { createBitcoinAdapter } from '@crypto-checkout/chains/bitcoin/adapter';
import { bitcoinNetwork, type UtxoChainId } from '@crypto-checkout/chains/bitcoin/network';
import { createBitcoinNode } from '@crypto-checkout/chains/bitcoin/node';
import { createBitcoinSendNode } from '@crypto-checkout/chains/bitcoin/send/send-node';
import { createBitcoinSender } from '@crypto-checkout/chains/bitcoin/send/sender';
import { setUpBitcoin, type BitcoinSetup } from '@crypto-checkout/chains/bitcoin/setup';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { createFailover, createFailoverAdapter } from '@crypto-checkout/chains/failover';
import { createJsonRpc, type JsonRpc } from '@crypto-checkout/chains/json-rpc';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Config } from '../config.ts';
import { bitcoinSettingNames, type BitcoinNodeConfig } from '../settings/bitcoin.ts';
import type { Db } from '../database/database.ts';
import { nextChangeIndex, unspentCoins } from './coin-store.ts';
import { differentNetworks } from './evm-chain.ts';

type Network = 'mainnet' | 'testnet';

/** The node of one Bitcoin-like chain; one that does not answer is asked again. */
export interface BitcoinConnection {
  readonly chain: UtxoChainId;
  readonly rpc: JsonRpc;
  /** Null until the node answered. */
  readonly setup: BitcoinSetup | null;
  /** Why the node is not open; null when it is. */
  readonly reason: string | null;
  /**
   * Asks the node unless it is open.
   * @param expected null: any network
   * @throws ConfigError for a wrong answer
   */
  tryToOpen(expected: Network | null): Promise<void>;
}

export function createBitcoinConnection(
  chain: UtxoChainId,
  { url, user, password, cookieFile, network: name }: BitcoinNodeConfig,
): BitcoinConnection {
  const network = bitcoinNetwork(chain, name);
  const rpc = createJsonRpc({
    url,
    exactNumbers: true,
    ...(user !== null && password !== null ? { user, password } : {}),
    ...(cookieFile !== null ? { cookieFile } : {}),
  });
  let setup: BitcoinSetup | null = null;
  let reason: string | null = null;
  return {
    chain,
    rpc,
    get setup() {
      return setup;
    },
    get reason() {
      return reason;
    },
    async tryToOpen(expected) {
      if (setup !== null) return;
      if (expected !== null && network.account !== expected) throw differentNetworks();
      try {
        const node = createBitcoinNode(rpc);
        setup = await setUpBitcoin({ network, node, settings: bitcoinSettingNames(chain) });
        reason = null;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        if (!(error instanceof UnavailableError)) throw error;
      }
    },
  };
}

export interface BitcoinChainOptions {
  network: Network;
  keys: PublicKeys;
  db: Db;
  keysMode: Config['keysMode'];
}

/** One Bitcoin-like chain behind its node. */
export function createBitcoinChain(
  connection: BitcoinConnection,
  { network, keys, db, keysMode }: BitcoinChainOptions,
): { adapter: ChainAdapter; sender(): ChainSender | null } {
  const { chain, rpc } = connection;
  let adapter: ChainAdapter | null = null;
  const adapters = (): ChainAdapter[] => {
    const { setup } = connection;
    if (setup === null) return [];
    adapter ??= createBitcoinAdapter({ rpc, setup, keys });
    return [adapter];
  };
  const failover = createFailover({
    providers: () =>
      adapters().map((own) => ({
        name: 'node',
        value: { adapter: own },
        tip: async () => (await own.health()).tip,
      })),
    maxLag: 1,
  });
  return {
    adapter: createFailoverAdapter({
      chain,
      network,
      failover,
      adapters,
      compares: false,
      hasMempoolFacts: true,
      closedReason: () => connection.reason ?? 'The node does not answer',
    }),
    sender() {
      const { setup } = connection;
      if (setup === null) return null;
      return createBitcoinSender({
        network: setup.network,
        node: createBitcoinSendNode(rpc),
        keys,
        coins: () => unspentCoins(db, chain),
        // A reorganisation must not take a payout along.
        minConfirmations: network === 'mainnet' ? CHAINS[chain].finalConfirmations : 1,
        nextChange: () => nextChangeIndex(db, chain),
        provesAmounts: keysMode !== 'local',
        // The limits and approvals of a signer process are for single payouts.
        sharesTransactions: keysMode !== 'signer',
      });
    },
  };
}
