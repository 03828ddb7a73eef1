import { type Address, toHex } from 'viem';
import { type Anvil, compileContracts, deploy, startAnvil } from './anvil.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';

/** Predeployed contracts of the OP stack. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F';
const L1_BLOCK: Address = '0x4200000000000000000000000000000000000015';
/** The fee that anvil then takes from the sender of a small transaction, beside its gas. */
const DATA_FEE = 320_000_000_000n;

export interface OpStack {
  anvil: Anvil;
  /** The node with the receipts of the OP stack. */
  proxy: RpcProxy;
  /** Wei of each small transaction, beside its gas. */
  dataFee: bigint;
  /** Makes the fee for data so many times as high, from the next block on. */
  multiplyFee(factor: bigint): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a node that takes a fee for the data of a transaction, as the OP stack does. anvil takes
 * the fee; its receipts do not name it, so the proxy adds the member `l1Fee` of op-geth.
 */
export async function startOpStack(...options: string[]): Promise<OpStack> {
  const anvil = await startAnvil('--optimism', ...options);
  const { wallet } = anvil;
  const store = (address: Address, slot: number, value: bigint): Promise<void> =>
    wallet.setStorageAt({
      address,
      index: toHex(slot, { size: 32 }),
      value: toHex(value, { size: 32 }),
    });
  const oracle = await deploy(anvil, compileContracts()['GasPriceOracle']!);
  const bytecode = (await wallet.getCode({ address: oracle }))!;
  await wallet.setCode({ address: GAS_PRICE_ORACLE, bytecode });
  await wallet.setCode({ address: L1_BLOCK, bytecode: '0x00' });
  await store(L1_BLOCK, 3, (5000n << 96n) | (800_000n << 64n) | 684_000n);
  const fees: { from: number; fee: bigint }[] = [];
  const multiplyFee = async (factor: bigint): Promise<void> => {
    await store(L1_BLOCK, 1, 30_000_000_000n * factor);
    await store(L1_BLOCK, 7, 1_000_000_000n * factor);
    await store(GAS_PRICE_ORACLE, 0, DATA_FEE * factor);
    const height = Number(await wallet.getBlockNumber({ cacheTime: 0 }));
    fees.push({ from: height + 1, fee: DATA_FEE * factor });
  };
  await multiplyFee(1n);
  const feeAt = (height: number): bigint => fees.findLast(({ from }) => from <= height)!.fee;
  const proxy = await startRpcProxy(anvil.url);
  proxy.change(({ method }, answer) => {
    if (method !== 'eth_getTransactionReceipt' || !answer.result) return answer;
    const { blockNumber } = answer.result as { blockNumber: string };
    return { result: { ...answer.result, l1Fee: toHex(feeAt(Number(blockNumber))) } };
  });
  return {
    anvil,
    proxy,
    dataFee: DATA_FEE,
    multiplyFee,
    stop: async () => {
      await proxy.stop();
      await anvil.stop();
    },
  };
}
