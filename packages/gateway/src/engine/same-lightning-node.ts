import { ConfigError } from '@crypto-checkout/chains/error';
import { isNode } from '@crypto-checkout/chains/lightning/lnd/setup';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { findSource } from './scan-progress.ts';

/** The lightning node whose payments a database has. */
export interface KnownNode {
  /** Its program and public key, as cursors have them; null: none was read. */
  source: string | null;
  /** Payouts whose outcome this node alone has. */
  payoutsUnderWay: number;
}

export const NO_NODE: KnownNode = { source: null, payoutsUnderWay: 0 };

export async function findKnownNode(db: Db): Promise<KnownNode> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from outgoing where chain = 'lightning' and open`.execute(db);
  return { source: await findSource(db, 'lightning'), payoutsUnderWay: rows[0]!.count };
}

export interface NodeInPlace {
  /** The name of the setting with its address. */
  setting: string;
  source: string;
  /** The public key of the node that it may take the place of. */
  replaces: string | null;
}

/**
 * The coins of a payment, and the outcome of a payout, are at one node. Another one takes its place
 * only when the operator names the node before, and never while a payout is under way.
 * @throws ConfigError with one sentence
 */
export function requireSameNode(
  { setting, source, replaces }: NodeInPlace,
  { source: known, payoutsUnderWay }: KnownNode,
): void {
  if (known === null || !isNode(known) || known === source) return;
  const before = keyOf(known);
  if (replaces !== before)
    throw new ConfigError(
      `${setting}: its node has the public key ${keyOf(source)}, and this database has the payments of the node ${before}; set ${setting} to that node, or LIGHTNING_REPLACES_NODE=${before} to replace it for good.`,
    );
  if (payoutsUnderWay > 0)
    throw new ConfigError(
      `LIGHTNING_REPLACES_NODE: the node before has payouts under way (${payoutsUnderWay}), and no other one has their outcome; set ${setting} to the node before until they have ended.`,
    );
}

const keyOf = (source: string): string => source.replace(/^\w+:/, '');
