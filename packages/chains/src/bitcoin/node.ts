import { hex } from '@scure/base';
import { z } from 'zod';
import { PrunedError, UnavailableError } from '../error.ts';
import { type Call, JsonRpcError, type JsonRpc } from '../json-rpc.ts';
import { parseBlock, parseTransaction } from './raw.ts';
import { type BitcoinBlock, type BitcoinTransaction, signals } from './transaction.ts';
import { coins, unitsOf } from './units.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const digits = z.string().regex(/^(?:[0-9a-f]{2})*$/);
const height = z.number().int().min(0);
const seconds = z.number().int().min(0);

const output = z.object({
  n: z.number().int().min(0),
  value: coins,
  scriptPubKey: z.object({ hex: digits }),
});
const extensionOutput = z.object({ ismweb: z.literal(true) });
const input = z.object({
  txid: hash.optional(),
  vout: z.number().int().min(0).optional(),
  sequence: z.number().int().min(0).optional(),
});
const transaction = z.object({
  txid: hash,
  vin: z.array(input),
  // Outputs of Litecoin's extension blocks have neither script nor amount.
  vout: z.array(z.union([extensionOutput, output])),
});
const header = z.object({
  hash,
  height,
  mediantime: seconds,
  previousblockhash: hash.optional(),
});
const tipHeader = header.extend({ time: seconds });
const verboseBlock = header.extend({ tx: z.array(transaction) });
const plainBlock = header.extend({ tx: z.array(hash) });

const chainInfo = z.object({
  chain: z.string(),
  blocks: height,
  headers: height,
  initialblockdownload: z.boolean().optional(),
  pruned: z.boolean().optional(),
});

/** `RPC_INVALID_ADDRESS_OR_KEY`: not found. `RPC_INVALID_PARAMETER`: no such height. */
const NOT_FOUND = -5;
const OUT_OF_RANGE = -8;
const METHOD_NOT_FOUND = -32_601;

export type ChainInfo = z.infer<typeof chainInfo>;

export interface Tip {
  height: number;
  hash: string;
  /**
   * The block's own time in milliseconds, which a miner can move by two hours. The median time past
   * lags behind by an hour on Bitcoin, so a node that is well would seem to stand still.
   */
  time: number;
}

/** The blocks of a chain, with validated results. */
export interface BlockNode {
  tip(): Promise<Tip>;
  /** The best chain's hashes; null above its tip. */
  hashesAt(heights: readonly number[]): Promise<(string | null)[]>;
  /** Null when the block is not on the best chain any more. */
  block(hash: string): Promise<BitcoinBlock | null>;
}

/** The node calls that receiving needs. */
export interface BitcoinNode extends BlockNode {
  chainInfo(): Promise<ChainInfo>;
  mempool(): Promise<string[]>;
  /** Of the mempool; null for those that left it meanwhile. */
  transactions(txids: readonly string[]): Promise<(BitcoinTransaction | null)[]>;
  /** Whether the node returns a block with its transactions in one answer. */
  probeVerboseBlocks(): Promise<boolean>;
}

