import { ConfigError } from '@crypto-checkout/chains/error';
import { isNode } from '@crypto-checkout/chains/lightning/lnd/setup';
import { requestEnd } from '@crypto-checkout/chains/lightning/request-end';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';
import { findSource } from './scan-progress.ts';

/** The lightning node whose payments a database has. */
export interface KnownNode {
  /** Its program and public key, as cursors have them; null: none was read. */
  source: string | null;
  /** Payouts that it may have begun, and that another node could pay again. */
  payoutsUnderWay: number;
}

export const NO_NODE: KnownNode = { source: null, payoutsUnderWay: 0 };

/**
 * A payout that a node had begun for certain, or whose request has run out, is never sent again
 * (docs/run/lightning.md, "A payment without a record"): it does not bind the node.
 * @param now real time in milliseconds
 */
export async function findKnownNode(db: Db, now: number): Promise<KnownNode> {
  const { rows } = await sql<{ request: string }>`
    select t.plan ->> 'paymentRequest' as request
    from outgoing o join outgoing_attempt t on t.outgoing_id = o.id
    where o.chain = 'lightning' and o.open and o.tries > 0 and o.result is distinct from 'ok'
      and t.plan ->> 'family' = 'lightning'`.execute(db);
  const payoutsUnderWay = rows.filter(({ request }) => now <= requestEnd(request)).length;
  return { source: await findSource(db, 'lightning'), payoutsUnderWay };
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
 * only when the operator names the node before, and never while it could pay a payout again.
 * @throws ConfigError with one sentence
 */
export function requireSameNode(
  { setting, source, replaces }: NodeInPlace,
  { source: known, payoutsUnderWay }: KnownNode,
): void {
  if (known === null || !isNode(known) || known === source) return;
  const before = keyOf(known);
  const settingBefore = `${programOf(known).toUpperCase()}_URL`;
  if (replaces !== before)
    throw new ConfigError(
      `${setting}: its node has the public key ${keyOf(source)}, and this database has the payments of the node ${before}; set ${settingBefore} to that node, or LIGHTNING_REPLACES_NODE=${before} to replace it for good.`,
    );
  if (payoutsUnderWay > 0)
    throw new ConfigError(
      `LIGHTNING_REPLACES_NODE: the node before may have begun payouts (${payoutsUnderWay}), and another one could pay them again; set ${settingBefore} to the node before until they have ended, or wait until 10 minutes after their requests have run out.`,
    );
}

/** The sentence of a process that has another node than the one that the database reads. */
export const sendsNothing = (source: string, read: string | null): string =>
  `This process has the lightning node ${keyOf(source)}, and the database reads ${read === null ? 'none' : `the node ${keyOf(read)}`}: it sends nothing meanwhile`;

const keyOf = (source: string): string => source.replace(/^\w+:/, '');
const programOf = (source: string): string => source.replace(/:.*$/, '');
