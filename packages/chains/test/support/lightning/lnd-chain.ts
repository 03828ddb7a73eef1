import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { DepositTarget, DeriveOptions } from '../../../src/adapter.ts';
import { createLndAdapter } from '../../../src/lightning/lnd/adapter.ts';
import { readMacaroon } from '../../../src/lightning/lnd/macaroon.ts';
import { createLndNode, type LndNode } from '../../../src/lightning/lnd/node.ts';
import { createLndPayer } from '../../../src/lightning/lnd/payer.ts';
import { createLndRest, type LndRest } from '../../../src/lightning/lnd/rest.ts';
import { createLightningSender } from '../../../src/lightning/sender.ts';
import { setUpLnd } from '../../../src/lightning/lnd/setup.ts';
import type { ChainSender } from '../../../src/sender.ts';
import type { ContractChain } from '../../contract.ts';
import type { LightningNetwork } from './lightning-network.ts';
import { startLndServer, type LndServer } from './lnd-server.ts';
import { certificateFileOf, createNodeChain } from './node-chain.ts';

export const RECEIVING = ['info:read', 'invoices:read', 'invoices:write', 'offchain:read'];
export const SENDING = ['offchain:read', 'offchain:write'];
export const SETTINGS = { url: 'LND_URL', certificate: 'LND_CERT', macaroon: 'LND_MACAROON' };

/** A shop's lightning node with its REST interface, and a payer with a channel to it. */
export interface LndChain extends ContractChain {
  server: LndServer;
  network: LightningNetwork;
  /** Path of the certificate, which follows that of the node. */
  certificateFile: string;
  receivingMacaroon: string;
  sendingMacaroon: string;
  rest(permissions?: readonly string[]): LndRest;
  node(permissions?: readonly string[]): LndNode;
  openSender(now?: () => number): Promise<ChainSender>;
  derive(options: Partial<DeriveOptions>): Promise<DepositTarget>;
}

/** Starts LND's interface in front of a network that several tests share. */
export async function startLndChain(network: LightningNetwork): Promise<LndChain> {
  const server = await startLndServer(network.book);
  const certificateFile = certificateFileOf(server);
  const receivingMacaroon = server.bakery.bake(RECEIVING);
  const sendingMacaroon = server.bakery.bake(SENDING);
  const restOf = (macaroon: string): LndRest =>
    createLndRest({
      url: server.url,
      certificateFile,
      macaroon: readMacaroon('LND_MACAROON', macaroon),
      timeoutMs: 30_000,
    });
  const rest = (permissions?: readonly string[]): LndRest =>
    restOf(permissions === undefined ? receivingMacaroon : server.bakery.bake(permissions));
  const node = (permissions?: readonly string[]): LndNode => createLndNode(rest(permissions));
  const chain = createNodeChain({
    name: 'LND',
    network,
    server,
    openAdapter: async () =>
      createLndAdapter({ node: node(), setup: await setUpLnd(node(), SETTINGS) }),
    leaveNetwork: () => void (server.info.network = 'simnet'),
    certificateFile,
  });

  return {
    ...chain,
    server,
    network,
    certificateFile,
    receivingMacaroon,
    sendingMacaroon,
    rest,
    node,
    openSender: async (now = Date.now) =>
      createLightningSender({
        payer: createLndPayer(restOf(sendingMacaroon)),
        feeLimit: parseAmount('0.5'),
        now,
      }),
  };
}
