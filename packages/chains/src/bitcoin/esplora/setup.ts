import { CHAINS } from '@crypto-checkout/protocol/kind';
import { ConfigError, UnavailableError } from '../../error.ts';
import { withoutFrame } from '../../rpc/http.ts';
import { type BitcoinNetwork, networkOfGenesis } from '../network.ts';
import type { BitcoinSetup } from '../setup.ts';
import type { Esplora } from './client.ts';
import { createEsploraNode } from './node.ts';

export interface EsploraSetupOptions {
  network: BitcoinNetwork;
  esplora: Esplora;
  /** Names of the settings for error messages. */
  settings: { esplora: string; network: string };
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

/** No chain pauses for a day; a service whose newest block is older still reads old blocks. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/**
 * Checks that the service serves the configured network of the chain and has its newest block.
 * @throws ConfigError with one sentence for a wrong answer
 * @throws UnavailableError with one sentence when the service does not answer
 */
export async function setUpEsplora({
  network,
  esplora,
  settings,
  now = Date.now,
}: EsploraSetupOptions): Promise<BitcoinSetup> {
  const node = createEsploraNode(esplora);
  const [genesis = null] = await requireAnswer(settings.esplora, node.hashesAt([0]));
  requireNetwork(network, genesis, settings);
  const { height, hash, time } = await requireAnswer(settings.esplora, node.tip());
  if (network.name !== 'regtest' && now() - time > MAX_AGE_MS)
    throw new UnavailableError(
      `${settings.esplora}: the service is still synchronising (block ${height} is more than a day old); its chain is offered when it has caught up.`,
    );
  return {
    network,
    source: `${network.chain}:${network.name}:${genesis}`,
    beginning: { height, hash },
  };
}

function requireNetwork(
  network: BitcoinNetwork,
  genesis: string | null,
  settings: EsploraSetupOptions['settings'],
): void {
  if (genesis === null)
    throw new ConfigError(
      `${settings.esplora} is not the address of Esplora's HTTP interface, such as http://127.0.0.1:3000 or https://example.com/api.`,
    );
  const found = networkOfGenesis(genesis);
  const isExpected = network.genesis === null ? found === null : network.genesis === genesis;
  if (isExpected) return;
  const { name } = CHAINS[network.chain];
  throw new ConfigError(
    found?.chain === network.chain
      ? `${settings.esplora} serves the network ${found.name}, but ${settings.network} is ${network.name}; set one to match the other.`
      : `${settings.esplora} is no service of ${name}: its first block is another one; set it to a service of ${name}.`,
  );
}

async function requireAnswer<T>(setting: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    if (cause instanceof UnavailableError)
      throw new UnavailableError(
        `${setting}: the service does not respond (${withoutFrame(cause)})`,
      );
    throw cause;
  }
}
