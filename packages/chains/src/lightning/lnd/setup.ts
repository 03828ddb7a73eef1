import { ConfigError, UnavailableError } from '../../error.ts';
import type { LndNode } from './node.ts';
import { BAKE_RECEIVING } from './macaroon.ts';
import { EXPIRED, LndError, LndAccessError } from './failure.ts';
import type { BlockReference } from '../../cursor.ts';
import type { SettledPosition } from './settled.ts';
import type { LightningPrefix } from '../bolt11-prefix.ts';

/** The differences between the programs of nodes. */
export interface NodeProgram {
  id: 'lnd' | 'cln';
  name: string;
  /** The first version with every call that is used. */
  minVersion: readonly [number, number];
  /** The remedy for a refused credential. */
  credential: string;
  /** Remedies for its certificate. */
  expired: string;
  otherCertificate: string;
}

export const LND: NodeProgram = {
  id: 'lnd',
  name: 'LND',
  minVersion: [0, 18],
  credential: `bake one on this node: ${BAKE_RECEIVING}`,
  expired: 'delete tls.cert and tls.key of LND, restart it, and copy the new tls.cert',
  otherCertificate: "set LND_CERT to a copy of the node's present tls.cert",
};

export interface LndSetup {
  program: NodeProgram;
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

/** Enough to find the index of the last settled invoice. */
const NEWEST = 500;

/**
 * Checks that the node can be used, and is synchronised.
 * @throws ConfigError with one sentence for a wrong node, certificate or macaroon
 * @throws UnavailableError with one sentence while it does not answer, is locked or synchronises
 */
export async function setUpLnd(
  node: LndNode,
  settings: LndSettings,
  program: NodeProgram = LND,
): Promise<LndSetup> {
  const names = { ...settings, program };
  const info = await requireNodeAnswer(names, node.info());
  requireVersion(info.version, settings.url, program);
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
  const newest = await requireNodeAnswer(names, node.newestInvoices(NEWEST));
  await requireNodeAnswer(names, node.channels());
  const settleIndex = Math.max(0, ...newest.map(({ settle_index }) => settle_index));
  const source = sourceOf(program, info.identity_pubkey);
  return {
    program,
    network: prefix === 'bc' ? 'mainnet' : 'testnet',
    source,
    prefix,
    beginning: { settleIndex, oldest: newest.at(-1)?.add_index ?? 0 },
    scan: { beginning: blockAt(source, settleIndex), source },
  };
}

/** Identifies a node in cursors. */
export const sourceOf = ({ id }: Pick<NodeProgram, 'id'>, nodeKey: string): string =>
  `${id}:${nodeKey}`;
/** The node's address can lead to another one while the service runs. */
export const OTHER_NODE =
  'Another lightning node answers than the one that was there at the start; set the address of that node, and start again';
export const isNode = (source: string): boolean => /^(?:lnd|cln|phoenixd):/.test(source);

/** A settled payment is final: nothing ever takes its place. */
export const blockAt = (source: string, height: number): BlockReference => ({
  height,
  hash: `${source}:${height}`,
});

function requireVersion(
  version: string,
  setting: string,
  { name, minVersion: [leastMajor, leastMinor] }: NodeProgram,
): void {
  const [major = 0, minor = 0] = version
    .replace(/^v/, '')
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new ConfigError(
    `${setting}: the node runs ${name} ${version.slice(0, 20)}; update it to ${shownVersion(leastMajor, leastMinor)} or newer.`,
  );
}

/** Core Lightning writes months of two digits, as in 24.08. */
const shownVersion = (major: number, minor: number): string =>
  major === 0 ? `${major}.${minor}` : `${major}.${String(minor).padStart(2, '0')}`;

type Names = LndSettings & { program: NodeProgram };

/** Adds the setting that is wrong, and the remedy. */
async function requireNodeAnswer<T>(settings: Names, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (cause) {
    if (cause instanceof LndAccessError)
      throw new ConfigError(refusalSentence(settings, cause), { cause });
    if (cause instanceof UnavailableError)
      throw new UnavailableError(`${settings.url}: ${withoutStop(cause.message)}`, { cause });
    if (cause instanceof LndError)
      throw new UnavailableError(
        `${settings.url}: ${settings.program.name} answers "${cause.message}"`,
        { cause },
      );
    throw cause;
  }
}

function refusalSentence(settings: Names, { part, message }: LndAccessError): string {
  const { credential, expired, otherCertificate } = settings.program;
  if (part === 'macaroon') return `${settings.macaroon}: ${message}; ${credential}.`;
  const remedy = message === EXPIRED ? expired : otherCertificate;
  return `${settings.certificate}: ${message}; ${remedy}.`;
}

const withoutStop = (text: string): string => text.replace(/\.$/, '');
