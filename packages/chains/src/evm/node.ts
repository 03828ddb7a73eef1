import { z } from 'zod';
import type { BlockReference } from '../cursor.ts';
import { UnavailableError } from '../error.ts';
import { JsonRpcError, type Call, type JsonRpc } from '../json-rpc.ts';
import { createReceiptReader, type EvmReceipt } from './scan/receipts.ts';
import { createTransferLogReader, type EvmLog } from './scan/transfer-logs.ts';

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
  // EIP-2718; old nodes omit it for legacy transactions.
  type: small.nullish().transform((type) => type ?? 0),
});
const block = z.object({
  number: small,
  hash: hash.nullish().transform((value) => value ?? ''),
  parentHash: hash,
  timestamp: small,
  logsBloom: data.nullish().transform((bloom) => bloom ?? null),
  transactions: z.array(transaction),
});
const header = block.omit({ transactions: true, logsBloom: true });
const located = z
  .object({ blockNumber: small.nullish().transform((height) => height ?? null) })
  .nullable();

/** Any other form says that it is not synchronising, or nothing at all. */
const syncing = z
  .object({ currentBlock: small, highestBlock: small })
  .transform(({ currentBlock: height, highestBlock: target }) => ({ height, target }))
  .nullable()
  .catch(null);

/** A frame of geth's `callTracer`. */
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
// Older nodes omit `txHash`; the traces are in the order of the block's transactions.
const traces = z.array(z.object({ txHash: hash.optional(), result: frame.optional() }));

export type EvmTransaction = z.infer<typeof transaction>;
export type EvmBlock = z.infer<typeof block>;
export type EvmTrace = z.infer<typeof traces>[number];

/** Tracing a full block is slow. */
const TRACE_TIMEOUT_MS = 30_000;
const DECIMALS_SELECTOR = '0x313ce567';
const SYMBOL_SELECTOR = '0x95d89b41';
/** ERC-20 `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231';

/** The node calls that scanning needs, with validated results. */
export interface EvmNode {
  chainId(): Promise<number>;
  /** How far a node is that still synchronises; null when it has the chain, or does not say. */
  syncing(): Promise<{ height: number; target: number } | null>;
  /** With the block's time in milliseconds. */
  tip(): Promise<BlockReference & { time: number }>;
  /** The newest block that the chain itself calls final; null when the node does not name one. */
  finalizedBlock(): Promise<BlockReference | null>;
  hashesAt(heights: readonly number[]): Promise<(string | null)[]>;
  blocks(from: number, to: number): Promise<(EvmBlock | null)[]>;
  /** The node's candidate for the next block; null when the node does not provide one. */
  pendingBlock(): Promise<EvmBlock | null>;
  /**
   * Every ERC-20-like transfer of these blocks, each the parent of the next. Each log has its
   * block's hash, so a reorganisation can't mix two blocks.
   * @throws UnavailableError when the node does not have a block's logs yet
   */
  transferLogs(blocks: readonly EvmBlock[]): Promise<EvmLog[][]>;
  /** Null when the node has no receipt: the transaction is in no block, or the node lags. */
  receipts(txids: readonly string[]): Promise<(EvmReceipt | null)[]>;
  /**
   * The receipts of transactions that this block contains, in their order.
   * @throws UnavailableError when the node does not have them yet
   */
  receiptsIn(blockHash: string, txids: readonly string[]): Promise<EvmReceipt[]>;
  /** Null for an unknown transaction; `blockNumber` is null outside a block. */
  locate(txids: readonly string[]): Promise<({ blockNumber: number | null } | null)[]>;
  traceBlock(blockHash: string): Promise<EvmTrace[]>;
  canTrace(blockHash: string): Promise<boolean>;
  /** Balances of the coin, or of a token, after the block at this height. */
  balances(addresses: readonly string[], height: number, token: string | null): Promise<bigint[]>;
  /** Null when there is no token contract at this address. */
  tokenDecimals(contract: string): Promise<number | null>;
  /** Null when the contract has none as text; it is optional (ERC-20). */
  tokenSymbol(contract: string): Promise<string | null>;
}

export function createEvmNode(rpc: JsonRpc): EvmNode {
  return {
    ...blockCalls(rpc),
    ...createReceiptReader(rpc),
    ...createTransferLogReader(rpc),
    ...traceCalls(rpc),
    ...stateCalls(rpc),
    locate: (txids) =>
      rpc.batch(
        txids.map((txid) => ({
          method: 'eth_getTransactionByHash',
          params: [txid],
          answer: located,
        })),
      ),
  };
}

