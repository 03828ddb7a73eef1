import { z } from 'zod';
import { UnavailableError } from '../../error.ts';
import { JsonRpcError, type JsonRpc } from '../../json-rpc.ts';

const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const receipt = z
  .object({
    transactionHash: hash,
    blockHash: hash,
    status: z.string().regex(/^0x[0-9a-fA-F]+$/),
  })
  .transform(({ transactionHash, blockHash, status }) => ({
    txid: transactionHash,
    blockHash,
    succeeded: BigInt(status) === 1n,
  }));

export type EvmReceipt = z.infer<typeof receipt>;

/** JSON-RPC 2.0, "Error object": the method does not exist. */
const METHOD_NOT_FOUND = -32_601;

interface ReceiptReader {
  receipts(txids: readonly string[]): Promise<(EvmReceipt | null)[]>;
  receiptsIn(blockHash: string, txids: readonly string[]): Promise<EvmReceipt[]>;
}

/**
 * Reads receipts. A block's own receipts come from one call, so they fit together; a node without
 * that method is asked for each receipt.
 */
export function createReceiptReader(rpc: JsonRpc): ReceiptReader {
  let hasBlockReceipts = true;
  const receipts: ReceiptReader['receipts'] = (txids) =>
    rpc.batch(
      txids.map((txid) => ({
        method: 'eth_getTransactionReceipt',
        params: [txid],
        answer: receipt.nullable(),
      })),
    );

  async function ofBlock(blockHash: string): Promise<EvmReceipt[] | null> {
    if (!hasBlockReceipts) return null;
    try {
      const answer = z.array(receipt).nullable();
      return (
        (await rpc.call({ method: 'eth_getBlockReceipts', params: [blockHash], answer })) ?? []
      );
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      hasBlockReceipts = error.code !== METHOD_NOT_FOUND;
      return null;
    }
  }

  return {
    receipts,
    async receiptsIn(blockHash, txids) {
      const found = (await ofBlock(blockHash)) ?? (await receipts(txids));
      return txids.map((txid) => {
        const own = found.find((one) => one?.txid === txid);
        // No receipt does not mean a failure: providers announce a block before they have it all.
        if (own?.blockHash !== blockHash)
          throw new UnavailableError(`The node has no receipt of ${txid} in its block yet`);
        return own;
      });
    },
  };
}
