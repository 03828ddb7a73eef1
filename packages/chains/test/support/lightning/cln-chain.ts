import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { DepositTarget, DeriveOptions } from '../../../src/adapter.ts';
import { createClnNode } from '../../../src/lightning/cln/node.ts';
import { createClnPayer } from '../../../src/lightning/cln/payer.ts';
import { CLN } from '../../../src/lightning/cln/program.ts';
import { createClnRest, type ClnRest } from '../../../src/lightning/cln/rest.ts';
import { createLndAdapter } from '../../../src/lightning/lnd/adapter.ts';
import type { LndNode } from '../../../src/lightning/lnd/node.ts';
import type { LndPayer } from '../../../src/lightning/lnd/payer.ts';
import { createLightningSender } from '../../../src/lightning/sender.ts';
import { setUpLnd, type LndSetup } from '../../../src/lightning/lnd/setup.ts';
import type { ChainSender } from '../../../src/sender.ts';
import type { ContractChain } from '../../contract.ts';
import { startClnServer, type ClnServer } from './cln-server.ts';
import type { LightningNetwork } from './lightning-network.ts';
import { certificateFileOf, createNodeChain } from './node-chain.ts';

export const CLN_RECEIVING = [
  'getinfo',
  'invoice',
  'listinvoices',
  'waitanyinvoice',
  'wait',
  'delinvoice',
  'listpeerchannels',
  'listpays',
];
export const CLN_SENDING = ['xpay', 'listpays', 'listpeerchannels'];
const SETTINGS = { url: 'CLN_URL', certificate: 'CLN_CERT', macaroon: 'CLN_RUNE' };

/** A shop's lightning node with the interface of clnrest, and a payer with a channel to it. */
export interface ClnChain extends ContractChain {
  server: ClnServer;
  /** Path of the certificate. */
  certificateFile: string;
  receivingRune: string;
  sendingRune: string;
  rest(methods?: readonly string[]): ClnRest;
  node(methods?: readonly string[]): LndNode;
  setUp(methods?: readonly string[]): Promise<LndSetup>;
  payer(now?: () => number, steady?: () => number): LndPayer;
  openSender(now?: () => number, steady?: () => number): Promise<ChainSender>;
  derive(options: Partial<DeriveOptions>): Promise<DepositTarget>;
}

/** Starts clnrest's interface in front of a network that several tests share. */
export async function startClnChain(network: LightningNetwork): Promise<ClnChain> {
  const server = await startClnServer(network.book);
  const certificateFile = certificateFileOf(server);
  const receivingRune = server.rune(CLN_RECEIVING);
  const sendingRune = server.rune(CLN_SENDING);
  const restOf = (rune: string): ClnRest =>
    createClnRest({ url: server.url, certificateFile, rune, timeoutMs: 30_000 });
  const rest = (methods?: readonly string[]): ClnRest =>
    restOf(methods === undefined ? receivingRune : server.rune(methods));
  const node = (methods?: readonly string[]): LndNode => createClnNode(rest(methods));
  const setUp = (methods?: readonly string[]): Promise<LndSetup> =>
    setUpLnd(node(methods), SETTINGS, CLN);
  const chain = createNodeChain({
    name: 'Core Lightning',
    network,
    server,
    openAdapter: async () => createLndAdapter({ node: node(), setup: await setUp() }),
    leaveNetwork: () => void (server.info.network = 'simnet'),
    certificateFile,
  });
  const payer = (now?: () => number, steady = now): LndPayer =>
    createClnPayer({ rest: restOf(sendingRune), ...(now && { now }), ...(steady && { steady }) });
  return {
    ...chain,
    server,
    certificateFile,
    receivingRune,
    sendingRune,
    rest,
    node,
    setUp,
    payer,
    openSender: async (now = Date.now, steady = now) =>
      createLightningSender({ payer: payer(now, steady), feeLimit: parseAmount('0.5'), now }),
  };
}
