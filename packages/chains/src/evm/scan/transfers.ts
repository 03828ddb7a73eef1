import { fromUnits, type Amount } from '@crypto-checkout/protocol/amount';
import type { Kind } from '@crypto-checkout/protocol/kind';
import type { Observation, UnlistedTransfer } from '../../adapter.ts';
import { watchKeyOf } from '../../deposit-target.ts';
import type { CallFrame, EvmBlock, EvmTrace, EvmTransaction } from '../node.ts';
import type { EvmLog } from './transfer-logs.ts';

/** The assets of one chain: its coin, and the listed tokens by lower-case contract address. */
export interface EvmAssets {
  coin: Kind;
  tokens: ReadonlyMap<string, Kind>;
}

/**
 * A transfer to any address; `match` selects the watched ones. A native transfer still needs a
 * receipt.
 */
export interface Transfer extends Observation {
  to: string;
  needsReceipt: boolean;
}

const TRANSFER_SELECTOR = '0xa9059cbb';
/**
 * Frames that transfer the coin. A delegate call repeats its parent's value and transfers nothing.
 */
const MOVING = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);

/** Native transfers to `tx.to`; internal transfers come from the trace. */
export function coinTransfers(block: EvmBlock, assets: EvmAssets, isMined: boolean): Transfer[] {
  return block.transactions
    .filter(({ to, value }) => to !== null && value > 0n)
    .map((tx) => ({
      ...transfer(tx, 'n', assets.coin, tx.to ?? '', tx.value, isMined ? block : null),
      needsReceipt: isMined,
    }));
}

/**
 * Transfers of tokens. The slot is the position of the transfer within its transaction, because a
 * reorganisation can change the log's index in the block.
 */
export function tokenTransfers(
  block: EvmBlock,
  logs: readonly EvmLog[],
  assets: EvmAssets,
): { transfers: Transfer[]; unlisted: UnlistedTransfer[] } {
  const transactions = new Map(block.transactions.map((tx) => [tx.hash, tx]));
  const counts = new Map<string, number>();
  const transfers: Transfer[] = [];
  const unlisted: UnlistedTransfer[] = [];
  for (const log of logs.toSorted((a, b) => a.logIndex - b.logIndex)) {
    const slot = counts.get(log.transactionHash) ?? 0;
    counts.set(log.transactionHash, slot + 1);
    const tx = transactions.get(log.transactionHash) ?? madeByChain(log.transactionHash);
    const recipient = log.topics[2];
    // ERC-721 has a fourth topic. Any contract can emit an event that looks like a transfer.
    if (
      recipient === undefined ||
      log.topics.length !== 3 ||
      log.removed === true ||
      log.data.length !== 66
    )
      continue;
    const kind = assets.tokens.get(log.address);
    const value = BigInt(log.data);
    if (value === 0n) continue;
    const to = `0x${recipient.slice(26)}`.toLowerCase();
    if (kind !== undefined) transfers.push(transfer(tx, String(slot), kind, to, value, block));
    else
      unlisted.push({
        key: `${tx.hash}:${slot}`,
        txid: tx.hash,
        contract: log.address,
        watchKey: watchKeyOf(assets.coin.chain, to),
        units: value,
        height: block.number,
      });
  }
  return { transfers, unlisted };
}

/**
 * Pending token transfers: direct calls of `transfer`. They can still fail, or move less than the
 * call data states.
 */
export function pendingTokenTransfers(block: EvmBlock, assets: EvmAssets): Transfer[] {
  return block.transactions.flatMap((tx) => {
    const kind = tx.to === null ? undefined : assets.tokens.get(tx.to);
    if (kind === undefined || !tx.input.startsWith(TRANSFER_SELECTOR) || tx.input.length < 138)
      return [];
    const value = BigInt(`0x${tx.input.slice(74, 138)}`);
    return value === 0n
      ? []
      : [transfer(tx, '0', kind, `0x${tx.input.slice(34, 74)}`.toLowerCase(), value, null)];
  });
}

/**
 * Whether the node has traced each transaction that an account signed. A tracer gives up on slow
 * ones, and some leave out those that the chain's own software makes.
 */
export function isFullyTraced(
  { transactions }: EvmBlock,
  traces: readonly EvmTrace[] | null,
): boolean {
  if (traces === null) return transactions.length === 0;
  const traced = new Set(
    traces.map(({ txHash, result }, at) => result && (txHash ?? transactions[at]?.hash)),
  );
  return transactions.every(
    ({ hash, type, from }) => isSystemType(type) || from === NOBODY || traced.has(hash),
  );
}

/** Polygon's own transactions come from this address, which has no key. */
const NOBODY = `0x${'0'.repeat(40)}`;

/** Native transfers made by contracts, if every call on the path succeeded. */
export function internalTransfers(
  block: EvmBlock,
  traces: readonly EvmTrace[],
  assets: EvmAssets,
): Transfer[] {
  const transactions = new Map(block.transactions.map((tx) => [tx.hash, tx]));
  return traces.flatMap(({ txHash, result }, at) => {
    const tx = txHash === undefined ? block.transactions[at] : transactions.get(txHash);
    if (tx === undefined || result === undefined || result.error !== undefined) return [];
    return innerFrames(result, 'i').map(([path, { to = '', value = 0n }]) =>
      transfer(tx, path, assets.coin, to, value, block),
    );
  });
}

function innerFrames(parent: CallFrame, path: string): [string, CallFrame][] {
  return (parent.calls ?? []).flatMap((call, at): [string, CallFrame][] => {
    if (call.error !== undefined) return [];
    const here = path === 'i' ? `i${at}` : `${path}.${at}`;
    const moves = MOVING.has(call.type) && (call.value ?? 0n) > 0n && call.to !== undefined;
    return [...(moves ? [[here, call] as [string, CallFrame]] : []), ...innerFrames(call, here)];
  });
}

/**
 * Types that a chain's own software makes, such as deposits from another chain: Arbitrum's 0x64 to
 * 0x6a, and 0x7e of the OP stack. They can reuse a number.
 */
const isSystemType = (type: number): boolean => (type >= 0x64 && type <= 0x6a) || type === 0x7e;

/** The part of a transaction that its transfers need. */
type Origin = Pick<EvmTransaction, 'hash' | 'from' | 'nonce' | 'type'>;

/** Polygon's bridge moves tokens in a transaction that is not in the block's list. */
const madeByChain = (hash: string): Origin => ({ hash, from: '', nonce: 0, type: 0x7e });

/**
 * The inputs that only one transaction can spend: the sender's number. Transactions that a chain's
 * own software makes have none.
 */
export function inputsOf({
  from,
  nonce,
  type,
}: Pick<EvmTransaction, 'from' | 'nonce' | 'type'>): string[] {
  return isSystemType(type) ? [] : [`${from}:${nonce}`];
}

function transfer(
  tx: Origin,
  slot: string,
  kind: Kind,
  to: string,
  value: bigint,
  block: EvmBlock | null,
): Transfer {
  return {
    key: `${tx.hash}:${slot}`,
    txid: tx.hash,
    asset: kind.asset,
    watchKey: watchKeyOf(kind.chain, to),
    amount: amountOf(value, kind),
    block:
      block === null
        ? null
        : { height: block.number, hash: block.hash, time: block.timestamp * 1000 },
    conflicts: inputsOf(tx),
    to,
    needsReceipt: false,
  };
}

function amountOf(units: bigint, { decimals }: Kind): Amount {
  return fromUnits(units, decimals);
}

export function observationOf({
  to: _to,
  needsReceipt: _needsReceipt,
  ...observation
}: Transfer): Observation {
  return observation;
}
