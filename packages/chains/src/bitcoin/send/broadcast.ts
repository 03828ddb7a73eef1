import { JsonRpcError } from '../../json-rpc.ts';
import type { BroadcastResult } from '../../sender.ts';
import type { BitcoinSendNode } from './send-node.ts';

/** The node, or a block, has it already. */
const KNOWN = /already in (?:block ?chain|utxo set|mempool)|txn-already-(?:known|in-mempool)/i;
/** The fee is below the minimum of the mempool, or of a replacement. */
const FEE_TOO_LOW =
  /min(?:imum)? (?:relay )?fee not met|insufficient fee|mempool full|insufficient priority/i;
/** The form of the transaction: nodes never relay it, whatever happens. */
const NEVER_RELAYED =
  /^(?:\d+: )?(?:dust|scriptpubkey|tx-size|bad-txns-(?:vout|oversize|toolarge))/i;

/**
 * Tests and broadcasts signed bytes. Only a test before the broadcast can show that it failed: a
 * node can hand a transaction on and refuse it all the same.
 */
export async function broadcastBitcoin(
  node: Pick<BitcoinSendNode, 'testAcceptance' | 'send'>,
  raw: string,
): Promise<BroadcastResult> {
  try {
    const reason = await node.testAcceptance(raw);
    if (reason !== null) return refusal(reason, NEVER_RELAYED.test(reason));
    await node.send(raw);
    return { result: 'ok' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return error instanceof JsonRpcError ? refusal(reason, false) : { result: 'unknown', reason };
  }
}

function refusal(reason: string, isCertain: boolean): BroadcastResult {
  if (KNOWN.test(reason)) return { result: 'ok' };
  if (isCertain) return { result: 'failed', reason: `The node refuses it: ${reason}` };
  return FEE_TOO_LOW.test(reason)
    ? { result: 'unknown', reason, cause: 'fee' }
    : { result: 'unknown', reason };
}
