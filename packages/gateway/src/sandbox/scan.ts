import { CHAIN_DETAILS } from '@crypto-checkout/protocol/chain-details';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Db, Trx } from '../database/database.ts';
import type {
  Cursor,
  Match,
  Observation,
  OpenTransaction,
  ScanEvent,
  ScanLimits,
  ScanResult,
} from '@crypto-checkout/chains/adapter';
import {
  advanceCursor,
  isCursorOf,
  resumeScan,
  type BlockReference,
} from '@crypto-checkout/chains/cursor';
import * as store from './store.ts';
import type { SandboxBlock, SandboxTransaction, StoredOutput } from './store.ts';

export const SOURCE = 'sandbox';

export interface Sandbox {
  db: Db;
  chain: ChainId;
  /** The address that all payments share, told apart by tag; null if each invoice has its own. */
  shared: string | null;
}

/**
 * Scans a simulated chain like a node: reorganisations, then blocks, then the mempool, then the
 * status of open transactions. Without a cursor it starts at the first block.
 */
export async function scanSandbox(
  { db, chain, shared }: Sandbox,
  from: Cursor | null,
  match: Match,
  limits: ScanLimits,
): Promise<ScanResult> {
  const tip = await store.readTip(db, chain);
  if (
    isCursorOf(from, SOURCE) &&
    from.hash === tip.hash &&
    !tip.hasMempool &&
    limits.open.length === 0
  ) {
    return {
      events: [],
      cursor: from,
      tip: tip.height,
      caughtUp: true,
      ...finalizedAt(chain, tip),
    };
  }
  // One snapshot, so that a block mined meanwhile is read completely or not at all.
  const view = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((trx) => readView(trx, chain, from, limits));
  const matched = await match([...new Set(view.outputs.map(({ watchKey }) => watchKey))]);
  const events = [
    ...view.before,
    ...view.outputs.flatMap((output) => eventOf(shared, output, view.blocks, matched)),
    ...view.after,
  ];
  const { cursor, tip: height, caughtUp } = view;
  return { events, cursor, tip: height, caughtUp, ...finalizedAt(chain, { height }) };
}

/** Simulated chains finalize a block as soon as the next one is at its final depth. */
function finalizedAt(
  chain: ChainId,
  { height }: { height: number },
): Pick<ScanResult, 'finalized'> {
  const finalized = height - CHAINS[chain].finalConfirmations;
  return CHAIN_DETAILS[chain].finalizedBlock === null || finalized < 0 ? {} : { finalized };
}

interface View {
  before: ScanEvent[];
  outputs: StoredOutput[];
  blocks: ReadonlyMap<string, SandboxBlock>;
  after: ScanEvent[];
  cursor: Cursor;
  tip: number;
  caughtUp: boolean;
}

async function readView(
  trx: Trx,
  chain: ChainId,
  from: Cursor | null,
  limits: ScanLimits,
): Promise<View> {
  const tip = await store.readTip(trx, chain);
  const genesis = await store.blockAt(trx, chain, 0);
  const resumed = await resumeScan(chain, from, SOURCE, genesis, (blocks) =>
    store.hashesOnBestChain(trx, chain, hashesOf(blocks)),
  );
  const blocks = await store.blocksAfter(trx, chain, resumed.cursor.height, limits.maxBlocks);
  const cursor = advanceCursor(resumed.cursor, blocks);
  const caughtUp = cursor.height === tip.height;
  const mined = await store.outputsInBlocks(trx, chain, hashesOf(blocks));
  return {
    before: resumed.events,
    outputs: caughtUp ? [...mined, ...(await store.outputsInMempool(trx, chain))] : mined,
    blocks: new Map(blocks.map((block) => [block.hash, block])),
    // A transaction that left the mempool may be in an unread block, so open transactions are
    // checked only at the tip.
    after: caughtUp ? await openTransactionEvents(trx, chain, limits.open) : [],
    cursor,
    tip: tip.height,
    caughtUp,
  };
}

function hashesOf(blocks: readonly BlockReference[]): string[] {
  return blocks.map(({ hash }) => hash);
}

function eventOf(
  shared: string | null,
  output: StoredOutput,
  blocks: View['blocks'],
  matched: ReadonlySet<string>,
): ScanEvent[] {
  const block = output.blockHash === null ? null : (blocks.get(output.blockHash) ?? null);
  const { txid, slot, asset, watchKey, amount, conflicts, address } = output;
  const key = `${txid}:${slot}`;
  if (matched.has(watchKey)) {
    const where =
      block === null ? null : { height: block.height, hash: block.hash, time: block.time };
    const observation: Observation = {
      key,
      txid,
      asset,
      watchKey,
      amount,
      block: where,
      conflicts,
    };
    return [{ type: 'observed', observation }];
  }
  // Without a known tag the payment has no owner (T2). Outputs to other addresses, such as payouts,
  // are ignored.
  if (address !== shared || block === null) return [];
  const [, , tag] = watchKey.split(':');
  // The sender's memo selects the invoice.
  const reason = tag === undefined ? 'no destination tag' : `no invoice has destination tag ${tag}`;
  const { height } = block;
  return [
    { type: 'unexplained', unexplained: { key, txid, asset, address, amount, reason, height } },
  ];
}

async function openTransactionEvents(
  trx: Trx,
  chain: ChainId,
  open: readonly OpenTransaction[],
): Promise<ScanEvent[]> {
  if (open.length === 0) return [];
  const states = await store.statesOf(
    trx,
    chain,
    open.map(({ txid }) => txid),
  );
  const byTxid = new Map(states.map((transaction) => [transaction.txid, transaction]));
  return open.flatMap(({ key, txid }) => statusEvents(key, byTxid.get(txid)));
}

function statusEvents(key: string, transaction: SandboxTransaction | undefined): ScanEvent[] {
  if (transaction === undefined || transaction.state === 'dropped') return [{ type: 'gone', key }];
  if (transaction.state === 'replaced')
    return [{ type: 'conflict', key, by: transaction.replacedBy ?? '' }];
  return transaction.state === 'failed'
    ? [{ type: 'failed', key, reason: 'failed on the chain' }]
    : [];
}
