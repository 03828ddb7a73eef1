import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Clock, Ids } from '../../context.ts';
import { transact, type Db, type Trx } from '../../database/database.ts';
import { ServiceError } from '../../http/error.ts';
import type { BlockReference } from '../follow.ts';
import { randomBlockHash, randomInput, randomTxid } from './identifier.ts';
import * as store from './store.ts';
import type { SandboxOutput, SandboxTransaction } from './store.ts';

/** What happens on the simulated chains, committed when a call returns. Nothing here knows invoices. */
export interface SandboxWorld {
  /** Broadcasts one transaction with these outputs. Lightning settles at once, in a block of its own. */
  pay(chain: ChainId, outputs: readonly SandboxOutput[], marks?: store.Marks): Promise<{ txid: string }>;
  /** Puts blocks on the tip; the first holds the whole mempool. */
  mine(chain: ChainId, blocks: number): Promise<BlockReference>;
  /** Broadcasts a transaction that spends the same inputs, to us again or to somebody else. */
  replace(txid: string, paysUs: boolean): Promise<{ txid: string }>;
  /** A transaction leaves the mempool and no other takes its place. */
  drop(txid: string): Promise<void>;
  /** A transaction turns out to have failed. Chains of the Bitcoin family have no such thing: there it stands for an invalid one. */
  fail(txid: string): Promise<void>;
  /** Replaces the newest blocks by a longer, empty branch; what was in them waits in the mempool again, or vanishes. */
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
    pay: (chain, outputs, marks = {}) => change((trx) => pay(trx, options, chain, { outputs, marks })),
    mine: (chain, blocks) => change((trx) => mine(trx, options, chain, blocks)),
    replace: (txid, paysUs) => change((trx) => replace(trx, options, txid, paysUs)),
    drop: (txid) => change(async (trx) => store.setState(trx, await waiting(trx, txid, 'dropped'), 'dropped')),
    fail: (txid) => change((trx) => fail(trx, txid)),
    reorganise: (chain, depth, drop) => change((trx) => reorganise(trx, options, chain, depth, drop)),
  };
}

interface Payment {
  outputs: readonly SandboxOutput[];
  marks: store.Marks;
}

async function pay(trx: Trx, options: WorldOptions, chain: ChainId, { outputs, marks }: Payment): Promise<{ txid: string }> {
  await store.lockChain(trx, chain);
  await store.startWaiting(trx, chain, options.clock.real());
  const txid = randomTxid(chain, options.ids);
  await store.insertTransaction(trx, { chain, txid, conflicts: [randomInput(chain, options.ids)] }, outputs, marks);
  if (chain === 'lightning') await mine(trx, options, chain, 1);
  return { txid };
}

/** Also for what the gateway itself sends over lightning, which is settled at once. */
export async function mine(trx: Trx, { clock, ids }: WorldOptions, chain: ChainId, count: number): Promise<BlockReference> {
  const tip = await store.lockChain(trx, chain);
  const blocks: store.SandboxBlock[] = [];
  for (let made = 1, parent = tip.hash; made <= count; made += 1) {
    const height = tip.height + made;
    const hash = randomBlockHash(chain, height, ids);
    blocks.push({ height, hash, parent, time: clock.now() });
    parent = hash;
  }
  await store.appendBlocks(trx, chain, blocks, clock.real());
  if (blocks[0] !== undefined) await store.mineMempool(trx, chain, blocks[0].hash);
  return reference(blocks.at(-1) ?? tip);
}

async function replace(trx: Trx, { ids }: WorldOptions, txid: string, paysUs: boolean): Promise<{ txid: string }> {
  const replaced = await waiting(trx, txid, 'replaced');
  const replacement = { chain: replaced.chain, txid: randomTxid(replaced.chain, ids), conflicts: replaced.conflicts };
  // What replaced once can do so again.
  const outputs = paysUs ? await store.outputsOf(trx, replaced.chain, txid) : [];
  await store.insertTransaction(trx, replacement, outputs, { replaceable: true });
  await store.setState(trx, replaced, 'replaced', replacement.txid);
  return { txid: replacement.txid };
}

async function fail(trx: Trx, txid: string): Promise<void> {
  const transaction = await known(trx, txid);
  if (transaction.chain === 'lightning') throw new ServiceError('InvalidState', 'A lightning payment that was settled is final.');
  if (transaction.state !== 'mempool' && transaction.state !== 'block') throw wrongState(transaction, 'fail');
  await store.setState(trx, transaction, 'failed');
}

async function reorganise(trx: Trx, options: WorldOptions, chain: ChainId, depth: number, drop: boolean): Promise<BlockReference> {
  if (chain === 'lightning') throw new ServiceError('InvalidState', 'Lightning has no blocks of its own that could be reorganised.');
  const tip = await store.lockChain(trx, chain);
  if (depth > tip.height) {
    throw new ServiceError('InvalidState', `${CHAINS[chain].name} has ${tip.height} blocks, so ${depth} can't be replaced.`);
  }
  const fork = await store.blockAt(trx, chain, tip.height - depth);
  await store.disconnectAbove(trx, chain, fork.height, drop ? 'dropped' : 'mempool');
  const branch: store.SandboxBlock[] = [];
  // The longer branch wins, so it has one block more than it replaces.
  for (let made = 1, parent = fork.hash; made <= depth + 1; made += 1) {
    const height = fork.height + made;
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

async function known(trx: Trx, txid: string): Promise<SandboxTransaction> {
  // The database takes no NUL.
  const found = txid.includes('\0') ? undefined : await store.findTransaction(trx, txid);
  if (found === undefined) throw new ServiceError('NotFound', `No sandbox chain has a transaction "${txid}".`);
  await store.lockChain(trx, found.chain);
  // Read again: it may have been mined while we waited for the chain.
  return (await store.findTransaction(trx, txid)) ?? found;
}

async function waiting(trx: Trx, txid: string, change: string): Promise<SandboxTransaction> {
  const transaction = await known(trx, txid);
  if (transaction.state !== 'mempool') throw wrongState(transaction, `be ${change}`);
  return transaction;
}

function wrongState({ txid, state }: SandboxTransaction, change: string): ServiceError {
  const where = state === 'block' ? 'is in a block' : state === 'mempool' ? 'waits in the mempool' : `was ${state}`;
  return new ServiceError('InvalidState', `Transaction ${txid} ${where} and can't ${change}.`);
}
