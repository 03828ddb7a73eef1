import { JsonRpcError } from '../../json-rpc.ts';
import type { BroadcastResult } from '../../sender.ts';
import type { EvmSendNode } from './send-node.ts';

/** Error messages for a transaction that the node already has. */
const ALREADY_SENT =
  /already known|known transaction|already imported|already in (the )?(mem)?pool/i;
/** Error messages for a fee that is below the minimum of a node or of the current block. */
const FEE_TOO_LOW =
  /underpriced|fee per gas less than|fee cap less than|tip cap less than|below (the )?min/i;

/**
 * Broadcasts signed bytes. A refusal proves nothing: a provider can hand a transaction on and
 * refuse it all the same, so the outcome is unknown until the chain shows which transaction used
 * the nonce.
 */
export async function broadcastEvm(
  node: Pick<EvmSendNode, 'send'>,
  raw: string,
): Promise<BroadcastResult> {
  try {
    await node.send(raw);
    return { result: 'ok' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isAnswer = error instanceof JsonRpcError;
    if (isAnswer && ALREADY_SENT.test(reason)) return { result: 'ok' };
    if (isAnswer && FEE_TOO_LOW.test(reason)) return { result: 'unknown', reason, cause: 'fee' };
    return { result: 'unknown', reason };
  }
}
