import type { EvmChainId, Kind } from '@crypto-checkout/protocol/kind';
import type { UtxoChainId } from '@crypto-checkout/chains/bitcoin/network';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import type { BitcoinPlan, EvmPlan, LightningPlan } from '@crypto-checkout/chains/sender';
import { SigningRefusedError, type Purpose } from '@crypto-checkout/chains/signer';
import type { Approval } from './approval.ts';
import type { Policy } from './policy.ts';
import type { SignedLog } from './signed-log.ts';

interface RequestOf<Chain, Plan> {
  id: string;
  purpose: Purpose;
  chain: Chain;
  plan: Plan;
  recipientIndex: number | null;
  approval: Approval | null;
}

export type EvmRequest = RequestOf<EvmChainId, EvmPlan>;
export type BitcoinRequest = RequestOf<UtxoChainId, BitcoinPlan>;
export type LightningRequest = RequestOf<'lightning', LightningPlan>;
export type SigningRequest = EvmRequest | BitcoinRequest | LightningRequest;

export const isEvmRequest = (request: SigningRequest): request is EvmRequest =>
  request.plan.family === 'evm';
export const isLightningRequest = (request: SigningRequest): request is LightningRequest =>
  request.plan.family === 'lightning';

export interface SignerState {
  policy: Policy;
  keys: Pick<PublicKeys, 'evm' | 'bitcoin' | 'utxo'>;
  log: SignedLog;
  /** The signer's own clock, milliseconds since the epoch. */
  now: number;
  /** A person looks at each transaction: amounts need no approval and count for no limit. */
  isReviewed?: boolean;
}

export interface Recipient {
  address: string;
  /** Sent with the transfer, where a contract could obey it. */
  memo: string | null;
  /** In the kind's smallest unit. */
  units: bigint;
}

/** The effect of a plan, from its own words. */
export interface Transfer {
  kind: Kind;
  /** Decimals of the units: those of the kind; more over lightning. */
  decimals: number;
  recipients: readonly Recipient[];
  /** The names that a list of destinations has for the recipients. Default: their addresses. */
  listed?: readonly string[];
  /** Highest fee, in the smallest unit of the chain's coin. */
  fee: bigint;
  /** Decimals of the chain's coin. */
  feeDecimals: number;
  /** Takes the place of an earlier plan, and sends nothing. */
  isCancellation: boolean;
}

/** All that leaves but the fee, in the kind's smallest unit. */
export const unitsOf = ({ recipients }: Pick<Transfer, 'recipients'>): bigint =>
  recipients.reduce((sum, { units }) => sum + units, 0n);

export const refused = (reason: string): SigningRefusedError =>
  new SigningRefusedError(`The signer refused: ${reason}`);
