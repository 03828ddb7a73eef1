import { fromUnits, type Amount } from '@crypto-checkout/protocol/amount';
import type { Kind } from '@crypto-checkout/protocol/kind';
import type { Observation } from '../adapter.ts';
import { watchKeyOf } from '../derive/target.ts';
import type { CallFrame, EvmBlock, EvmLog, EvmTrace, EvmTransaction } from './node.ts';

/** What one chain receives: its own coin, and the tokens on its list by lower-case contract. */
export interface EvmAssets {
  coin: Kind;
  tokens: ReadonlyMap<string, Kind>;
}

/** A transfer to somebody; whether to us, `match` decides. Top-level ones of the coin still need a receipt. */
export interface Transfer extends Observation {
  to: string;
  needsReceipt: boolean;
}

const TRANSFER_SELECTOR = '0xa9059cbb';
/** Frames that move the coin. A delegate call shows its parent's value and moves nothing. */
const MOVING = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);

/** Transfers of the coin that a transaction makes itself (`tx.to`); internal ones are in the trace. */
export function coinTransfers(block: EvmBlock, assets: EvmAssets, isMined: boolean): Transfer[] {
  return block.transactions
    .filter(({ to, value }) => to !== null && value > 0n)
    .map((tx) => ({ ...transfer(tx, 'n', assets.coin, tx.to ?? '', tx.value, isMined ? block : null), needsReceipt: isMined }));
}

/**
 * Transfers of listed tokens. The slot is the number of the transfer within its transaction, not the log's index in the block,
 * which changes when a reorganisation puts the transaction elsewhere.
 */
export function tokenTransfers(
  block: EvmBlock,
  logs: readonly EvmLog[],
  assets: EvmAssets,
): { transfers: Transfer[]; unlisted: Transfer[] } {
  const transactions = new Map(block.transactions.map((tx) => [tx.hash, tx]));
  const counts = new Map<string, number>();
  const transfers: Transfer[] = [];
  const unlisted: Transfer[] = [];
  for (const log of logs.toSorted((a, b) => a.logIndex - b.logIndex)) {
    const slot = counts.get(log.transactionHash) ?? 0;
    counts.set(log.transactionHash, slot + 1);
    const tx = transactions.get(log.transactionHash);
    const recipient = log.topics[2];
    // ERC-721 has a fourth topic; anybody may emit what only looks like a transfer.
    if (tx === undefined || recipient === undefined || log.topics.length !== 3 || log.removed === true || log.data.length !== 66) continue;
    const kind = assets.tokens.get(log.address);
    const value = BigInt(log.data);
    if (value === 0n) continue;
    const found = transfer(tx, String(slot), kind ?? assets.coin, `0x${recipient.slice(26)}`.toLowerCase(), value, block);
    (kind === undefined ? unlisted : transfers).push(found);
  }
  return { transfers, unlisted };
}

/** Token transfers that wait: plain calls of `transfer`. They may still fail, or move less than they say. */
export function pendingTokenTransfers(block: EvmBlock, assets: EvmAssets): Transfer[] {
  return block.transactions.flatMap((tx) => {
    const kind = tx.to === null ? undefined : assets.tokens.get(tx.to);
    if (kind === undefined || !tx.input.startsWith(TRANSFER_SELECTOR) || tx.input.length < 138) return [];
    const value = BigInt(`0x${tx.input.slice(74, 138)}`);
    return value === 0n ? [] : [transfer(tx, '0', kind, `0x${tx.input.slice(34, 74)}`.toLowerCase(), value, null)];
  });
}

/** Transfers of the coin that contracts make, where the whole path of calls succeeded (T3). */
export function internalTransfers(block: EvmBlock, traces: readonly EvmTrace[], assets: EvmAssets): Transfer[] {
  const transactions = new Map(block.transactions.map((tx) => [tx.hash, tx]));
  return traces.flatMap(({ txHash, result }, at) => {
    const tx = txHash === undefined ? block.transactions[at] : transactions.get(txHash);
    if (tx === undefined || result === undefined || result.error !== undefined) return [];
    return innerFrames(result, 'i').map(([path, { to = '', value = 0n }]) => transfer(tx, path, assets.coin, to, value, block));
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

/** What only one transaction of a sender can use up. */
export function inputOf({ from, nonce }: Pick<EvmTransaction, 'from' | 'nonce'>): string {
  return `${from}:${nonce}`;
}

function transfer(tx: EvmTransaction, slot: string, kind: Kind, to: string, value: bigint, block: EvmBlock | null): Transfer {
  return {
    key: `${tx.hash}:${slot}`,
    txid: tx.hash,
    asset: kind.asset,
    watchKey: watchKeyOf(kind.chain, to),
    amount: amountOf(value, kind),
    block: block === null ? null : { height: block.number, hash: block.hash, time: block.timestamp * 1000 },
    conflicts: [inputOf(tx)],
    to,
    needsReceipt: false,
  };
}

function amountOf(units: bigint, { decimals }: Kind): Amount {
  return fromUnits(units, decimals);
}
