import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Clock, Ids } from '../context.ts';
import { transact, type Db, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import type { BlockReference } from '@crypto-checkout/chains/cursor';
import { randomBlockHash, randomInput, randomTxid } from './identifier.ts';
import * as store from './store.ts';
import type { SandboxOutput, SandboxTransaction } from './store.ts';

/**
 * Events on the simulated chains, committed on return. This module has nothing to do with invoices.
 */
export interface SandboxWorld {
  /**
   * Broadcasts one transaction with these outputs. Lightning settles at once, in a block of its
   * own.
   */
  pay(
    chain: ChainId,
    outputs: readonly SandboxOutput[],
    flags?: store.SandboxFlags,
  ): Promise<{ txid: string }>;
  /** Appends blocks; the first takes the whole mempool. */
  mine(chain: ChainId, blocks: number): Promise<BlockReference>;
  /** Broadcasts a transaction that spends the same inputs, to us again or to another recipient. */
  replace(txid: string, paysUs: boolean): Promise<{ txid: string }>;
  /** Drops a transaction from the mempool without a replacement. */
  drop(txid: string): Promise<void>;
  /**
   * Marks a transaction as failed. Bitcoin-like chains have no failed transactions; there it stands
   * for an invalid one.
   */
  fail(txid: string): Promise<void>;
  /**
   * Replaces the newest blocks by a longer, empty branch. Their transactions return to the mempool,
   * or are dropped.
   */
  reorganise(chain: ChainId, depth: number, drop: boolean): Promise<BlockReference>;
}

export interface WorldOptions {
  db: Db;
  clock: Clock;
  ids: Ids;
}

export function createSandboxWorld(options: WorldOptions): SandboxWorld {
  const change = <T>(work: (trx: Trx) => Promise<T>): Promise<T> => transact(options.db, work);
  return {
    pay: (chain, outputs, flags = {}) =>
      change((trx) => pay(trx, options, chain, { outputs, flags })),
    mine: (chain, blocks) => change((trx) => mine(trx, options, chain, blocks)),
    replace: (txid, paysUs) => change((trx) => replace(trx, options, txid, paysUs)),
    drop: (txid) =>
      change(async (trx) =>
        store.setState(trx, await requireInMempool(trx, txid, 'dropped'), 'dropped'),
      ),
    fail: (txid) => change((trx) => fail(trx, txid)),
    reorganise: (chain, depth, drop) =>
      change((trx) => reorganise(trx, options, chain, depth, drop)),
  };
}

interface Payment {
  outputs: readonly SandboxOutput[];
  flags: store.SandboxFlags;
}

async function pay(
  trx: Trx,
  options: WorldOptions,
  chain: ChainId,
  { outputs, flags }: Payment,
): Promise<{ txid: string }> {
  await store.lockChain(trx, chain);
  await store.startBlockTimer(trx, chain, options.clock.real());
  const txid = randomTxid(chain, options.ids);
  await store.insertTransaction(
    trx,
    { chain, txid, conflicts: [randomInput(chain, options.ids)] },
    outputs,
    flags,
  );
  if (chain === 'lightning') await mine(trx, options, chain, 1);
  return { txid };
}

/** Also used for lightning payments of the gateway itself, which settle at once. */
export async function mine(
  trx: Trx,
  { clock, ids }: WorldOptions,
  chain: ChainId,
  count: number,
): Promise<BlockReference> {
  const tip = await store.lockChain(trx, chain);
  const blocks: store.SandboxBlock[] = [];
  for (let number = 1, parent = tip.hash; number <= count; number += 1) {
    const height = tip.height + number;
    const hash = randomBlockHash(chain, height, ids);
    blocks.push({ height, hash, parent, time: clock.now() });
    parent = hash;
  }
  await store.appendBlocks(trx, chain, blocks, clock.real());
  if (blocks[0] !== undefined) await store.mineMempool(trx, chain, blocks[0].hash);
  return reference(blocks.at(-1) ?? tip);
}

async function replace(
  trx: Trx,
  { ids }: WorldOptions,
  txid: string,
  paysUs: boolean,
): Promise<{ txid: string }> {
  const replaced = await requireInMempool(trx, txid, 'replaced');
  const replacement = {
    chain: replaced.chain,
    txid: randomTxid(replaced.chain, ids),
    conflicts: replaced.conflicts,
  };
  // A replacement can be replaced again.
  const outputs = paysUs ? await store.outputsOf(trx, replaced.chain, txid) : [];
  await store.insertTransaction(trx, replacement, outputs, { replaceable: true });
  await store.setState(trx, replaced, 'replaced', replacement.txid);
  return { txid: replacement.txid };
}

async function fail(trx: Trx, txid: string): Promise<void> {
  const transaction = await requireTransaction(trx, txid);
  if (transaction.chain === 'lightning')
    throw new ServiceError('InvalidState', 'A settled lightning payment is final.');
  if (transaction.state !== 'mempool' && transaction.state !== 'block')
    throw wrongState(transaction, 'fail');
  await store.setState(trx, transaction, 'failed');
}

async function reorganise(
  trx: Trx,
  options: WorldOptions,
  chain: ChainId,
  depth: number,
  drop: boolean,
): Promise<BlockReference> {
  if (chain === 'lightning')
    throw new ServiceError('InvalidState', 'Lightning has no blocks to reorganise.');
  const tip = await store.lockChain(trx, chain);
  if (depth > tip.height) {
    throw new ServiceError(
      'InvalidState',
      `${CHAINS[chain].name} has ${tip.height} blocks, so ${depth} can't be replaced.`,
    );
  }
  const fork = await store.blockAt(trx, chain, tip.height - depth);
  await store.removeBlocksAbove(trx, chain, fork.height, drop ? 'dropped' : 'mempool');
  const branch: store.SandboxBlock[] = [];
  // The longer branch wins, so it has one block more than the replaced one.
  for (let number = 1, parent = fork.hash; number <= depth + 1; number += 1) {
    const height = fork.height + number;
    const hash = randomBlockHash(chain, height, options.ids);
    branch.push({ height, hash, parent, time: options.clock.now() });
    parent = hash;
  }
  await store.appendBlocks(trx, chain, branch, options.clock.real());
  return reference(branch.at(-1) ?? fork);
}

function reference({ height, hash }: BlockReference): BlockReference {
  return { height, hash };
}

async function requireTransaction(trx: Trx, txid: string): Promise<SandboxTransaction> {
  // PostgreSQL rejects NUL in text.
  const found = txid.includes('\0') ? undefined : await store.findTransaction(trx, txid);
  if (found === undefined)
    throw new ServiceError('NotFound', `No sandbox chain has a transaction "${txid}".`);
  await store.lockChain(trx, found.chain);
  // Read again: it may have been mined while this call waited for the chain.
  return (await store.findTransaction(trx, txid)) ?? found;
}

async function requireInMempool(
  trx: Trx,
  txid: string,
  change: string,
): Promise<SandboxTransaction> {
  const transaction = await requireTransaction(trx, txid);
  if (transaction.state !== 'mempool') throw wrongState(transaction, `be ${change}`);
  return transaction;
}

function wrongState({ txid, state }: SandboxTransaction, change: string): ServiceError {
  const where =
    state === 'block'
      ? 'is in a block'
      : state === 'mempool'
        ? 'is in the mempool'
        : `was ${state}`;
  return new ServiceError('InvalidState', `Transaction ${txid} ${where} and can't ${change}.`);
}
