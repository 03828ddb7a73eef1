import type { Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { BitcoinNetworkName, UtxoChainId } from './bitcoin/network.ts';

/**
 * The sending half of a chain, beside `ChainAdapter`. It holds public keys only: a `Signer` signs
 * the plan, and the signed bytes are stored before they are broadcast.
 */
export interface ChainSender {
  readonly chain: ChainId;
  /** The kinds that can be sent. */
  readonly kinds: readonly string[];
  /** Maximum number of outputs in one transaction. */
  readonly maxOutputs: number;
  /** Payouts that wait at the same time leave in one transaction. Default: each in its own. */
  readonly sharesTransactions?: boolean;
  /**
   * The address whose transactions are sent one after another; null when they can be sent in
   * parallel.
   */
  readonly lane: string | null;
  /** Transactions of the lane that may wait for their blocks at the same time. Default: 1. */
  readonly maxInFlight?: number;
  /** Chains without a lane: an address of this wallet for coins that an operator sends. */
  readonly fundingAddress?: string;
  /**
   * The chain gives a transaction its id with its block, as TON does; before, nothing names it
   * there. Default: the id follows from the signed bytes.
   */
  readonly hasLateTxids?: boolean;

  /** @throws UnavailableError when the node does not respond */
  estimate(request: SendRequest): Promise<FeeEstimate>;

  /**
   * The network fee of a usual payment in this asset by any wallet, in the chain's own coin. Absent
   * where the chain gives none.
   * @throws UnavailableError when the node does not respond
   */
  usualFee?(asset: string): Promise<Amount>;

  /** Whether the address is a contract; absent on chains without contracts. */
  isContract?(address: string): Promise<boolean>;

  /** Prepares everything that the signer needs, including inputs or nonce. Only reads the chain. */
  plan(request: PlanRequest): Promise<Planned>;

  /**
   * Asks the node whether it would take signed bytes, and sends nothing. Called before each
   * broadcast. Absent where nodes have no such test.
   * @returns null when it would take them, has them already, or can't say
   * @throws UnavailableError when the node does not respond
   */
  test?(raw: string): Promise<Refusal | null>;

  /**
   * Broadcasts signed bytes. Broadcasting the same bytes again is safe. Never throws: an uncertain
   * result is `unknown`.
   */
  broadcast(raw: string, earlier?: EarlierBroadcast): Promise<BroadcastResult>;

  /**
   * Returns the status of a transaction that may have been broadcast, in one of its attempts.
   * @throws UnavailableError when the node does not respond
   */
  lookUp(sent: SentTransaction): Promise<TransactionStatus>;

  /**
   * Prepares a transaction that takes the place of the given plans, which no block contains: of all
   * of them at most one can be mined. Only reads the chain. Absent on chains where a transaction
   * that was sent is final.
   * @throws UnavailableError when the node does not respond
   */
  replace?(request: ReplaceRequest): Promise<Replacement>;

  /**
   * Chains whose wallets hold single outputs: plans a transaction that joins small ones to one of
   * this wallet. Only reads the chain.
   * @throws UnavailableError when the node does not respond
   */
  consolidate?(request: ConsolidateRequest): Promise<Consolidation>;

  /**
   * Account-based chains: how the balances of deposit addresses are swept to the payout address.
   */
  readonly sweeping?: Sweeping;
}

export interface Sweeping {
  /** The address that payouts are sent from. */
  readonly payoutAddress: string;

  /**
   * Returns a sender for one deposit address, with its own lane.
   * @throws Error when the key does not derive the address
   */
  from(deposit: DepositKey): ChainSender;
}

export interface DepositKey {
  address: string;
  /** Index of the key; null when it is unknown. */
  index: number | null;
}

export type FeePreset = 'high' | 'normal' | 'economy';

export interface SendRequest {
  /** The asset to send (`Kind.asset`). */
  asset: string;
  outputs: readonly SendOutput[];
  preset: FeePreset;
  /** Bitcoin-like chains: a fee rate in satoshi per byte that overrides the preset. */
  feeRate: number | null;
}

export interface SendOutput {
  /** An address as `parseAddress` returns it; lightning: the payment hash. */
  address: string;
  tag: string | null;
  amount: Amount;
  /** A message that is stored on the chain. */
  memo: string | null;
  /** Lightning: the BOLT11 request. */
  paymentRequest: string | null;
}

/** Amounts in the chain's own coin. */
export interface FeeEstimate {
  /** The expected fee. */
  fee: Amount;
  /** The maximum fee. */
  reserve: Amount;
  /** Satoshi per byte, on Bitcoin-like chains only. */
  feeRate?: number;
}

export interface PlanRequest extends SendRequest {
  /** Id of the payout, sweep or conversion to send. */
  id: string;
  /** The maximum fee. */
  feeReserve: Amount;
  /** Lower bound for the lane's next nonce; the nonces below it are used. */
  minNonce: number;
  /**
   * Plans of the lane that were sent and wait for their blocks, in the order of the nonces, without
   * a gap up to `minNonce`. Default: none.
   */
  inFlight?: readonly SendPlan[];
  /**
   * Chains without accounts: outputs that stored plans spend, as `<txid>:<index>`. Default: none.
   */
  taken?: readonly string[];
}

export type Planned =
  | {
      type: 'plan';
      plan: SendPlan;
      nonce: number | null;
      /** The outputs that it spends, which no other open plan may spend. Absent with a nonce. */
      inputs?: readonly string[];
    }
  /**
   * Not possible now, for example because of a low balance or a higher fee. The caller retries.
   * `missingFrom`: the node lacks transactions of the lane from this number on, because it lags or
   * because a reorganisation dropped them.
   */
  | {
      type: 'wait';
      reason: string;
      cause?: 'fee' | 'funds';
      lack?: Lack;
      missingFrom?: number;
    }
  /** Not beside what is in flight: its cost is not known before its block. */
  | { type: 'busy' }
  /** Can never be sent, and was not sent. */
  | { type: 'refused'; reason: string };

/** Lacking on the address that sends, for one transaction. */
export interface Lack {
  asset: string;
  amount: Amount;
}

/**
 * The data to sign; the signer serializes it itself. Stored as JSON, so amounts are strings in the
 * smallest unit.
 */
export type SendPlan = EvmPlan | BitcoinPlan | LightningPlan | SandboxPlan;

export interface EvmPlan {
  family: 'evm';
  chainId: number;
  /** The signing key: branch 0 receives, branch 1 sends (BIP44). */
  from: { branch: 0 | 1; index: number; address: string };
  nonce: number;
  to: string;
  /** The token's contract; null for the coin. */
  token: string | null;
  units: string;
  memo: string | null;
  gasLimit: string;
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
}

/** A payment of a BOLT11 request, which a lightning node makes. */
export interface LightningPlan {
  family: 'lightning';
  paymentRequest: string;
  paymentHash: string;
  amountMsat: string;
  feeLimitMsat: string;
}

export interface BitcoinPlan {
  family: 'bitcoin';
  chain: UtxoChainId;
  network: BitcoinNetworkName;
  inputs: readonly BitcoinPlanInput[];
  outputs: readonly { address: string; units: string }[];
  /** Null when nothing worth an output is left. The fee is what the outputs leave of the inputs. */
  change: { index: number; address: string; units: string } | null;
  /** Height of the chain when it was planned: no earlier block contains the transaction. */
  height: number;
}

export interface BitcoinPlanInput {
  outpoint: string;
  units: string;
  /** The signing key: branch 0 receives, branch 1 holds change (BIP44). */
  branch: 0 | 1;
  index: number;
  address: string;
  /**
   * Bytes of the transaction that it comes from: without segwit nothing else proves its amount to a
   * signer elsewhere.
   */
  previous?: string | undefined;
}

export interface SandboxPlan {
  family: 'sandbox';
  chain: ChainId;
  /** Makes the transaction unique, as inputs do on real chains. */
  reference: string;
  outputs: { asset: string; address: string; watchKey: string; amount: string }[];
  fee: string;
  /** Height of the last block that can contain it; absent where transactions do not run out. */
  validUntil?: number;
}

export interface ConsolidateRequest {
  /** Least number of small outputs to join. */
  minCoins: number;
  /** Highest fee rate, in satoshi per byte. */
  maxRate: number;
  /** As of `PlanRequest`. */
  taken?: readonly string[];
}

export type Consolidation =
  | { type: 'plan'; plan: SendPlan; inputs: readonly string[]; fee: Amount }
  /** There is nothing to do now. */
  | { type: 'wait'; reason: string };

export interface ReplaceRequest {
  /** Plans of one payout or top-up, oldest first. */
  plans: readonly SendPlan[];
  /**
   * `bump`: the same outputs for a higher fee. `cancel`: nothing leaves the address but the fee.
   */
  intent: 'bump' | 'cancel';
  /** Chains without accounts: the fee rate to reach. Default: `high`. */
  preset?: FeePreset;
  /** Chains without accounts: outputs that stored plans spend. Default: none. */
  taken?: readonly string[];
}

/** A plan with a higher fee; amounts in the chain's own coin. */
export interface Replacement extends FeeEstimate {
  plan: SendPlan;
  /** As of `Planned`. */
  inputs?: readonly string[];
  /** Whether the newest of the given plans pays too little to be mined now. */
  isOutbid: boolean;
}

export interface SignedTransaction {
  raw: string;
  /** The id of the transaction; with `hasLateTxids` that of these bytes alone. */
  txid: string;
}

export interface EarlierBroadcast {
  /** Whether the node may have it, from this process or from one before it. Default: false. */
  mayBeSent?: boolean;
}

export type BroadcastResult = { result: 'ok' } | Refusal;

export type Refusal =
  /** The network rejected it, and no earlier broadcast can have succeeded. */
  | { result: 'failed'; reason: string }
  /** It may have been sent: look it up, never plan it again. `fee`: the node wants a higher fee. */
  | { result: 'unknown'; reason: string; cause?: 'fee' };

/** A plan with its signature. */
export type SignedPlan = SignedTransaction & { plan?: SendPlan };

export interface SentTransaction {
  nonce: number | null;
  /** Signed transactions of which at most one can be mined, oldest first. */
  attempts: readonly SignedPlan[];
  /** Whether the network had one of them once, as this service stored it. Default: false. */
  wasAccepted?: boolean;
  /**
   * UTXO chains: an earlier transaction of ours, whose change a later one spends. Default: none.
   */
  ownTransaction?(txid: string): Promise<SignedPlan | null>;
}

export type TransactionStatus =
  | {
      state: 'block';
      /** The id on the chain of the attempt that was mined. */
      txid: string;
      /** With `hasLateTxids`: the id of that attempt's signed bytes. */
      signedAs?: string;
      height: number;
      hash: string;
      confirmations: number;
      /** The fee paid; null when the chain does not report it. */
      fee: Amount | null;
      /** False when the transaction is in the block but was reverted. */
      succeeded: boolean;
      reason: string | null;
    }
  /** `txid`: as the attempt was signed. */
  | { state: 'mempool'; txid: string }
  /** The network has none of the attempts. Broadcast the same bytes again, unless it is `lost`. */
  | {
      state: 'unseen';
      /** Why the outcome stays open, and the bytes are not sent again: they could pay twice. */
      lost?: string;
      /** Why a block may have one of them after all; absent without a doubt. */
      doubt?: string;
    }
  /**
   * Certain, and final on the chain: no attempt is in a block, and all of them have run out, as a
   * Solana transaction does with its blockhash. It is planned again under the same id. Answered
   * again as long as that is so.
   */
  | { state: 'expired' }
  /** Certain: the transaction is not on the chain and can never be. */
  | { state: 'impossible'; reason: string };
