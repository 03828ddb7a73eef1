import { ConfigError, LoginError, UnavailableError } from '../../error.ts';
import type { BlockReference } from '../../cursor.ts';
import { blockAt } from '../lnd/setup.ts';
import type { LightningPrefix } from '../bolt11-prefix.ts';
import type { Phoenixd } from './client.ts';

export interface PhoenixdSetup {
  network: 'mainnet' | 'testnet';
  nodeKey: string;
  /** Prefixes that its payment requests can have. */
  prefixes: readonly LightningPrefix[];
  /** Where the first scan begins. */
  scan: { beginning: BlockReference; source: string };
}

/** phoenixd's names of its networks. */
const NETWORKS: Readonly<Record<string, readonly LightningPrefix[]>> = {
  mainnet: ['bc'],
  testnet: ['tb'],
  testnet3: ['tb'],
  testnet4: ['tb'],
  signet: ['tbs'],
  regtest: ['bcrt'],
};
/** The first version whose invoices have an expiry of their own. */
const MIN_VERSION = [0, 6] as const;
/** How far back the first look for the newest payment goes. */
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Checks that phoenixd can be used, and that the password cannot pay.
 * @throws ConfigError with one sentence for a wrong node or password
 * @throws UnavailableError with one sentence while it does not answer
 */
export async function setUpPhoenixd(
  node: Phoenixd,
  now: () => number = Date.now,
): Promise<PhoenixdSetup> {
  const { nodeId, chain, version } = await named(node.info());
  requireVersion(version);
  const prefixes = NETWORKS[chain.toLowerCase()];
  if (prefixes === undefined)
    throw new ConfigError(
      `PHOENIXD_URL: the node is on the network ${chain.slice(0, 20)}; use a node on mainnet or testnet.`,
    );
  if (await named(node.canPay()))
    throw new ConfigError(
      'PHOENIXD_PASSWORD may pay; use http-password-limited-access of phoenix.conf, which only receives.',
    );
  const recent = await named(node.incoming(now() - DAY_MS));
  const source = `phoenixd:${nodeId}`;
  const newest = Math.max(0, ...recent.map(({ completedAt }) => secondOf(completedAt)));
  const height = Math.min(newest, secondOf(now()));
  return {
    network: prefixes[0] === 'bc' ? 'mainnet' : 'testnet',
    nodeKey: nodeId,
    prefixes,
    scan: { beginning: blockAt(source, height), source },
  };
}

/** The height of a payment is the second in which it was complete. */
export const secondOf = (milliseconds: number): number => Math.floor(milliseconds / 1_000);

function requireVersion(version: string): void {
  const [major = 0, minor = 0] = version
    .replace(/^v/, '')
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  const [leastMajor, leastMinor] = MIN_VERSION;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new ConfigError(
    `PHOENIXD_URL: the node runs phoenixd ${version.slice(0, 20)}; update it to ${MIN_VERSION.join('.')} or newer.`,
  );
}

/** Adds the setting that is wrong, and the remedy. */
async function named<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    if (cause instanceof LoginError)
      throw new ConfigError(
        'PHOENIXD_PASSWORD: the node refuses it; set http-password-limited-access of phoenix.conf.',
        { cause },
      );
    if (cause instanceof UnavailableError)
      throw new UnavailableError(`PHOENIXD_URL: ${cause.message}`, { cause });
    throw cause;
  }
}