function blockCalls(
  rpc: JsonRpc,
): Pick<EvmNode, 'tip' | 'finalizedBlock' | 'hashesAt' | 'blocks' | 'pendingBlock'> {
  return {
    async tip() {
      const latest = await rpc.call({
        method: 'eth_getBlockByNumber',
        params: ['latest', false],
        answer: header,
      });
      if (latest.hash === '')
        throw new UnavailableError('The newest block of the node has no hash');
      return { height: latest.number, hash: latest.hash, time: latest.timestamp * 1000 };
    },
    async finalizedBlock() {
      const finalized = await fallbackOnRefusal(
        null,
        rpc.call({
          method: 'eth_getBlockByNumber',
          params: ['finalized', false],
          answer: header.nullable(),
        }),
      );
      return finalized && { height: finalized.number, hash: finalized.hash };
    },
    async hashesAt(heights) {
      const headers = await rpc.batch(
        heights.map((height) => ({ ...getBlock(height, false), answer: header.nullable() })),
      );
      return headers.map((found, at) => (isMined(found, heights[at]) ? found.hash : null));
    },
    async blocks(from, to) {
      const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
      const found = await rpc.batch(
        heights.map((height) => ({ ...getBlock(height, true), answer: block.nullable() })),
      );
      return found.map((one, at) => (isMined(one, heights[at]) ? one : null));
    },
    pendingBlock: () =>
      fallbackOnRefusal(
        null,
        rpc.call({
          method: 'eth_getBlockByNumber',
          params: ['pending', true],
          answer: block.nullable().catch(null),
        }),
      ),
  };
}

/** False for the answer to another question: providers mix them up, and give out pending blocks. */
function isMined<B extends { number: number; hash: string }>(
  found: B | null,
  height: number | undefined,
): found is B {
  return found !== null && found.number === height && found.hash !== '';
}

function traceCalls(rpc: JsonRpc): Pick<EvmNode, 'traceBlock' | 'canTrace'> {
  const trace = (blockHash: string): Call<EvmTrace[]> => ({
    method: 'debug_traceBlockByHash',
    params: [blockHash, { tracer: 'callTracer' }],
    answer: traces,
    timeoutMs: TRACE_TIMEOUT_MS,
  });
  return {
    traceBlock: (blockHash) => rpc.call(trace(blockHash)),
    canTrace: (blockHash) =>
      fallbackOnRefusal(
        false,
        rpc.call(trace(blockHash)).then(() => true),
      ),
  };
}

function stateCalls(
  rpc: JsonRpc,
): Pick<EvmNode, 'chainId' | 'syncing' | 'balances' | 'tokenDecimals' | 'tokenSymbol'> {
  return {
    chainId: () => rpc.call({ method: 'eth_chainId', params: [], answer: small }),
    syncing: () =>
      fallbackOnRefusal(null, rpc.call({ method: 'eth_syncing', params: [], answer: syncing })),
    balances(addresses, height, token) {
      const at = `0x${height.toString(16)}`;
      if (token === null)
        return rpc.batch(
          addresses.map((address) => ({
            method: 'eth_getBalance',
            params: [address, at],
            answer: quantity,
          })),
        );
      return rpc.batch(
        addresses.map((address) => ({
          method: 'eth_call',
          params: [{ to: token, data: `${BALANCE_OF}${address.slice(2).padStart(64, '0')}` }, at],
          // Before the contract was made there is no answer.
          answer: data.transform((answer) => (answer === '0x' ? 0n : BigInt(answer))),
        })),
      );
    },
    tokenDecimals: (contract) =>
      fallbackOnRefusal(
        null,
        rpc
          .call({
            method: 'eth_call',
            params: [{ to: contract, data: DECIMALS_SELECTOR }, 'latest'],
            answer: data,
          })
          .then((answer) => (/^0x0{62}[0-9a-fA-F]{2}$/.test(answer) ? Number(answer) : null)),
      ),
    tokenSymbol: (contract) =>
      fallbackOnRefusal(
        null,
        rpc
          .call({
            method: 'eth_call',
            params: [{ to: contract, data: SYMBOL_SELECTOR }, 'latest'],
            answer: data,
          })
          .then(shortText),
      ),
  };
}

/** Solidity ABI: a `string` as the only answer is an offset, a length, and whole words. */
function shortText(answer: string): string | null {
  const [, length, text] = /^0x0{62}20(0{62}[01][0-9a-f])((?:[0-9a-f]{64})+)$/i.exec(answer) ?? [];
  if (length === undefined || text === undefined) return null;
  return Buffer.from(text, 'hex')
    .subarray(0, Number(`0x${length}`))
    .toString('utf8');
}

function getBlock(height: number, full: boolean): { method: string; params: unknown[] } {
  return { method: 'eth_getBlockByNumber', params: [`0x${height.toString(16)}`, full] };
}

/** Returns the fallback for an error response; a missing response is still an error. */
async function fallbackOnRefusal<T, F>(fallback: F, request: Promise<T>): Promise<T | F> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof JsonRpcError) return fallback;
    throw error;
  }
}
