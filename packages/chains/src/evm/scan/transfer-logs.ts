import { z } from 'zod';
import { UnavailableError } from '../../error.ts';
import { JsonRpcError, type JsonRpc } from '../../json-rpc.ts';
import { TooLargeError } from '../../rpc/http.ts';

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
  blockHash: hash,
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
  number: number;
  hash: string;
  /** Null when the node does not report it. */
  logsBloom: string | null;
}

interface TransferLogReader {
  /** @param blocks each the parent of the next */
  transferLogs(blocks: readonly LoggedBlock[]): Promise<EvmLog[][]>;
}

export function createTransferLogReader(rpc: JsonRpc): TransferLogReader {
  const readRange = createRangeReader(rpc);
  const ofBlocks = (blocks: readonly LoggedBlock[], filter: object): Promise<EvmLog[][]> =>
    rpc.batch(
      blocks.map((block) => ({
        method: 'eth_getLogs',
        params: [{ blockHash: block.hash, ...filter }],
        answer: z.array(log),
      })),
    );
  return {
    async transferLogs(blocks) {
      const range = await readRange(blocks);
      const found = range?.lists ?? (await ofBlocks(blocks, TRANSFERS));
      if (range !== null) {
        const doubtful = doubtfulAmong(blocks, range);
        const again = await ofBlocks(
          doubtful.map((at) => blocks[at]!),
          TRANSFERS,
        );
        for (const [place, at] of doubtful.entries()) found[at] = again[place]!;
      }
      const suspects = blocks.filter((block, at) => found[at]?.length === 0 && hasLogs(block));
      // The bloom filter shows that a block has logs: none at all means that the node lags.
      const all = new Map(
        (await ofBlocks(suspects, {})).map((list, at) => [suspects[at]?.hash, list] as const),
      );
      return blocks.map(({ hash: blockHash }, at) => {
        const list = all.get(blockHash);
        if (list?.length === 0)
          throw new UnavailableError(`The node does not have the logs of block ${blockHash} yet`);
        return transfersAmong(list ?? found[at] ?? [], blockHash);
      });
    },
  };
}

const TRANSFERS = { topics: [TRANSFER_TOPIC] };

/** Most blocks whose logs one call asks for. */
const MAX_RANGE = 100;

interface RangeLogs {
  /** Of each block. */
  lists: EvmLog[][];
  /** Hashes of blocks at which an answer can have ended. */
  ends: ReadonlySet<string>;
}

/** Reads the logs of several blocks in one call, of half as many after each refusal. */
function createRangeReader(
  rpc: JsonRpc,
): (blocks: readonly LoggedBlock[]) => Promise<RangeLogs | null> {
  let limit = MAX_RANGE;

  async function ofRange(blocks: readonly LoggedBlock[]): Promise<EvmLog[]> {
    const [fromBlock, toBlock] = [blocks[0]!, blocks.at(-1)!].map(
      ({ number }) => `0x${number.toString(16)}`,
    );
    const params = [{ fromBlock, toBlock, ...TRANSFERS }];
    return rpc.call({ method: 'eth_getLogs', params, answer: z.array(log) });
  }

  return async (blocks) => {
    const found: EvmLog[] = [];
    const ends = new Set<string>();
    for (let at = 0; at < blocks.length;) {
      // One block alone is asked for by its hash.
      if (Math.min(limit, blocks.length) < 2) return null;
      try {
        const part = blocks.slice(at, at + limit);
        const logs = await ofRange(part);
        if (logs.length % ROUND === 0)
          for (const { blockHash } of logs.slice(-1)) ends.add(blockHash);
        for (const one of logs) found.push(one);
        at += part.length;
      } catch (error) {
        if (!(error instanceof JsonRpcError || error instanceof TooLargeError)) throw error;
        limit = Math.floor(Math.min(limit, blocks.length) / 2);
      }
    }
    const lists = byBlock(found, blocks);
    return lists && { lists, ends };
  };
}

/** Providers limit the logs of an answer to a multiple of this number. */
const ROUND = 1_000;

/**
 * Providers can end an answer in the middle of a block and say nothing. Then the block is the last
 * one before blocks without transfers whose bloom filter shows logs, or the number of logs is
 * round.
 * @returns places of such blocks
 */
function doubtfulAmong(blocks: readonly LoggedBlock[], { lists, ends }: RangeLogs): number[] {
  const doubtful = new Set<number>();
  let last: number | null = null;
  for (const [at, block] of blocks.entries()) {
    if (lists[at]!.length > 0) last = at;
    else if (last !== null && hasLogs(block)) doubtful.add(last);
    if (ends.has(block.hash)) doubtful.add(at);
  }
  return [...doubtful];
}

/**
 * Sorts logs by their blocks.
 * @returns null when one is of another block: the caller then asks for each block by its hash
 */
function byBlock(logs: readonly EvmLog[], blocks: readonly LoggedBlock[]): EvmLog[][] | null {
  const lists = new Map(blocks.map((block) => [block.hash, [] as EvmLog[]]));
  for (const one of logs) {
    const list = lists.get(one.blockHash);
    if (list === undefined) return null;
    list.push(one);
  }
  return [...lists.values()];
}

/**
 * Each transfer once: an answer can ignore the filter, or repeat a log.
 * @throws UnavailableError for the logs of another block
 */
function transfersAmong(logs: readonly EvmLog[], blockHash: string): EvmLog[] {
  if (logs.some((one) => one.blockHash !== blockHash))
    throw new UnavailableError('The node returned the logs of another block');
  const byIndex = new Map(
    logs
      .filter(({ topics }) => topics[0] === TRANSFER_TOPIC)
      .map((transfer) => [transfer.logIndex, transfer]),
  );
  return [...byIndex.values()];
}

/** Whether the bloom filter of a block or receipt shows that it has logs. */
export const hasLogs = ({ logsBloom }: Pick<LoggedBlock, 'logsBloom'>): boolean =>
  logsBloom !== null && /[1-9a-f]/i.test(logsBloom.slice(2));
