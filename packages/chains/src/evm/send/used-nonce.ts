import { JsonRpcError } from '../../json-rpc.ts';
import type { EvmSendNode } from './send-node.ts';

/**
 * Finds the transaction that used a nonce, in a block at `height` or below.
 * @returns null when the nonce is unused there, or when the node can't show the transaction
 */
export async function findNonceUser(
  node: Pick<EvmSendNode, 'transactionCount' | 'transactionIn'>,
  { sender, nonce, height }: { sender: string; nonce: number; height: number },
): Promise<string | null> {
  const isUsedAt = async (at: number): Promise<boolean> =>
    (await node.transactionCount(sender, at)) > nonce;
  try {
    if (height < 0 || !(await isUsedAt(height))) return null;
    // The block is usually recent, and nodes have the state of recent blocks only.
    let used = height;
    let unused = height - 1;
    while (unused > 0 && (await isUsedAt(unused))) {
      used = unused;
      unused = Math.max(0, height - 2 * (height - unused));
    }
    while (used - unused > 1) {
      const middle = Math.floor((used + unused) / 2);
      if (await isUsedAt(middle)) used = middle;
      else unused = middle;
    }
    return await node.transactionIn(used, sender, nonce);
  } catch (error) {
    if (error instanceof JsonRpcError) return null;
    throw error;
  }
}
