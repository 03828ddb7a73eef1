import { z } from 'zod';
import { JsonRpcError, type JsonRpc } from './json-rpc.ts';

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(BigInt);
const data = z.string().regex(/^0x[0-9a-fA-F]*$/);
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const header = z.object({ number: quantity, baseFeePerGas: quantity.nullish().transform((fee) => fee ?? 0n) });
const receipt = z
  .object({ status: quantity, blockHash: hash, blockNumber: quantity, gasUsed: quantity, effectiveGasPrice: quantity })
  .nullable();

export type EvmReceipt = NonNullable<z.infer<typeof receipt>>;

export interface EvmCall {
  from: string;
  to: string;
  value: bigint;
  data: string;
}

/** The questions that sending asks of an EVM node, with checked answers. */
export interface EvmSendNode {
  tip(): Promise<{ height: number; baseFee: bigint }>;
  /** What miners want on top of the base fee. */
  tipFee(): Promise<bigint>;
  /** @throws JsonRpcError when the call would revert */
  gasOf(call: EvmCall): Promise<bigint>;
  balance(address: string): Promise<bigint>;
  tokenBalance(contract: string, address: string): Promise<bigint>;
  hasCode(address: string): Promise<boolean>;
  /** Transactions of an address in blocks, at the tip or at a height. */
  used(address: string, height?: number): Promise<number>;
  send(raw: string): Promise<string>;
  isKnown(txid: string): Promise<boolean>;
  receipt(txid: string): Promise<EvmReceipt | null>;
}

const BALANCE_OF = '0x70a08231';
/** EIP-7702: an account that lends a contract's code is still an account. */
const DELEGATED = '0xef0100';
const ONE_GWEI = 1_000_000_000n;

export function createEvmSendNode(rpc: JsonRpc): EvmSendNode {
  return {
    async tip() {
      const latest = await rpc.call({ method: 'eth_getBlockByNumber', params: ['latest', false], answer: header });
      return { height: Number(latest.number), baseFee: latest.baseFeePerGas };
    },
    async tipFee() {
      try {
        return await rpc.call({ method: 'eth_maxPriorityFeePerGas', params: [], answer: quantity });
      } catch (error) {
        if (error instanceof JsonRpcError) return ONE_GWEI;
        throw error;
      }
    },
    gasOf: ({ from, to, value, data: input }) =>
      rpc.call({ method: 'eth_estimateGas', params: [{ from, to, value: `0x${value.toString(16)}`, data: input }], answer: quantity }),
    balance: (address) => rpc.call({ method: 'eth_getBalance', params: [address, 'latest'], answer: quantity }),
    async tokenBalance(contract, address) {
      const input = `${BALANCE_OF}${address.slice(2).toLowerCase().padStart(64, '0')}`;
      const answer = await rpc.call({ method: 'eth_call', params: [{ to: contract, data: input }, 'latest'], answer: data });
      return answer === '0x' ? 0n : BigInt(answer);
    },
    async hasCode(address) {
      const code = await rpc.call({ method: 'eth_getCode', params: [address, 'latest'], answer: data });
      return code !== '0x' && !code.startsWith(DELEGATED);
    },
    async used(address, height) {
      const at = height === undefined ? 'latest' : `0x${Math.max(0, height).toString(16)}`;
      return Number(await rpc.call({ method: 'eth_getTransactionCount', params: [address, at], answer: quantity }));
    },
    send: (raw) => rpc.call({ method: 'eth_sendRawTransaction', params: [raw], answer: hash }),
    async isKnown(txid) {
      const answer = z.object({ hash }).nullable();
      return (await rpc.call({ method: 'eth_getTransactionByHash', params: [txid], answer })) !== null;
    },
    receipt: (txid) => rpc.call({ method: 'eth_getTransactionReceipt', params: [txid], answer: receipt }),
  };
}
