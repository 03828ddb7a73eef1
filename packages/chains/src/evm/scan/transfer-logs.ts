import { z } from 'zod';
import { UnavailableError } from '../../error.ts';
import type { JsonRpc } from '../../json-rpc.ts';

const data = z.string().regex(/^0x[0-9a-fA-F]*$/);
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const log = z.object({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .transform((text) => text.toLowerCase()),
  topics: z.array(hash),
  data,
  transactionHash: hash,
  logIndex: z
    .string()
    .regex(/^0x[0-9a-fA-F]+$/)
    .transform(Number)
    .refine(Number.isSafeInteger),
  removed: z.boolean().optional(),
});

export type EvmLog = z.infer<typeof log>;

/** ERC-20 `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

interface LoggedBlock {
  hash: string;
  /** Null when the node does not report it. */
  logsBloom: string | null;
}

interface TransferLogReader {
  transferLogs(blocks: readonly LoggedBlock[]): Promise<EvmLog[][]>;
}

export function createTransferLogReader(rpc: JsonRpc): TransferLogReader {
  const logs = (blocks: readonly LoggedBlock[], filter: object): Promise<EvmLog[][]> =>
    rpc.batch(
      blocks.map((block) => ({
        method: 'eth_getLogs',
        params: [{ blockHash: block.hash, ...filter }],
        answer: z.array(log),
      })),
    );
  return {
    async transferLogs(blocks) {
      const found = await logs(blocks, { topics: [TRANSFER_TOPIC] });
      const suspects = blocks.filter((block, at) => found[at]?.length === 0 && hasLogs(block));
      // The bloom filter shows that a block has logs: none at all means that the node lags.
      const all = new Map(
        (await logs(suspects, {})).map((list, at) => [suspects[at]?.hash, list] as const),
      );
      return blocks.map(({ hash: blockHash }, at) => {
        const list = all.get(blockHash);
        if (list === undefined) return found[at] ?? [];
        if (list.length === 0)
          throw new UnavailableError(`The node does not have the logs of block ${blockHash} yet`);
        return list.filter(({ topics }) => topics[0] === TRANSFER_TOPIC);
      });
    },
  };
}

/** Whether the bloom filter of a block or receipt shows that it has logs. */
export const hasLogs = ({ logsBloom }: Pick<LoggedBlock, 'logsBloom'>): boolean =>
  logsBloom !== null && /[1-9a-f]/i.test(logsBloom.slice(2));
