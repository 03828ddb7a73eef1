import type { EvmChainId } from '@crypto-checkout/protocol/kind';
import type { EvmPlan } from '../sender.ts';
import type { EvmSendNode } from './send/send-node.ts';
import type { EvmAssets } from './scan/transfers.ts';

/** One sending address of a chain. */
export interface EvmAccount {
  chain: EvmChainId;
  chainId: number;
  node: EvmSendNode;
  /** Each provider by itself, where one alone is not enough. */
  providers: () => readonly EvmSendNode[];
  assets: EvmAssets;
  from: EvmPlan['from'];
}

export type EvmTransfer = Pick<EvmPlan, 'token' | 'to' | 'units' | 'memo'>;
