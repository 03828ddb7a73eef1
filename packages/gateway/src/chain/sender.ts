import type { Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';

/**
 * The sending half of a chain, beside `ChainAdapter`, which only watches. It knows public keys only: what it plans is signed by a
 * `Signer`, and the signed bytes are stored before they come back to be broadcast.
 */
export interface ChainSender {
  readonly chain: ChainId;
  /** Kinds that can be sent. */
  readonly kinds: readonly string[];
  /** Outputs that one transaction can have. */
  readonly maxOutputs: number;
  /** Address whose transactions go one after another; null where any number may be on their way. */
  readonly lane: string | null;

  /** @throws UnavailableError when the node does not answer */
  estimate(request: SendRequest): Promise<FeeEstimate>;

  /** Whether there is code at an address; absent where addresses have none. */
  isContract?(address: string): Promise<boolean>;

  /** Everything that the signer needs, inputs or number chosen. Reads the chain, changes nothing. */
  plan(request: PlanRequest): Promise<Planned>;

  /** Hands signed bytes to the network. The same again is no mistake. Never throws: what is not certain is `unknown`. */
  broadcast(raw: string): Promise<BroadcastResult>;

  /** What became of a transaction that may have been broadcast. @throws UnavailableError when the node does not answer */
  lookUp(sent: SentTransaction): Promise<Fate>;

  /** Where every deposit address has a balance of its own: how deposits come to where payouts leave from. */
  readonly consolidation?: Consolidation;
}

export interface Consolidation {
  /** The address that payouts leave from. */
  readonly payoutAddress: string;

  /**
   * Sends from a deposit address, in a lane of its own.
   * @throws Error when the address is not that of the key
   */
  from(deposit: DepositKey): ChainSender;
}

export interface DepositKey {
  address: string;
  /** Number of its key; null where it is not known. */
  index: number | null;
}

export type FeePreset = 'high' | 'normal' | 'economy';

export interface SendRequest {
  /** `Kind.asset` of what is sent. */
  asset: string;
  outputs: readonly SendOutput[];
  preset: FeePreset;
  /** Satoshi per byte instead of the preset, on chains of the Bitcoin family. */
  feeRate: number | null;
}

export interface SendOutput {
  /** In the form of `parseAddress`; lightning: the payment hash. */
  address: string;
  tag: string | null;
  amount: Amount;
  /** A message on the chain. */
  memo: string | null;
  /** Lightning: the BOLT11 request. */
  paymentRequest: string | null;
}

/** In the chain's own coin. */
export interface FeeEstimate {
  /** Expected. */
  fee: Amount;
  /** The most that it can become. */
  reserve: Amount;
  /** Satoshi per byte, on chains of the Bitcoin family only. */
  feeRate?: number;
}

export interface PlanRequest extends SendRequest {
  /** Of the payout, or of what else it is for. */
  id: string;
  /** The most that the fee may be. */
  feeReserve: Amount;
  /** The next number of the lane may not be lower: those below are used up, as far as we know. */
  minNonce: number;
}

export type Planned =
  | { type: 'plan'; plan: SendPlan; nonce: number | null }
  /** Not now: the address holds too little, the fee rose above what was held. */
  | { type: 'wait'; reason: string }
  /** Can never be sent, and was not. */
  | { type: 'refused'; reason: string };

/** What is signed, in words: the signer makes the bytes. Stored as JSON, so amounts are texts in the coin's smallest unit. */
export type SendPlan = EvmPlan | SandboxPlan;

export interface EvmPlan {
  family: 'evm';
  chainId: number;
  /** Our key: branch 0 receives, branch 1 sends (BIP44). */
  from: { branch: 0 | 1; index: number; address: string };
  nonce: number;
  to: string;
  /** A token's contract, or null for the coin. */
  token: string | null;
  units: string;
  memo: string | null;
  gasLimit: string;
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
}

export interface SandboxPlan {
  family: 'sandbox';
  chain: ChainId;
  /** Makes the transaction its own, as inputs do elsewhere. */
  reference: string;
  outputs: { asset: string; address: string; watchKey: string; amount: string }[];
  fee: string;
}

export interface SignedTransaction {
  raw: string;
  txid: string;
}

export type BroadcastResult =
  | { result: 'ok' }
  /** The network refused it, and it was not on the way before. */
  | { result: 'failed'; reason: string }
  /** Perhaps it is on its way: to be looked up, never to be planned again. */
  | { result: 'unknown'; reason: string };

export interface SentTransaction {
  txid: string;
  nonce: number | null;
  raw: string;
}

export type Fate =
  | {
      state: 'block';
      height: number;
      hash: string;
      confirmations: number;
      /** What it cost; null where the chain does not say. */
      fee: Amount | null;
      /** False: it is in the block, and moved nothing. */
      succeeded: boolean;
      reason: string | null;
    }
  | { state: 'mempool' }
  /** The network does not know it: to be broadcast again, the same bytes. */
  | { state: 'unseen' }
  /** Certain: it is not on the chain and can never be. */
  | { state: 'impossible'; reason: string };
