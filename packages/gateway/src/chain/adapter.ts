import type { Amount } from '@crypto-checkout/protocol/amount';
import type { ChainId } from '@crypto-checkout/protocol/kind';

/**
 * What the gateway knows about a chain, whatever stands behind it: a sandbox, a node over JSON-RPC, a lightning node.
 * An adapter reports facts, keyed so that seeing one twice changes nothing; one engine turns facts into states.
 * Amounts are decimal amounts of the coin at scale 18 (`protocol/amount`), never the chain's own units.
 */
export interface ChainAdapter {
  readonly chain: ChainId;
  readonly network: 'mainnet' | 'testnet';
  /** `sandbox` chains are simulated in our own database and take control calls. */
  readonly source: 'sandbox' | 'node';
  /** The kinds that this chain can receive now (a token without a contract is not among them). */
  readonly kinds: readonly string[];
  /** Whether payments are seen before they are in a block. */
  readonly mempool: boolean;

  /** Answers within 2 s, whatever the node does; never throws. */
  health(): Promise<ChainHealth>;

  /** Makes the receiving target number `index` of a kind from public material only. Lightning: makes the request. */
  deriveTarget(options: DeriveOptions): Promise<DepositTarget>;

  /**
   * Reads what happened since the cursor, at most `limits.maxBlocks` blocks, mempool after blocks.
   * `match` answers which of the given watch keys belong to us; ask it in batches.
   * A null cursor starts at the present tip (a sandbox chain: at its first block, so that nothing is missed).
   * @throws ReorganisationTooDeep when the cursor's whole ring left the best chain: an alarm, and no guessing
   */
  scan(cursor: Cursor | null, match: Match, limits: ScanLimits): Promise<ScanResult>;

  /** The block of the best chain at a height; null where there is none yet. */
  blockAt(height: number): Promise<{ height: number; hash: string } | null>;
}

export type Match = (watchKeys: readonly string[]) => Promise<ReadonlySet<string>>;

export interface ScanLimits {
  maxBlocks: number;
  /** Transactions of ours that are not final: an adapter looks whether they are still there, replaced or failed. */
  open: readonly OpenTransaction[];
  signal: AbortSignal;
}

export interface OpenTransaction {
  key: string;
  txid: string;
  /** Inputs that only one transaction can spend: outpoints, `sender:nonce`. */
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
  /** Number of the target within its key group; never used twice. */
  index: number;
  /** Lightning: the amount asked for, or null for none. */
  amount: Amount | null;
  /** Lightning: seconds until the request runs out. */
  expirySeconds: number;
  /** Lightning: what the payer's wallet shows. */
  description: string;
  /** Lightning, child of an LNURL invoice: sha256 of the LUD-06 metadata, in hex, signed instead of `description`. */
  descriptionHash?: string;
  /** The wallet's setting: in which form `kind=BTC` shows its address. Default: bech32. */
  format?: 'bech32' | 'p2sh';
  /** LNURL kinds: the https address that the LNURL encodes. */
  lnurl?: string;
  /** Business time, milliseconds since the epoch; BOLT11 requests carry it. */
  now: number;
}

/** Where an invoice is paid. */
export interface DepositTarget {
  /** Keys under which payments to this target are found: `<key group>:<address>`, `xrp:<address>:<tag>`, `ln:<payment hash>`. */
  watchKeys: readonly string[];
  address: string | null;
  tag: string | null;
  xAddress: string | null;
  publicAddress: string | null;
  lightning: { paymentRequest: string | null; paymentHash: string | null; lnurl: string | null } | null;
}

/** One payment seen on a chain: one output, one token log, one settled request. */
export interface Observation {
  /** `<txid>:<slot>`, unique on the chain; slot is the output, the log's index, `n` for a native transfer, a trace path. */
  key: string;
  txid: string;
  /** Asset received (`Kind.asset`): `BTC`, `ETH_USDT`. */
  asset: string;
  watchKey: string;
  amount: Amount;
  /** Null while in the mempool. `time` is the block's, milliseconds since the epoch. */
  block: { height: number; hash: string; time: number } | null;
  conflicts: readonly string[];
}

/** Money of ours that no invoice explains (no tag, unknown tag, balance that no transfer accounts for). */
export interface Unexplained {
  key: string;
  txid: string | null;
  asset: string;
  address: string;
  amount: Amount;
  reason: string;
}

export type ScanEvent =
  /** Seen in the mempool or in a block; the same key may come again, also with another block. */
  | { type: 'observed'; observation: Observation }
  /** A conflicting transaction is in a block or in the mempool: proven, this one can't confirm. */
  | { type: 'conflict'; key: string; by: string }
  /** No longer in the mempool and not in a block. Not a replacement. */
  | { type: 'gone'; key: string }
  /** On the chain, and failed there. */
  | { type: 'failed'; key: string; reason: string }
  /** Every block above `toHeight` left the best chain; what was in one of them is unconfirmed. */
  | { type: 'rollback'; toHeight: number }
  | { type: 'unexplained'; unexplained: Unexplained };

export interface ScanResult {
  /** In the order in which they are to be applied. */
  events: ScanEvent[];
  cursor: Cursor;
  tip: number;
  /** False when `maxBlocks` ended the scan before the tip. */
  caughtUp: boolean;
}

/** A place on the chain, with enough hashes behind it to find where a reorganisation forked. Stored as JSON. */
export interface Cursor {
  height: number;
  hash: string;
  ring: { height: number; hash: string }[];
  /** Positions of other kinds: a settle index, a sequence number. */
  extra?: Record<string, string>;
}