/** Batches stay small, because one block can take 15 MB. */
export function createBitcoinNode(rpc: JsonRpc): BitcoinNode {
  let hasVerboseBlocks: boolean | null = null;

  async function probeVerboseBlocks(): Promise<boolean> {
    const genesis = await rpc.call({ method: 'getblockhash', params: [0], answer: hash });
    const found = await refused(
      rpc.call({ method: 'getblock', params: [genesis, 2], answer: verboseBlock }),
    );
    hasVerboseBlocks = found !== null;
    return hasVerboseBlocks;
  }

  async function block(id: string): Promise<BitcoinBlock | null> {
    const isVerbose = hasVerboseBlocks ?? (await probeVerboseBlocks());
    try {
      return isVerbose
        ? fromVerbose(
            await rpc.call({
              method: 'getblock',
              params: [id, 2],
              answer: verboseBlock,
              timeoutMs: SLOW_MS,
            }),
          )
        : await plain(rpc, id);
    } catch (error) {
      throw isPruned(error) ? new PrunedError(PRUNED) : error;
    }
  }

  return {
    probeVerboseBlocks,
    block,
    chainInfo: () => rpc.call({ method: 'getblockchaininfo', params: [], answer: chainInfo }),
    async tip() {
      const best = await rpc.call({ method: 'getbestblockhash', params: [], answer: hash });
      const found = await rpc.call({ method: 'getblockheader', params: [best], answer: tipHeader });
      return { height: found.height, hash: found.hash, time: found.time * 1000 };
    },
    hashesAt: (heights) =>
      eachOrNull(
        rpc,
        heights.map((at) => ({ method: 'getblockhash', params: [at], answer: hash })),
        OUT_OF_RANGE,
      ),
    mempool: () => rpc.call({ method: 'getrawmempool', params: [], answer: z.array(hash) }),
    async transactions(txids) {
      const found = await eachOrNull(
        rpc,
        txids.map((txid) => ({ method: 'getrawtransaction', params: [txid], answer: digits })),
        NOT_FOUND,
      );
      return found.map((raw, at) => (raw === null ? null : parseTransaction(txids[at]!, raw)));
    },
  };
}

const SLOW_MS = 60_000;
const PRUNED =
  'The node has deleted blocks that were not read yet; raise its setting prune, or read them from another node';

const isPruned = (error: unknown): boolean =>
  error instanceof JsonRpcError && /pruned/i.test(error.message);

/** Null for an answer by which a node refuses the call. */
export async function refused<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof JsonRpcError && [METHOD_NOT_FOUND, -1, -3].includes(error.code))
      return null;
    throw error;
  }
}

/** Answers of all calls; null where the node answers with this error. */
export async function eachOrNull<T>(
  rpc: JsonRpc,
  calls: readonly Call<T>[],
  absent: number,
): Promise<(T | null)[]> {
  try {
    return await rpc.batch(calls);
  } catch (error) {
    if (!(error instanceof JsonRpcError) || error.code !== absent) throw error;
    if (calls.length === 1) return [null];
  }
  const half = Math.ceil(calls.length / 2);
  return [
    ...(await eachOrNull(rpc, calls.slice(0, half), absent)),
    ...(await eachOrNull(rpc, calls.slice(half), absent)),
  ];
}

function fromVerbose({ tx, ...found }: z.infer<typeof verboseBlock>): BitcoinBlock {
  return {
    ...blockOf(found),
    transactions: tx.map(({ txid, vin, vout }) => ({
      txid,
      inputs: vin.flatMap(({ txid: spent, vout: index }) =>
        spent === undefined || index === undefined ? [] : [`${spent}:${index}`],
      ),
      outputs: vout.flatMap((one) =>
        'ismweb' in one
          ? []
          : [{ index: one.n, script: one.scriptPubKey.hex, units: unitsOf(one.value) }],
      ),
      signalsReplacement: signals(vin.map(({ sequence }) => sequence ?? 0xffff_ffff)),
    })),
  };
}

/**
 * For nodes without verbose blocks: the bytes of the block, checked by the ids of its transactions.
 */
async function plain(rpc: JsonRpc, id: string): Promise<BitcoinBlock> {
  const { tx: txids, ...found } = await rpc.call({
    method: 'getblock',
    params: [id, true],
    answer: plainBlock,
  });
  const raw = await rpc.call({
    method: 'getblock',
    params: [id, false],
    answer: digits,
    timeoutMs: SLOW_MS,
  });
  const { transactions } = parseBlock(hex.decode(raw));
  const isComplete =
    transactions.length === txids.length &&
    transactions.every(({ txid }, at) => txid === txids[at]);
  if (!isComplete) throw new UnavailableError(`The bytes of block ${id} are not its transactions`);
  return { ...blockOf(found), transactions };
}

const blockOf = (found: z.infer<typeof header>): Omit<BitcoinBlock, 'transactions'> => ({
  height: found.height,
  hash: found.hash,
  parentHash: found.previousblockhash ?? '',
  time: found.mediantime * 1000,
});
