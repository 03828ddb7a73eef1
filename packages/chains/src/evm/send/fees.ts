import { fromUnits } from '@crypto-checkout/protocol/amount';
import type { EvmChainId } from '@crypto-checkout/protocol/kind';
import type { FeeEstimate, FeePreset } from '../../sender.ts';
import { unsignedEvm } from './sign.ts';
import type { EvmAccount, EvmTransfer } from '../sending-account.ts';
import { EVM_TRAITS } from '../traits.ts';

/** The priority fee in tenths of the node's suggestion. */
const TIP_TENTHS: Readonly<Record<FeePreset, bigint>> = { high: 20n, normal: 10n, economy: 8n };

/** Amounts per gas, and the gas, in the smallest unit of the coin. */
export interface GasFees {
  gasLimit: bigint;
  maxFee: bigint;
  tip: bigint;
  baseFee: bigint;
}

/** The priority fee per gas (EIP-1559); never below a minimum of the chain. */
export async function priorityFee(
  { chain, node }: Pick<EvmAccount, 'chain' | 'node'>,
  preset: FeePreset,
): Promise<bigint> {
  const suggested = await node.priorityFee();
  const tip = (suggested * TIP_TENTHS[preset]) / 10n;
  return EVM_TRAITS[chain].hasMinimumTip && tip < suggested ? suggested : tip;
}

/**
 * The maximum fee per gas. The base fee grows by at most an eighth per block: twice its value lasts
 * for six full blocks. A minimum priority fee may rise too.
 */
export const maxFeePerGas = (chain: EvmChainId, baseFee: bigint, tip: bigint): bigint =>
  2n * baseFee + (EVM_TRAITS[chain].hasMinimumTip ? 2n * tip : tip);

/** The expected and the maximum fee, with the fee for data where the chain has one. */
export async function feesOf(
  account: EvmAccount,
  transfer: EvmTransfer,
  fees: GasFees,
): Promise<FeeEstimate> {
  const { gasLimit, maxFee, tip, baseFee } = fees;
  const { decimals } = account.assets.coin;
  const forData = await dataFee(account, transfer, fees);
  return {
    fee: fromUnits(gasLimit * (baseFee + tip) + forData, decimals),
    reserve: fromUnits(gasLimit * maxFee + 2n * forData, decimals),
  };
}

/** The fee for the data of a transaction, which some chains take beside its gas. */
export async function dataFee(
  { chain, chainId, node }: EvmAccount,
  transfer: EvmTransfer,
  fees: Omit<GasFees, 'baseFee'>,
): Promise<bigint> {
  if (!EVM_TRAITS[chain].hasDataFee) return 0n;
  const unsigned = unsignedEvm({
    chainId,
    // The price depends on the size; most nonces are not longer.
    nonce: 0xffffff,
    ...transfer,
    gasLimit: fees.gasLimit.toString(),
    maxFeePerGas: fees.maxFee.toString(),
    maxPriorityFeePerGas: fees.tip.toString(),
  });
  return node.dataFee(unsigned);
}
