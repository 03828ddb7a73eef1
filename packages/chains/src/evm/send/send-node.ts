import { z } from 'zod';
import { JsonRpcError, type JsonRpc } from '../../json-rpc.ts';

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(BigInt);
const data = z.string().regex(/^0x[0-9a-fA-F]*$/);
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const header = z.object({
  number: quantity,
  baseFeePerGas: quantity.nullish().transform((fee) => fee ?? 0n),
});
const log = z.object({
  address: data.transform((text) => text.toLowerCase()),
  topics: z.array(hash),
});
const receipt = z
  .object({
    /** Null when the transaction created a contract. */
    to: data.nullish().transform((text) => text?.toLowerCase() ?? null),
    logs: z.array(log),
    logsBloom: data.nullish().transform((bloom) => bloom ?? null),
    status: quantity,
    blockHash: hash,
    blockNumber: quantity,
    gasUsed: quantity,
    effectiveGasPrice: quantity,
    l1Fee: quantity.nullish().transform((fee) => fee ?? 0n),
  })
  .nullable();

const block = z
  .object({ transactions: z.array(z.object({ hash, from: data, nonce: quantity })) })
  .nullable();

export type EvmReceipt = NonNullable<z.infer<typeof receipt>>;

export interface EvmCall {
  from: string;
  to: string;
  value: bigint;
  data: string;
}

/** The node calls that sending needs, with validated results. */
export interface EvmSendNode {
  tip(): Promise<{ height: number; baseFee: bigint }>;
  /** The node's suggestion for the priority fee per gas (EIP-1559). */
  priorityFee(): Promise<bigint>;
  /** @throws JsonRpcError when the call would revert */
  estimateGas(call: EvmCall): Promise<bigint>;
  /** The answer of the call, as 0x hex digits. */
  call(call: EvmCall): Promise<string>;
  /** The OP stack's fee for the data of an unsigned transaction; 0 without its contract. */
  dataFee(unsigned: string): Promise<bigint>;
  balance(address: string): Promise<bigint>;
  tokenBalance(contract: string, address: string): Promise<bigint>;
  hasCode(address: string): Promise<boolean>;
  /** Number of mined transactions from an address, at the tip or at a height. */
  transactionCount(address: string, height?: number): Promise<number>;
  /**
   * The transaction of this sender and nonce in a block. Null when the block does not contain it,
   * or when the node does not have the block.
   */
  transactionIn(height: number, sender: string, nonce: number): Promise<string | null>;
  send(raw: string): Promise<string>;
  isKnown(txid: string): Promise<boolean>;
  receipt(txid: string): Promise<EvmReceipt | null>;
  /** The hash of the block at a height; null when the node does not have it. */
  blockHash(height: number): Promise<string | null>;
}

const BALANCE_OF = '0x70a08231';
/** The OP stack's predeployed contract, and its `getL1Fee(bytes)`. */
const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F';
const GET_L1_FEE = '0x49948e0e';
/** EIP-7702: an account with delegated code is still an externally owned account. */
const DELEGATED = '0xef0100';
const ONE_GWEI = 1_000_000_000n;

const callObject = ({ value, ...call }: EvmCall) => ({ ...call, value: `0x${value.toString(16)}` });

export function createEvmSendNode(rpc: JsonRpc): EvmSendNode {
  return {
    ...blockCalls(rpc),
    async priorityFee() {
      try {
        return await rpc.call({ method: 'eth_maxPriorityFeePerGas', params: [], answer: quantity });
      } catch (error) {
        if (error instanceof JsonRpcError) return ONE_GWEI;
        throw error;
      }
    },
    estimateGas: (call) =>
      rpc.call({ method: 'eth_estimateGas', params: [callObject(call)], answer: quantity }),
    call: (call) =>
      rpc.call({ method: 'eth_call', params: [callObject(call), 'latest'], answer: data }),
    dataFee: (unsigned) =>
      callNumber(rpc, GAS_PRICE_ORACLE, `${GET_L1_FEE}${bytesArgument(unsigned)}`),
    balance: (address) =>
      rpc.call({ method: 'eth_getBalance', params: [address, 'latest'], answer: quantity }),
    tokenBalance: (contract, address) =>
      callNumber(rpc, contract, `${BALANCE_OF}${addressArgument(address)}`),
    async hasCode(address) {
      const code = await rpc.call({
        method: 'eth_getCode',
        params: [address, 'latest'],
        answer: data,
      });
      return code !== '0x' && !code.startsWith(DELEGATED);
    },
    async transactionCount(address, height) {
      const at = height === undefined ? 'latest' : `0x${Math.max(0, height).toString(16)}`;
      return Number(
        await rpc.call({
          method: 'eth_getTransactionCount',
          params: [address, at],
          answer: quantity,
        }),
      );
    },
    send: (raw) => rpc.call({ method: 'eth_sendRawTransaction', params: [raw], answer: hash }),
    async isKnown(txid) {
      const answer = z.object({ hash }).nullable();
      return (
        (await rpc.call({ method: 'eth_getTransactionByHash', params: [txid], answer })) !== null
      );
    },
    receipt: (txid) =>
      rpc.call({ method: 'eth_getTransactionReceipt', params: [txid], answer: receipt }),
  };
}

function blockCalls(rpc: JsonRpc): Pick<EvmSendNode, 'tip' | 'transactionIn' | 'blockHash'> {
  return {
    async tip() {
      const latest = await rpc.call({
        method: 'eth_getBlockByNumber',
        params: ['latest', false],
        answer: header,
      });
      return { height: Number(latest.number), baseFee: latest.baseFeePerGas };
    },
    async transactionIn(height, sender, nonce) {
      const params = [`0x${height.toString(16)}`, true];
      const found = await rpc.call({ method: 'eth_getBlockByNumber', params, answer: block });
      const own = found?.transactions.find(
        (one) => one.nonce === BigInt(nonce) && one.from.toLowerCase() === sender.toLowerCase(),
      );
      return own?.hash ?? null;
    },
    async blockHash(height) {
      const params = [`0x${height.toString(16)}`, false];
      const answer = z.object({ number: quantity, hash: hash.nullish() }).nullable();
      const found = await rpc.call({ method: 'eth_getBlockByNumber', params, answer });
      return found?.number === BigInt(height) ? (found.hash ?? null) : null;
    },
  };
}

/** The number that a contract answers; 0 if there is no contract. */
async function callNumber(rpc: JsonRpc, to: string, input: string): Promise<bigint> {
  const params = [{ to, data: input }, 'latest'];
  const answer = await rpc.call({ method: 'eth_call', params, answer: data });
  return answer === '0x' ? 0n : BigInt(answer);
}

/**
 * Solidity ABI, "Formal Specification of the Encoding": an address fills a word from the left with
 * zeros.
 */
const addressArgument = (address: string): string =>
  address.slice(2).toLowerCase().padStart(64, '0');

/** Solidity ABI: `bytes` as the only argument is an offset, a length, and whole words. */
function bytesArgument(hex: string): string {
  const bytes = hex.slice(2);
  const size = (bytes.length / 2).toString(16).padStart(64, '0');
  return `${'20'.padStart(64, '0')}${size}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')}`;
}
