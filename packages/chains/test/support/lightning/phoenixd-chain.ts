import type { DepositTarget, DeriveOptions } from '../../../src/adapter.ts';
import { createPhoenixdAdapter } from '../../../src/lightning/phoenixd/adapter.ts';
import { createPhoenixd, type Phoenixd } from '../../../src/lightning/phoenixd/client.ts';
import { setUpPhoenixd, type PhoenixdSetup } from '../../../src/lightning/phoenixd/setup.ts';
import type { ContractChain } from '../../contract.ts';
import type { LightningNetwork } from './lightning-network.ts';
import { createNodeChain } from './node-chain.ts';
import { startPhoenixdServer, type PhoenixdServer } from './phoenixd-server.ts';

/** A shop's lightning node with phoenixd's interface, and a payer with a channel to it. */
export interface PhoenixdChain extends ContractChain {
  server: PhoenixdServer;
  node(password?: string): Phoenixd;
  setUp(password?: string): Promise<PhoenixdSetup>;
  derive(options: Partial<DeriveOptions>): Promise<DepositTarget>;
}

/** Starts phoenixd's interface in front of a network that several tests share. */
export async function startPhoenixdChain(network: LightningNetwork): Promise<PhoenixdChain> {
  const server = await startPhoenixdServer(network.book);
  const node = (password = server.passwords.limited): Phoenixd =>
    createPhoenixd({ url: server.url, password });
  const setUp = (password?: string): Promise<PhoenixdSetup> => setUpPhoenixd(node(password));
  const chain = createNodeChain({
    name: 'phoenixd',
    network,
    server,
    openAdapter: async () => createPhoenixdAdapter({ node: node(), setup: await setUp() }),
    leaveNetwork: () => void (server.info.chain = 'simnet'),
  });
  return {
    ...chain,
    // phoenixd shows whole satoshis.
    decimals: 8,
    server,
    node,
    setUp,
  };
}
