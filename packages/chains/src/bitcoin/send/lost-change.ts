import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { SentTransaction, TransactionStatus } from '../../sender.ts';
import type { BitcoinSendNode } from './send-node.ts';
import { findSpender } from './spender.ts';

interface Options {
  node: BitcoinSendNode;
  tip: number;
  ownTransaction: SentTransaction['ownTransaction'];
}

/** Unconfirmed transactions of ours that are looked at; more than a plan depends on. */
const MAX_ANCESTORS = 25;

/**
 * Finds whether unconfirmed change that a transaction spends can no longer exist, because another
 * transaction spent an input of its parent. Null while the block of that other one is not final.
 * Existing outputs are skipped.
 */
export async function lostChange(
  options: Options,
  outpoints: readonly string[],
  looked = new Set<string>(),
): Promise<TransactionStatus | null> {
  const { node, tip, ownTransaction } = options;
  if (ownTransaction === undefined) return null;
  const there = await node.unspent(outpoints, false);
  const gone = outpoints.filter((_, at) => there[at] === null);
  for (const txid of new Set(gone.map((outpoint) => outpoint.split(':')[0]!))) {
    if (looked.has(txid) || looked.size === MAX_ANCESTORS) continue;
    looked.add(txid);
    const plan = (await ownTransaction(txid))?.plan;
    if (plan?.family !== 'bitcoin' || (await node.ancestors(txid)) !== null) continue;
    const inputs = plan.inputs.map(({ outpoint }) => outpoint);
    const found = await findSpender(node, inputs, { above: plan.height, tip });
    if (found === null) {
      const lost = await lostChange(options, inputs, looked);
      if (lost !== null) return lost;
      continue;
    }
    const { height, transaction } = found;
    const isFinal = tip - height + 1 >= CHAINS[plan.chain].finalConfirmations;
    if (transaction.txid === txid || !isFinal) continue;
    const reason = `It spends the change of ${txid}, and another transaction, ${transaction.txid}, took the place of that one in block ${height}`;
    return { state: 'impossible', reason };
  }
  return null;
}
