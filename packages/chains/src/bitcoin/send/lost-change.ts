import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { SentTransaction, TransactionStatus } from '../../sender.ts';
import type { BitcoinSendNode } from './send-node.ts';
import { findSpender } from './spender.ts';

interface Options {
  node: BitcoinSendNode;
  tip: number;
  ownTransaction: SentTransaction['ownTransaction'];
}

/** Unconfirmed transactions of ours in a row; more than a plan spends. */
const MAX_ANCESTORS = 25;

/**
 * Change that a transaction spends before its block never comes if another transaction took an input
 * of the one before it. Null while that is not final.
 */
export async function lostChange(
  options: Options,
  outpoints: readonly string[],
  depth = 0,
): Promise<TransactionStatus | null> {
  const { node, tip, ownTransaction } = options;
  if (ownTransaction === undefined || depth === MAX_ANCESTORS) return null;
  for (const txid of new Set(outpoints.map((outpoint) => outpoint.split(':')[0]!))) {
    const plan = (await ownTransaction(txid))?.plan;
    if (plan?.family !== 'bitcoin' || (await node.ancestors(txid)) !== null) continue;
    const inputs = plan.inputs.map(({ outpoint }) => outpoint);
    const found = await findSpender(node, inputs, { above: plan.height, tip });
    if (found === null) {
      const lost = await lostChange(options, inputs, depth + 1);
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
