import { z } from 'zod';
import type { BlockReference } from '../follow.ts';
import { JsonRpcError, type Call, type JsonRpc } from './json-rpc.ts';

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(BigInt);
const small = quantity.transform(Number).refine(Number.isSafeInteger);
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const account = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase());
const data = z.string().regex(/^0x[0-9a-fA-F]*$/);

const transaction = z.object({
  hash,
  from: account,
  to: account.nullish().transform((to) => to ?? null),
  value: quantity,
  nonce: small,
  input: data,
});
const block = z.object({
  number: small,
  hash: hash.nullish().transform((value) => value ?? ''),
  parentHash: hash,
  timestamp: small,
  transactions: z.array(transaction),
});
const header = block.omit({ transactions: true });
const log = z.object({
  address: account,
  topics: z.array(hash),
  data,
  transactionHash: hash,
  logIndex: small,
  removed: z.boolean().optional(),
});
const receipt = z.object({ status: small, blockHash: hash }).nullable();
const located = z.object({ blockNumber: small.nullish().transform((height) => height ?? null) }).nullable();

/** A frame of geth's callTracer. */
export interface CallFrame {
  type: string;
  from: string;
  to?: string | undefined;
  value?: bigint | undefined;
  error?: string | undefined;
  calls?: CallFrame[] | undefined;
}
const frame: z.ZodType<CallFrame> = z.object({
  type: z.string(),
  from: account,
  to: account.optional(),
  value: quantity.optional(),
  error: z.string().optional(),
  get calls() {
    return z.array(frame).optional();
  },
});
// Older nodes leave `txHash` out; the order is the block's.
const traces = z.array(z.object({ txHash: hash.optional(), result: frame.optional() }));

export type EvmTransaction = z.infer<typeof transaction>;
export type EvmBlock = z.infer<typeof block>;
export type EvmLog = z.infer<typeof log>;
export type EvmTrace = z.infer<typeof traces>[number];

/** ERC-20 `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const DECIMALS_SELECTOR = '0x313ce567';

/** The questions that are asked of an EVM node, with checked answers. */
export interface EvmNode {
  chainId(): Promise<number>;
  tip(): Promise<BlockReference>;
  hashesAt(heights: readonly number[]): Promise<(string | null)[]>;
  blocks(from: number, to: number): Promise<(EvmBlock | null)[]>;
  /** What the node would put into the next block; null where it does not say. */
  pendingBlock(): Promise<EvmBlock | null>;
  /** Every ERC-20-like transfer in these blocks, asked by block hash, so that a reorganisation can't mix two blocks. */
  transferLogs(blockHashes: readonly string[]): Promise<EvmLog[][]>;
  /** Null when the transaction is not in a block. */
  receipts(txids: readonly string[]): Promise<{ succeeded: boolean; blockHash: string }[]>;
  /** Whether each transaction is known, and in which block it is, if in any. */
  locate(txids: readonly string[]): Promise<({ blockNumber: number | null } | null)[]>;
  traceBlocks(blockHashes: readonly string[]): Promise<EvmTrace[][]>;
  canTrace(blockHash: string): Promise<boolean>;
  balances(addresses: readonly string[], blockHash: string): Promise<bigint[]>;
  /** Null when there is no token contract at this address. */
  tokenDecimals(contract: string): Promise<number | null>;
}

export function createEvmNode(rpc: JsonRpc): EvmNode {
  const trace = (blockHash: string): Call<EvmTrace[]> => ({
    method: 'debug_traceBlockByHash',
    params: [blockHash, { tracer: 'callTracer' }],
    answer: traces,
  });
  return {
    chainId: () => rpc.call({ method: 'eth_chainId', params: [], answer: small }),
    async tip() {
      const latest = await rpc.call({ method: 'eth_getBlockByNumber', params: ['latest', false], answer: header });
      return { height: latest.number, hash: latest.hash };
    },
    async hashesAt(heights) {
      const headers = await rpc.batch(heights.map((height) => ({ ...getBlock(height, false), answer: header.nullable() })));
      return headers.map((found) => found?.hash ?? null);
    },
    blocks: (from, to) => {
      const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
      return rpc.batch(heights.map((height) => ({ ...getBlock(height, true), answer: block.nullable() })));
    },
    pendingBlock: () =>
      refusedAs(null, rpc.call({ method: 'eth_getBlockByNumber', params: ['pending', true], answer: block.nullable().catch(null) })),
    transferLogs: (blockHashes) =>
      rpc.batch(
        blockHashes.map((blockHash) => ({
          method: 'eth_getLogs',
          params: [{ blockHash, topics: [TRANSFER_TOPIC] }],
          answer: z.array(log),
        })),
      ),
    async receipts(txids) {
      const found = await rpc.batch(txids.map((txid) => ({ method: 'eth_getTransactionReceipt', params: [txid], answer: receipt })));
      return found.map((one) => ({ succeeded: one?.status === 1, blockHash: one?.blockHash ?? '' }));
    },
    locate: (txids) => rpc.batch(txids.map((txid) => ({ method: 'eth_getTransactionByHash', params: [txid], answer: located }))),
    // One by one: a trace is large, and a batch of them could pass the bound on answers.
    async traceBlocks(blockHashes) {
      const found: EvmTrace[][] = [];
      for (const blockHash of blockHashes) found.push(await rpc.call(trace(blockHash)));
      return found;
    },
    canTrace: (blockHash) =>
      refusedAs(
        false,
        rpc.call(trace(blockHash)).then(() => true),
      ),
    // EIP-1898: the state after exactly this block.
    balances: (addresses, blockHash) =>
      rpc.batch(addresses.map((address) => ({ method: 'eth_getBalance', params: [address, { blockHash }], answer: quantity }))),
    tokenDecimals: (contract) =>
      refusedAs(
        null,
        rpc
          .call({ method: 'eth_call', params: [{ to: contract, data: DECIMALS_SELECTOR }, 'latest'], answer: data })
          .then((answer) => (/^0x0{62}[0-9a-fA-F]{2}$/.test(answer) ? Number(answer) : null)),
      ),
  };
}

function getBlock(height: number, full: boolean): { method: string; params: unknown[] } {
  return { method: 'eth_getBlockByNumber', params: [`0x${height.toString(16)}`, full] };
}

/** A refusal is an answer here; silence is not. */
async function refusedAs<T, F>(fallback: F, asked: Promise<T>): Promise<T | F> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof JsonRpcError) return fallback;
    throw error;
  }
}
