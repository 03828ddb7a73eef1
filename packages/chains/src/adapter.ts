import type { Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';

/**
 * The gateway's read-only view of one chain. The same interface covers the sandbox, a JSON-RPC node
 * and a lightning node. An adapter reports facts with stable keys, so a repeated report changes
 * nothing; the engine derives the states. Amounts are decimal amounts of the coin at scale 18
 * (`protocol/amount`), never the chain's own units.
 */
export interface ChainAdapter {
  readonly chain: ChainId;
  readonly network: 'mainnet' | 'testnet';
  /** `sandbox` chains are simulated in the gateway's database and accept control requests. */
  readonly source: 'sandbox' | 'node';
  /**
   * The kinds that this chain can receive now. A token without a configured contract is not listed.
   */
  readonly kinds: readonly string[];
  /** The kinds of the settings, also while no node answers. Default: `kinds`. */
  readonly configuredKinds?: readonly string[];
  /** Whether the adapter reports payments before they are in a block. */
  readonly mempool: boolean;

  /** Resolves within 2 s even if the node hangs, and never throws. */
  health(): Promise<ChainHealth>;

  /**
   * Derives the deposit target with this index from public keys only. Lightning: creates the
   * payment request.
   */
  deriveTarget(options: DeriveOptions): Promise<DepositTarget>;

  /**
   * Reads the chain from the cursor on: at most `limits.maxBlocks` blocks, then the mempool.
   * `match` returns the watch keys that belong to the gateway; call it in batches. Without a
   * cursor, a node's scan starts at the current tip and a sandbox scan at the first block.
   * @throws ReorganisationTooDeep when no block of the cursor's ring is on the best chain
   */
  scan(cursor: Cursor | null, match: Match, limits: ScanLimits): Promise<ScanResult>;

  /** The block of the best chain at a height, or null above the tip. */
  blockAt(height: number): Promise<{ height: number; hash: string } | null>;

  /**
   * Balances of addresses after the block at this height, of the coin and of each listed token.
   * Absent where the chain keeps no balance of an address.
   * @returns null when the node no longer has the state of that block
   * @throws UnavailableError when the node does not answer
   */
  balancesAt?(height: number, addresses: readonly string[]): Promise<AddressBalance[] | null>;

  /**
   * Reads again the payments by contracts in a block that a scan read without its traces. Absent
   * where a scan needs none.
   * @returns null when the block is not on the chain of the node
   * @throws UnavailableError or JsonRpcError when the block cannot be traced now
   */
  traceBlock?(block: { height: number; hash: string }, match: Match): Promise<TracedBlock | null>;

  /**
   * How likely an unconfirmed transaction is to be mined, for payments that are accepted without a
   * confirmation. Absent where none is accepted.
   * @returns null when the mempool does not have it
   * @throws UnavailableError when the node does not answer
   */
  mempoolFacts?(txid: string): Promise<MempoolFacts | null>;

  /**
   * Ends a payment request: from now on its node refuses payments to it. One that was paid, or that
   * the node does not have, is no error. Absent where nothing can be cancelled.
   * @throws UnavailableError when the node does not answer
   */
  cancelRequest?(paymentHash: string): Promise<void>;

  /**
   * The network fee of a usual payment by any wallet, where it does not depend on a sender
   * (`ChainSender.usualFee`).
   */
  usualFee?(): Promise<Amount>;

  /** Amounts that can be received and sent now. Absent where the chain limits neither. */
  liquidity?(): Promise<Liquidity>;

  /**
   * Calls the listener when a scan would find something new, so that it need not be waited for.
   * News can be missed. Returns the function that ends it.
   */
  onNews?(listener: () => void): () => void;

  /** Ends the connections that the adapter keeps. */
  close?(): void;

  /**
   * Asks every provider for the block at this height. Absent with a single provider. `unknown`:
   * fewer than two providers answered.
   */
  compareBlock?(block: { height: number; hash: string }): Promise<BlockComparison>;
}

export interface AddressBalance {
  address: string;
  /** `Kind.asset` */
  asset: string;
  amount: Amount;
}

/** Of a lightning node, over all of its usable channels. */
export interface Liquidity {
  channels: number;
  receivable: Amount;
  sendable: Amount;
}

export interface MempoolFacts {
  /** Whether it, or a transaction that it spends, can be replaced by its sender (BIP 125). */
  replaceable: boolean;
  /** Number of unconfirmed transactions that it spends. */
  unconfirmedParents: number;
  /** In satoshi per byte; null where fees are not paid by size. */
  feeRate: number | null;
  /**
   * The same of a payment that the next block should have, by the node's estimate; null without
   * one. Default: null.
   */
  nextBlockRate?: number | null;
  /**
   * Whole seconds since the node's mempool first had it, or since the first look where the node
   * does not say so; null where it has no age. Never negative. Default: null.
   */
  ageSeconds?: number | null;
}

/** The payments by contracts in one block. */
export interface TracedBlock {
  observations: Observation[];
  /** False when the node has not traced all of its transactions. */
  complete: boolean;
}

export type BlockComparison = 'same' | 'different' | 'unknown';

export type Match = (watchKeys: readonly string[]) => Promise<ReadonlySet<string>>;

export interface ScanLimits {
  maxBlocks: number;
  /**
   * Incoming transactions that are not final. The adapter reports whether they were dropped,
   * replaced or failed.
   */
  open: readonly OpenTransaction[];
  /**
   * Watch keys of the chain's key group that can be paid now, at most 1,000, and the one of the
   * payout address. For adapters whose node has no blocks to read, only histories of addresses.
   * Default: none.
   */
  watched?(): Promise<readonly string[]>;
  signal: AbortSignal;
}

export interface OpenTransaction {
  key: string;
  txid: string;
  /** Inputs that only one transaction can spend: outpoints or `sender:nonce`. */
  conflicts: readonly string[];
  block: { height: number; hash: string } | null;
}

export interface ChainHealth {
  ok: boolean;
  tip: number | null;
  detail: string | null;
}

export interface DeriveOptions {
  kind: string;
  /** Index of the target within its key group. Each index is used once. */
  index: number;
  /** Lightning: the requested amount, or null when the payer chooses it. */
  amount: Amount | null;
  /** Lightning: lifetime of the request in seconds. */
  expirySeconds: number;
  /** Lightning: the description that the payer's wallet shows. */
  description: string;
  /**
   * Lightning, child of an LNURL invoice: SHA-256 of the LUD-06 metadata in hex, used instead of
   * `description`.
   */
  descriptionHash?: string;
  /** The text with that hash, for nodes that hash it themselves. */
  hashedDescription?: string;
  /** The wallet's `address_format`, which `kind=BTC` follows. Default: bech32. */
  format?: 'bech32' | 'p2sh';
  /** LNURL kinds: the https URL that the LNURL encodes. */
  lnurl?: string;
  /** Business time in milliseconds since the epoch; BOLT11 requests contain it. */
  now: number;
}

/** The address, or the lightning request, that an invoice is paid to. */
export interface DepositTarget {
  /**
   * Keys that identify payments to this target: `<key group>:<address>`, `xrp:<address>:<tag>`,
   * `ln:<payment hash>`.
   */
  watchKeys: readonly string[];
  address: string | null;
  tag: string | null;
  xAddress: string | null;
  publicAddress: string | null;
  lightning: {
    paymentRequest: string | null;
    paymentHash: string | null;
    lnurl: string | null;
  } | null;
  /** EVM: the network of a payment link, where it is not that of the tables. */
  evm?: EvmNetwork;
}

/** The network that a wallet has to use, and a token's contract there (null for the coin). */
export interface EvmNetwork {
  chain_id: number;
  contract: string | null;
}

/** One payment on a chain: one output, one token transfer or one settled lightning request. */
export interface Observation {
  /**
   * `<txid>:<slot>`, unique on the chain. The slot is the output's index, a token transfer's
   * position in the transaction, `n` for a native transfer, or a trace path.
   */
  key: string;
  txid: string;
  /**
   * The id of the bytes that its sender signed, where the chain gives the txid later. Our own
   * transfers are recognized by it.
   */
  signedAs?: string;
  /** The received asset (`Kind.asset`), such as `BTC` or `ETH_USDT`. */
  asset: string;
  watchKey: string;
  amount: Amount;
  /** The part of the amount that receiving it cost, and that never arrives. Default: 0. */
  receivingFee?: Amount;
  /** Null while in the mempool. `time` is the block's time in milliseconds since the epoch. */
  block: { height: number; hash: string; time: number } | null;
  conflicts: readonly string[];
}

/** Received funds without an invoice: missing or unknown tag. */
export interface UnexplainedFunds {
  key: string;
  txid: string | null;
  asset: string;
  address: string;
  amount: Amount;
  reason: string;
  /** Of its block; null in the mempool. */
  height: number | null;
}

/** A transfer to an address of ours by a token contract that is not listed. */
export interface UnlistedTransfer {
  /** As for an observation. */
  key: string;
  txid: string;
  contract: string;
  watchKey: string;
  /** In the contract's own units; its decimals are not known. */
  units: bigint;
  height: number;
}

export type ScanEvent =
  /** In the mempool or in a block. The same key can be reported again, also with another block. */
  | { type: 'observed'; observation: Observation }
  /**
   * A conflicting transaction is in a block or in the mempool, which proves that this one can't
   * confirm.
   */
  | { type: 'conflict'; key: string; by: string }
  /** Neither in the mempool nor in a block. This does not prove a replacement. */
  | { type: 'gone'; key: string }
  /** Included in a block, and failed there. */
  | { type: 'failed'; key: string; reason: string }
  /** Every block above `toHeight` left the best chain; their transactions are unconfirmed again. */
  | { type: 'rollback'; toHeight: number }
  | { type: 'unexplained'; unexplained: UnexplainedFunds }
  /** A look-alike of a token, or one that the settings lack. */
  | { type: 'unlisted'; transfer: UnlistedTransfer };

export interface ScanResult {
  /** In the order in which the engine applies them. */
  events: ScanEvent[];
  cursor: Cursor;
  tip: number;
  /** False when `maxBlocks` or a lagging node ended the scan below the tip. */
  caughtUp: boolean;
  /**
   * The new blocks that were read without all of their traces: payments by contracts can be missing
   * in them. Default: none.
   */
  untraced?: { height: number; hash: string }[];
  /**
   * Height of the chain's own finalized block, when it is on the scanned chain. Absent while it is
   * unknown.
   */
  finalized?: number;
  /**
   * The node's newest block: its time and the chain's usual block interval, in milliseconds. Absent
   * where blocks are mined on demand.
   */
  newestBlock?: { time: number; intervalMs: number };
}

/**
 * A position on the chain with enough block hashes to find the fork of a reorganisation. Stored as
 * JSON.
 */
export interface Cursor {
  height: number;
  hash: string;
  ring: { height: number; hash: string }[];
  /** Positions that are not heights, such as a lightning settle index. */
  extra?: Record<string, string>;
}
