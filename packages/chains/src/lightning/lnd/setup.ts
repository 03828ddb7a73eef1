import { ConfigError, UnavailableError } from '../../error.ts';
import type { LndNode } from './node.ts';
import { BAKE_RECEIVING } from './macaroon.ts';
import { LndError, LndAccessError } from './failure.ts';
import type { BlockReference } from '../../cursor.ts';
import type { SettledPosition } from './settled.ts';
import type { LightningPrefix } from '../bolt11-prefix.ts';

export interface LndSetup {
  network: 'mainnet' | 'testnet';
  /** Identifies the node in a cursor. */
  source: string;
  /** The prefix of its payment requests. */
  prefix: LightningPrefix;
  beginning: SettledPosition;
  /** Where the first scan begins. */
  scan: { beginning: BlockReference; source: string };
}

/** The names of the settings, for messages. */
export interface LndSettings {
  url: string;
  certificate: string;
  macaroon: string;
}

/** LND's names of its networks. */
const PREFIXES: Readonly<Record<string, LightningPrefix>> = {
  mainnet: 'bc',
  testnet: 'tb',
  testnet4: 'tb',
  signet: 'tbs',
  regtest: 'bcrt',
};

/** The first version with every call that is used. */
const MIN_VERSION: readonly [number, number] = [0, 18];
/** Enough to find the index of the last settled invoice. */
const NEWEST = 500;

/**
 * Checks that the node is LND, can be used, and is synchronised.
 * @throws ConfigError with one sentence for a wrong node, certificate or macaroon
 * @throws UnavailableError with one sentence while it does not answer, is locked or synchronises
 */
export async function setUpLnd(node: LndNode, settings: LndSettings): Promise<LndSetup> {
  const info = await requireNodeAnswer(settings, node.info());
  requireVersion(info.version, settings.url);
  const name = info.chains[0]!.network;
  const prefix = PREFIXES[name];
  if (prefix === undefined)
    throw new ConfigError(
      `${settings.url}: the node is on the network ${name}; use a node on ${Object.keys(PREFIXES).join(', ')}.`,
    );
  if (!info.synced_to_chain)
    throw new UnavailableError(
      `${settings.url}: the node is still synchronising (block ${info.block_height}); lightning is offered when it has caught up.`,
    );
  // Shows that the macaroon allows both calls.
  const newest = await requireNodeAnswer(settings, node.newestInvoices(NEWEST));
  await requireNodeAnswer(settings, node.channels());
  const settleIndex = Math.max(0, ...newest.map(({ settle_index }) => settle_index));
  const source = `lnd:${info.identity_pubkey}`;
  return {
    network: prefix === 'bc' ? 'mainnet' : 'testnet',
    source,
    prefix,
    beginning: { settleIndex, oldest: newest.at(-1)?.add_index ?? 0 },
    scan: { beginning: blockAt(source, settleIndex), source },
  };
}

/** A settled payment is final: nothing ever takes its place. */
export const blockAt = (source: string, height: number): BlockReference => ({
  height,
  hash: `${source}:${height}`,
});

function requireVersion(version: string, setting: string): void {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const [leastMajor, leastMinor] = MIN_VERSION;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new ConfigError(
    `${setting}: the node runs LND ${version.slice(0, 20)}; update it to ${leastMajor}.${leastMinor} or newer.`,
  );
}

/** Adds the setting that is wrong, and the remedy. */
async function requireNodeAnswer<T>(settings: LndSettings, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    if (cause instanceof LndAccessError)
      throw new ConfigError(refusalSentence(settings, cause), { cause });
    if (cause instanceof UnavailableError)
      throw new UnavailableError(`${settings.url}: ${withoutStop(cause.message)}`, { cause });
    if (cause instanceof LndError)
      throw new UnavailableError(`${settings.url}: LND answers "${cause.message}"`, { cause });
    throw cause;
  }
}

function refusalSentence(settings: LndSettings, { part, message }: LndAccessError): string {
  return part === 'macaroon'
    ? `${settings.macaroon}: ${message}; bake one on this node: ${BAKE_RECEIVING}.`
    : `${settings.certificate}: ${message}.`;
}

const withoutStop = (text: string): string => text.replace(/\.$/, '');
