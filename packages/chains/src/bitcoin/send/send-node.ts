import { z } from 'zod';
import { UnavailableError } from '../../error.ts';
import { JsonRpcError, type JsonRpc } from '../../json-rpc.ts';
import type { UtxoChainId } from '../network.ts';
import { createBitcoinNode, eachOrNull, refused } from '../node.ts';
import { USUAL_RELAY_RATES } from '../relay-rates.ts';
import type { BitcoinTransaction } from '../transaction.ts';
import { coins, estimate, unitsOf } from '../units.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const digits = z.string().regex(/^(?:[0-9a-f]{2})*$/);

const unspent = z
  .object({
    confirmations: z.number().int().min(0),
    value: coins,
    scriptPubKey: z.object({ hex: digits }),
    coinbase: z.boolean(),
  })
  .nullable();
/** Dogecoin Core 1.14 states the lowest rate alone, which is zero until its mempool is full. */
const mempoolInfo = z.object({
  mempoolminfee: coins,
  minrelaytxfee: coins.optional(),
  incrementalrelayfee: coins.optional(),
});
const entry = z.object({ ancestorcount: z.number().int().min(1) });
const test = z.array(
  z.object({ allowed: z.boolean().optional(), 'reject-reason': z.string().optional() }),
);

export interface Unspent {
  /** Zero in the mempool. */
  confirmations: number;
  units: bigint;
  script: string;
  isCoinbase: boolean;
}

/** The node calls that sending needs, with validated results. */
export interface BitcoinSendNode {
  height(): Promise<number>;
  hashAt(height: number): Promise<string | null>;
  /** Of a block of the best chain; none above its tip. */
  transactionsAt(height: number): Promise<readonly BitcoinTransaction[]>;
  /** Satoshi per byte; null without enough data. */
  estimateRate(blocks: number): Promise<number | null>;
  /** Lowest rate of the node's mempool, and the step of a replacement; satoshi per byte. */
  relayRates(): Promise<{ least: number; step: number }>;
  /** Null for an output that is spent or does not exist. */
  unspent(outpoints: readonly string[], withMempool: boolean): Promise<(Unspent | null)[]>;
  /**
   * Bytes of the transaction of an unspent output. Newer nodes without an index of transactions
   * find them by their block.
   * @throws UnavailableError when the node does not have them
   */
  transactionOf(outpoint: string): Promise<string>;
  /**
   * Unconfirmed transactions that it depends on, with itself; null when it is not in the mempool.
   */
  ancestors(txid: string): Promise<number | null>;
  /** The reason why the node would refuse it; null when it would not, or can't say. */
  testAcceptance(raw: string): Promise<string | null>;
  /** Whether the node itself has no such test, as Dogecoin Core 1.14. Default: false. */
  readonly lacksTest?: boolean;
  send(raw: string): Promise<string>;
}

const NOT_FOUND = -5;
const OUT_OF_RANGE = -8;
const METHOD_NOT_FOUND = -32_601;

export function createBitcoinSendNode(rpc: JsonRpc, chain: UtxoChainId): BitcoinSendNode {
  const blocks = createBitcoinNode(rpc);
  let lacksTest = false;
  return {
    hashAt: (height) => hashAt(rpc, height),
    height: () => blockCount(rpc),
    transactionOf: (outpoint) => transactionOf(rpc, outpoint),
    async transactionsAt(height) {
      const id = await hashAt(rpc, height);
      return id === null ? [] : ((await blocks.block(id))?.transactions ?? []);
    },
    async estimateRate(within) {
      const call = { method: 'estimatesmartfee', params: [within], answer: estimate };
      const found = await refused(rpc.call(call));
      return found?.feerate === undefined ? null : rateOf(found.feerate);
    },
    async relayRates() {
      const info = await rpc.call({ method: 'getmempoolinfo', params: [], answer: mempoolInfo });
      const { mempoolminfee, minrelaytxfee, incrementalrelayfee } = info;
      const relayed =
        minrelaytxfee === undefined ? USUAL_RELAY_RATES[chain] : rateOf(minrelaytxfee);
      const step = incrementalrelayfee === undefined ? relayed : rateOf(incrementalrelayfee);
      return { least: Math.max(rateOf(mempoolminfee), relayed), step: Math.max(1, step) };
    },
    async unspent(outpoints, withMempool) {
      const found = await rpc.batch(
        outpoints.map((outpoint) => {
          const [txid, index] = outpoint.split(':');
          const params = [txid, Number(index), withMempool];
          return { method: 'gettxout', params, answer: unspent };
        }),
      );
      return found.map(
        (one) =>
          one && {
            confirmations: one.confirmations,
            units: unitsOf(one.value),
            script: one.scriptPubKey.hex,
            isCoinbase: one.coinbase,
          },
      );
    },
    async ancestors(txid) {
      const call = { method: 'getmempoolentry', params: [txid], answer: entry };
      return (await eachOrNull(rpc, [call], NOT_FOUND))[0]?.ancestorcount ?? null;
    },
    get lacksTest() {
      return lacksTest;
    },
    async testAcceptance(raw) {
      const call = { method: 'testmempoolaccept', params: [[raw]], answer: test };
      const answered = rpc.call(call);
      lacksTest = await isMissing(answered);
      const [found] = (await refused(answered)) ?? [];
      return found?.allowed === false ? (found['reject-reason'] ?? 'unknown') : null;
    },
    send: (raw) => rpc.call({ method: 'sendrawtransaction', params: [raw], answer: hash }),
  };
}

const isMissing = (answered: Promise<unknown>): Promise<boolean> =>
  answered.then(
    () => false,
    (error: unknown) => error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND,
  );

const blockCount = (rpc: JsonRpc): Promise<number> =>
  rpc.call({ method: 'getblockcount', params: [], answer: z.number().int().min(0) });

async function hashAt(rpc: JsonRpc, height: number): Promise<string | null> {
  const call = { method: 'getblockhash', params: [height], answer: hash };
  return (await eachOrNull(rpc, [call], OUT_OF_RANGE))[0] ?? null;
}

async function transactionOf(rpc: JsonRpc, outpoint: string): Promise<string> {
  const raw = async (...params: readonly unknown[]): Promise<string | null> => {
    const call = { method: 'getrawtransaction', params: [...params], answer: digits };
    return (await eachOrNull(rpc, [call], NOT_FOUND))[0] ?? null;
  };
  const [txid = '', index] = outpoint.split(':');
  const known = await raw(txid);
  if (known !== null) return known;
  const params = [txid, Number(index), false];
  const output = await rpc.call({ method: 'gettxout', params, answer: unspent });
  const id =
    output === null ? null : await hashAt(rpc, (await blockCount(rpc)) - output.confirmations + 1);
  const found = id === null ? null : await raw(txid, false, id);
  if (found === null) throw new UnavailableError(`The node does not have the transaction ${txid}`);
  return found;
}

/** From coins per 1,000 bytes to satoshi per byte. */
const rateOf = (perThousand: z.infer<typeof coins>): number => Number(unitsOf(perThousand)) / 1000;
