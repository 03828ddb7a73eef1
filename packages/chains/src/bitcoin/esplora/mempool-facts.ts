import type { MempoolFacts } from '../../adapter.ts';
import type { FirstSights } from '../first-sights.ts';
import { signals } from '../transaction.ts';
import { ancestorsOf } from './ancestors.ts';
import { transaction } from './answers.ts';
import type { Esplora } from './client.ts';
import { estimatedRate } from './fee-rate.ts';

/**
 * How likely an unconfirmed transaction is to be mined. A parent that can be replaced is counted
 * with the unconfirmed ones.
 * @returns null when the mempool does not have it
 */
export async function esploraFacts(
  esplora: Esplora,
  txid: string,
  sights: FirstSights,
): Promise<MempoolFacts | null> {
  const found = await esplora.json(`/tx/${txid}`, transaction);
  const isWaiting = found !== null && !found.status.confirmed;
  const ancestors = isWaiting ? await ancestorsOf(esplora, txid) : null;
  if (!isWaiting || ancestors === null) {
    sights.forget(txid);
    return null;
  }
  return {
    // A replaceable parent makes it replaceable, too, and Esplora does not say so.
    replaceable: ancestors > 1 || signals(found.vin.map(({ sequence }) => sequence)),
    unconfirmedParents: ancestors - 1,
    feeRate: Number(found.fee) / Math.ceil(found.weight / 4),
    nextBlockRate: await estimatedRate(esplora, 1),
    // Esplora has no time of an unconfirmed transaction.
    ageSeconds: sights.ageOf(txid),
  };
}
