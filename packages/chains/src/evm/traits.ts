import type { EvmChainId } from '@crypto-checkout/protocol/kind';

/** How sending on a chain differs from Ethereum. */
export interface EvmTraits {
  /**
   * Whether the data of a transaction costs a fee beside its gas. The OP stack's predeployed
   * contract `GasPriceOracle` returns it.
   */
  hasDataFee: boolean;
  /** Gas of a transfer of the coin where the node cannot simulate it. */
  coinGas: bigint;
  /** Whether nodes refuse a transaction whose priority fee is below a minimum of the chain. */
  hasMinimumTip: boolean;
}

const ETHEREUM: EvmTraits = { hasDataFee: false, coinGas: 21_000n, hasMinimumTip: false };
const OP_STACK: EvmTraits = { ...ETHEREUM, hasDataFee: true };

export const EVM_TRAITS: Readonly<Record<EvmChainId, EvmTraits>> = {
  ethereum: ETHEREUM,
  base: OP_STACK,
  // Its fee for data is inside the gas, which therefore varies.
  arbitrum: { ...ETHEREUM, coinGas: 500_000n },
  polygon: { ...ETHEREUM, hasMinimumTip: true },
  bsc: { ...ETHEREUM, hasMinimumTip: true },
  celo: OP_STACK,
};
