import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

/** Where the chain gives a transaction its id later than its signer. */
export async function saveChainTxid(
  db: Db,
  id: string,
  { txid, chainTxid }: { txid: string; chainTxid: string },
): Promise<void> {
  await sql`update outgoing_attempt set chain_txid = ${chainTxid}
    where outgoing_id = ${id} and txid = ${txid} and chain_txid is distinct from ${chainTxid}`.execute(
    db,
  );
}

/**
 * Transactions between our own addresses, which are not payments.
 * @returns ids of the chain
 */
export async function internalTxids(
  db: Db,
  chain: ChainId,
  observations: readonly { txid: string; signedAs?: string }[],
): Promise<ReadonlySet<string>> {
  if (observations.length === 0) return new Set();
  const ids = observations.flatMap(({ txid, signedAs = txid }) => [...new Set([txid, signedAs])]);
  const { rows } = await sql<{ txid: string; chain_txid: string | null }>`
    select t.txid, t.chain_txid from outgoing_attempt t join outgoing o on o.id = t.outgoing_id
    where (t.txid = any(${ids}::text[]) or t.chain_txid = any(${ids}::text[]))
      and o.chain = ${chain} and o.purpose in ('top_up', 'sweep')`.execute(db);
  const own = new Set(rows.flatMap(({ txid, chain_txid }) => [txid, chain_txid]));
  return new Set(
    observations
      .filter(({ txid, signedAs = txid }) => own.has(txid) || own.has(signedAs))
      .map(({ txid }) => txid),
  );
}
