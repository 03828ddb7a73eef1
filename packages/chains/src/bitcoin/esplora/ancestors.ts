import { status, transaction } from './answers.ts';
import type { Esplora } from './client.ts';

/** Above the limit of Bitcoin Core's default policy, and of every chain that is accepted here. */
export const MAX_ANCESTORS = 25;
/** Inputs that are looked at; more count as too many. */
const MAX_REQUESTS = 100;

/**
 * Number of unconfirmed transactions that one depends on, with itself: Esplora does not count them.
 * @returns null when the transaction is not in the mempool; above the limit when there may be more
 */
export async function ancestorsOf(esplora: Esplora, txid: string): Promise<number | null> {
  const own = await esplora.json(`/tx/${txid}`, transaction);
  if (own === null || own.status.confirmed) return null;
  const unconfirmed = new Set([txid]);
  const looked = new Set([txid]);
  const queue = [own];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const { txid: parent } of next.vin) {
      if (looked.has(parent)) continue;
      if (looked.size > MAX_REQUESTS) return MAX_ANCESTORS + 1;
      looked.add(parent);
      // Most parents are in a block, and their status is short.
      if ((await esplora.json(`/tx/${parent}/status`, status))?.confirmed === true) continue;
      unconfirmed.add(parent);
      if (unconfirmed.size > MAX_ANCESTORS) return MAX_ANCESTORS + 1;
      const found = await esplora.json(`/tx/${parent}`, transaction);
      if (found !== null) queue.push(found);
    }
  }
  return unconfirmed.size;
}
