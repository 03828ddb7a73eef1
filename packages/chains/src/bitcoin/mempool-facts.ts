import { z } from 'zod';
import type { MempoolFacts } from '../adapter.ts';
import { JsonRpcError, type JsonRpc } from '../json-rpc.ts';
import type { FirstSights } from './first-sights.ts';
import { refused } from './node.ts';
import { coins, estimate, unitsOf } from './units.ts';

const entry = z.object({
  // Absent in older nodes.
  'bip125-replaceable': z.boolean().optional(),
  ancestorcount: z.number().int().min(1),
  vsize: z.number().int().min(1).optional(),
  size: z.number().int().min(1).optional(),
  time: z.number().optional(),
  fee: coins.optional(),
  fees: z.object({ base: coins }).optional(),
});
/** Blocks; Core has no estimate for the next one alone. */
const NEXT_BLOCKS = 2;
const NOT_FOUND = -5;

/**
 * How likely an unconfirmed transaction is to be mined.
 * @returns null when the mempool does not have it
 */
export async function mempoolFacts(
  rpc: JsonRpc,
  txid: string,
  sights: FirstSights,
): Promise<MempoolFacts | null> {
  try {
    const found = await rpc.call({ method: 'getmempoolentry', params: [txid], answer: entry });
    const nextBlockRate = await nextBlockRateOf(rpc);
    const size = found.vsize ?? found.size;
    const fee = found.fees?.base ?? found.fee;
    return {
      // A node that does not say so proves nothing.
      replaceable: found['bip125-replaceable'] ?? true,
      unconfirmedParents: found.ancestorcount - 1,
      feeRate: size === undefined || fee === undefined ? 0 : Number(unitsOf(fee)) / size,
      nextBlockRate,
      ageSeconds: sights.ageOf(txid, found.time),
    };
  } catch (error) {
    if (!(error instanceof JsonRpcError) || error.code !== NOT_FOUND) throw error;
    sights.forget(txid);
    return null;
  }
}

/** Null on a quiet chain, or from a node without estimates. */
async function nextBlockRateOf(rpc: JsonRpc): Promise<number | null> {
  const call = { method: 'estimatesmartfee', params: [NEXT_BLOCKS], answer: estimate };
  const rate = (await refused(rpc.call(call)))?.feerate;
  return rate === undefined ? null : Number(unitsOf(rate)) / 1000;
}
