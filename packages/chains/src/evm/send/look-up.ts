import { fromUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { UnavailableError } from '../../error.ts';
import type { SentTransaction, TransactionStatus } from '../../sender.ts';
import type { EvmReceipt } from './send-node.ts';
import type { EvmAccount } from '../sending-account.ts';
import { hasLogs, TRANSFER_TOPIC } from '../scan/transfer-logs.ts';
import type { EvmAssets } from '../scan/transfers.ts';
import { findNonceUser } from './used-nonce.ts';

/** The status of a transaction; any of its attempts counts, because they share a nonce. */
export async function lookUpEvm(
  account: EvmAccount,
  { nonce, attempts }: SentTransaction,
): Promise<TransactionStatus> {
  const { chain, node, from } = account;
  const txids = attempts.map(({ txid }) => txid);
  const [{ height: tip }, ...receipts] = await Promise.all([
    node.tip(),
    ...txids.map((txid) => node.receipt(txid)),
  ]);
  const at = receipts.findIndex((receipt) => receipt !== null);
  const receipt = receipts[at];
  if (receipt) return minedStatus(account, txids[at]!, receipt, tip);
  for (const txid of txids.toReversed())
    if (await node.isKnown(txid)) return { state: 'mempool', txid };
  if (nonce === null) return { state: 'unseen' };
  // Deeper than any reorganisation reaches. A used nonce alone proves nothing: providers forget old
  // transactions, and ours may have used it.
  const height = tip - CHAINS[chain].finalConfirmations;
  const user = await findNonceUser(node, { sender: from.address, nonce, height });
  if (user === null) return { state: 'unseen' };
  if (txids.includes(user)) return { state: 'mempool', txid: user };
  return { state: 'impossible', reason: 'Another transaction of the address took its number' };
}

function minedStatus(
  { assets, from }: EvmAccount,
  txid: string,
  receipt: EvmReceipt,
  tip: number,
): TransactionStatus {
  const { blockNumber, blockHash, gasUsed, effectiveGasPrice, l1Fee } = receipt;
  const reason = failureOf(receipt, from.address, assets);
  const height = Number(blockNumber);
  return {
    state: 'block',
    txid,
    height,
    hash: blockHash,
    confirmations: Math.max(0, tip - height + 1),
    fee: fromUnits(gasUsed * effectiveGasPrice + l1Fee, assets.coin.decimals),
    succeeded: reason === null,
    reason,
  };
}

/**
 * A token may return false instead of reverting (ERC-20, "transfer"): only its event shows that it
 * moved something.
 * @throws UnavailableError when the node does not have the logs of the transaction yet
 */
function failureOf(
  { status, to, logs, logsBloom }: EvmReceipt,
  sender: string,
  { tokens }: EvmAssets,
): string | null {
  if (status !== 1n) return 'The transaction was mined and reverted';
  if (to === null || !tokens.has(to)) return null;
  const isOwn = (topic: string | undefined): boolean =>
    topic?.slice(-40).toLowerCase() === sender.slice(2).toLowerCase();
  if (
    logs.some(
      ({ address, topics }) => address === to && topics[0] === TRANSFER_TOPIC && isOwn(topics[1]),
    )
  )
    return null;
  if (logs.length === 0 && (logsBloom === null || hasLogs({ logsBloom })))
    throw new UnavailableError('The node does not have the logs of the transaction yet');
  return 'The transaction was mined, but the token moved nothing';
}
