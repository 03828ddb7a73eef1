import { fromUnits, type Amount } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { PrunedError, UnavailableError } from '../../error.ts';
import type {
  BitcoinPlan,
  SendPlan,
  SentTransaction,
  SignedTransaction,
  TransactionStatus,
} from '../../sender.ts';
import { outputsOf } from '../sign.ts';
import type { BitcoinTransaction } from '../transaction.ts';
import { DECIMALS } from '../units.ts';
import { lostChange } from './lost-change.ts';
import { paidPart } from './paid-part.ts';
import type { BitcoinSendNode } from './send-node.ts';
import { findSpender } from './spender.ts';

type Attempt = SignedTransaction & { plan: BitcoinPlan };

/**
 * The status of a transaction; any of its attempts counts, because they share an input. The node
 * needs no index of transactions: an unspent output shows the block, otherwise the blocks are read.
 */
export async function lookUpBitcoin(
  { node }: { node: BitcoinSendNode },
  { attempts, ownTransaction }: SentTransaction,
): Promise<TransactionStatus> {
  const own = attempts.map((attempt) => ({ ...attempt, plan: requirePlan(attempt.plan) }));
  const tip = await node.height();
  for (const attempt of own.toReversed()) {
    const confirmations = await confirmationsOf(node, attempt);
    if (confirmations > 0) return mined(node, attempt, tip - confirmations + 1, tip);
  }
  for (const { txid } of own.toReversed())
    if ((await node.ancestors(txid)) !== null) return { state: 'mempool', txid };
  const shared = sharedInputs(own);
  try {
    const status =
      (await findInBlocks(node, own, shared, tip)) ??
      (await lostChange({ node, ownTransaction, tip }, shared));
    return status ?? { state: 'unseen' };
  } catch (error) {
    // No later look can read more: an operator decides.
    if (error instanceof PrunedError) return { state: 'unseen', doubt: error.message };
    throw error;
  }
}

function requirePlan(plan: SendPlan | undefined): BitcoinPlan {
  if (plan?.family !== 'bitcoin') throw new Error('No plan of a UTXO chain to look up');
  return plan;
}

/** Of any output that is still unspent; zero without one. */
async function confirmationsOf(node: BitcoinSendNode, { txid, plan }: Attempt): Promise<number> {
  const outpoints = outputsOf(plan).map((_, index) => `${txid}:${index}`);
  const found = await node.unspent(outpoints, false);
  return Math.max(0, ...found.map((one) => one?.confirmations ?? 0));
}

/**
 * Looks for the transaction that spends an input which all attempts share: one of them, or another
 * one. While no block spends it, none contains them.
 */
async function findInBlocks(
  node: BitcoinSendNode,
  attempts: readonly Attempt[],
  shared: readonly string[],
  tip: number,
): Promise<TransactionStatus | null> {
  const [first] = attempts;
  if (first === undefined) return null;
  const found = await findSpender(node, shared, { above: first.plan.height, tip });
  if (found === null) return null;
  const { height, transaction } = found;
  const own = attempts.find(({ txid }) => txid === transaction.txid);
  return own === undefined
    ? foreign(node, first, transaction, { height, tip })
    : mined(node, own, height, tip);
}

/** Another transaction that spends the input: it pays all recipients, some or none of them. */
async function foreign(
  node: BitcoinSendNode,
  first: Attempt,
  found: BitcoinTransaction,
  { height, tip }: { height: number; tip: number },
): Promise<TransactionStatus | null> {
  const part = paidPart(first.plan, found);
  if (part === 'none') return conflict(first.plan, found.txid, height, tip);
  // Not all of them were paid, so it is neither a payment nor a failure: an operator decides.
  if (part === 'some') return null;
  const status = await mined(node, first, height, tip);
  const fee = feeOfFound(first.plan, found);
  return { ...status, txid: found.txid, signedAs: first.txid, fee };
}

/** Null if it also spends outputs of an unknown amount. */
function feeOfFound({ inputs }: BitcoinPlan, found: BitcoinTransaction): Amount | null {
  const amounts = new Map(inputs.map(({ outpoint, units }) => [outpoint, units]));
  let fee = 0n;
  for (const outpoint of found.inputs) {
    const units = amounts.get(outpoint);
    if (units === undefined) return null;
    fee += BigInt(units);
  }
  for (const { units } of found.outputs) fee -= units;
  return fromUnits(fee, DECIMALS);
}

/** Outputs that every attempt spends. */
function sharedInputs(attempts: readonly Attempt[]): string[] {
  const [first, ...others] = attempts.map(({ plan }) =>
    plan.inputs.map(({ outpoint }) => outpoint),
  );
  return (first ?? []).filter((outpoint) => others.every((inputs) => inputs.includes(outpoint)));
}

/** The input is gone for good once the other transaction is final. */
function conflict(
  { chain }: BitcoinPlan,
  txid: string,
  height: number,
  tip: number,
): TransactionStatus | null {
  if (tip - height + 1 < CHAINS[chain].finalConfirmations) return null;
  const reason = `Another transaction, ${txid}, spent its input in block ${height}`;
  return { state: 'impossible', reason };
}

async function mined(
  node: BitcoinSendNode,
  { txid, plan }: Attempt,
  height: number,
  tip: number,
): Promise<Extract<TransactionStatus, { state: 'block' }>> {
  const hash = await node.hashAt(height);
  if (hash === null) throw new UnavailableError(`The node does not have block ${height} any more`);
  return {
    state: 'block',
    txid,
    height,
    hash,
    confirmations: Math.max(1, tip - height + 1),
    fee: fromUnits(feeOfPlan(plan), DECIMALS),
    succeeded: true,
    reason: null,
  };
}

const sumOf = (parts: readonly { units: string }[]): bigint =>
  parts.reduce((sum, { units }) => sum + BigInt(units), 0n);

/** The part of the inputs that the outputs leave. */
export const feeOfPlan = (plan: BitcoinPlan): bigint => sumOf(plan.inputs) - sumOf(outputsOf(plan));
