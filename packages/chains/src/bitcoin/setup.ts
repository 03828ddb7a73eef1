import { CHAINS } from '@crypto-checkout/protocol/kind';
import { ConfigError, ForbiddenError, LoginError, UnavailableError } from '../error.ts';
import { JsonRpcError } from '../json-rpc.ts';
import { RefusedError, withoutFrame } from '../rpc/http.ts';
import type { BitcoinNetwork } from './network.ts';
import type { BitcoinNode, ChainInfo } from './node.ts';

export interface BitcoinSetup {
  network: BitcoinNetwork;
  /** Network and genesis hash; a cursor of another source is not resumed. */
  source: string;
  /** The newest block: what is paid after it is found. */
  beginning: { height: number; hash: string };
}

export interface BitcoinSetupOptions {
  network: BitcoinNetwork;
  node: BitcoinNode;
  /** Names of the settings for error messages. */
  settings: { url: string; network: string; user: string; password: string; cookie: string };
}

/** No transaction has this id: a node that allows the question does not find it. */
const NO_TRANSACTION = '0'.repeat(64);

/** Nodes report a short gap to the newest block as synchronising, too. */
const SYNCED_WITHIN_BLOCKS = 3;

/**
 * Checks that the node serves the configured network of the chain and has its newest block.
 * @throws ConfigError with one sentence for a wrong answer
 * @throws UnavailableError with one sentence when the node does not answer
 */
export async function setUpBitcoin({
  network,
  node,
  settings,
}: BitcoinSetupOptions): Promise<BitcoinSetup> {
  const { url } = settings;
  const info = await requireAnswer(settings, node.chainInfo());
  const [genesis = null] = await requireAnswer(settings, node.hashesAt([0]));
  requireNetwork(network, info, genesis, settings);
  requireSynchronised(network, info, url);
  await requireAnswer(settings, node.probeVerboseBlocks());
  // A node can refuse single methods: these two are first needed for a payment.
  await requireAnswer(settings, node.mempool());
  await requireAnswer(settings, node.transactions([NO_TRANSACTION]));
  const { height, hash } = await requireAnswer(settings, node.tip());
  return {
    network,
    source: `${network.chain}:${network.name}:${genesis}`,
    beginning: { height, hash },
  };
}

function requireNetwork(
  network: BitcoinNetwork,
  info: ChainInfo,
  genesis: string | null,
  settings: BitcoinSetupOptions['settings'],
): void {
  const { name } = CHAINS[network.chain];
  if (info.chain !== network.nodeName)
    throw new ConfigError(
      `${settings.url} serves the network ${shown(info.chain)}, but ${settings.network} is ${network.name}; set one to match the other.`,
    );
  if (network.genesis !== null && network.genesis !== genesis)
    throw new ConfigError(
      `${settings.url} is no node of ${name}: its first block is another one; set it to a node of ${name}.`,
    );
}

/** The node's own text, which can be anything. */
const shown = (text: string): string => text.replaceAll(/[^\w-]/g, '?').slice(0, 20);

/** A node that still reads old blocks would show payments late, or not at all. */
function requireSynchronised({ name }: BitcoinNetwork, info: ChainInfo, setting: string): void {
  const { blocks, headers, initialblockdownload: isInitial = false } = info;
  const isBehind = headers - blocks > SYNCED_WITHIN_BLOCKS || (isInitial && name !== 'regtest');
  if (isBehind)
    throw new UnavailableError(
      `${setting}: the node is still synchronising (block ${blocks} of ${headers}); its chain is offered when it has caught up.`,
    );
}

async function requireAnswer<T>(
  settings: BitcoinSetupOptions['settings'],
  request: Promise<T>,
): Promise<T> {
  const { url: setting } = settings;
  try {
    return await request;
  } catch (cause) {
    if (cause instanceof LoginError) throw new UnavailableError(aboutLogin(settings, cause));
    if (cause instanceof ForbiddenError)
      throw new UnavailableError(
        `${setting}: ${cause.message.replace(/^The/, 'the')}; allow it in the node's rpcwhitelist, and this host in its rpcallowip.`,
      );
    if (cause instanceof UnavailableError)
      throw new UnavailableError(
        `${setting}: the node does not respond (${withoutFrame(cause)})${isOtherServer(cause) ? OTHER_SERVER : ''}`,
      );
    if (cause instanceof JsonRpcError && cause.code === WARMING_UP)
      throw new UnavailableError(`${setting}: the node is still starting (${cause.message})`);
    throw new ConfigError(`${setting}: the node does not respond like a Bitcoin node.`, { cause });
  }
}

const OTHER_SERVER = "; what answers there does not speak JSON-RPC: is it the node's rpcport?";
/** The port of a node's peers closes the connection; another server answers something else. */
const isOtherServer = (cause: UnavailableError): boolean =>
  cause instanceof RefusedError || /UND_ERR_SOCKET|HPE_|no JSON|invalid JSON/.test(cause.message);

/** `RPC_IN_WARMUP` */
const WARMING_UP = -28;

function aboutLogin(
  { url, user, password, cookie }: BitcoinSetupOptions['settings'],
  { missingFile }: LoginError,
): string {
  return missingFile === null
    ? `${url}: the node refuses the login (HTTP 401); correct ${user} and ${password}, or ${cookie}.`
    : `${cookie}: the file ${missingFile} is missing or can't be read; set it to the cookie file of the node, or set ${user} and ${password} in its place.`;
}
