import { fromUnits } from '@crypto-checkout/protocol/amount';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import { UnavailableError } from '../../error.ts';
import type { SendPlan, SentTransaction, TransactionStatus } from '../../sender.ts';
import type { EvmReceipt } from './send-node.ts';
import type { EvmAccount } from '../sending-account.ts';
import { hasLogs, TRANSFER_TOPIC } from '../scan/transfer-logs.ts';
import type { EvmAssets } from '../scan/transfers.ts';
import { EVM_TRAITS } from '../traits.ts';
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
  if (receipt) return minedStatus(account, attempts[at]!, receipt, tip);
  for (const txid of txids.toReversed())
    if (await node.isKnown(txid)) return { state: 'mempool', txid };
  if (nonce === null) return { state: 'unseen' };
  // Deeper than any reorganisation reaches. A used nonce alone proves nothing: providers forget old
  // transactions, and ours may have used it.
  const height = tip - CHAINS[chain].finalConfirmations;
  const user = await findNonceUser(node, { sender: from.address, nonce, height });
  if (user === null) return { state: 'unseen' };
  if (txids.includes(user)) return { state: 'mempool', txid: user };
  if (!(await isConfirmedByAll(account, { txid: user, nonce, height }))) return { state: 'unseen' };
  return { state: 'impossible', reason: 'Another transaction of the address took its number' };
}

/**
 * Whether every provider has this transaction of the nonce. One of them could invent it, and the
 * payout would be sent a second time.
 */
async function isConfirmedByAll(
  { providers, from: { address } }: EvmAccount,
  { txid, nonce, height }: { txid: string; nonce: number; height: number },
): Promise<boolean> {
  const all = providers();
  // The only provider has just shown it.
  if (all.length === 1) return true;
  const answers = await Promise.allSettled(
    all.map(async (provider) => {
      const mined = await provider.receipt(txid);
      if (mined === null || Number(mined.blockNumber) > height) return false;
      return (await provider.transactionIn(Number(mined.blockNumber), address, nonce)) === txid;
    }),
  );
  return answers.every((one) => one.status === 'fulfilled' && one.value);
}

async function minedStatus(
  account: EvmAccount,
  { txid, plan }: SentTransaction['attempts'][number],
  receipt: EvmReceipt,
  tip: number,
): Promise<TransactionStatus> {
  const { assets, from } = account;
  const { blockNumber, blockHash } = receipt;
  const height = Number(blockNumber);
  const confirmations = await confirmationsOf(account, { height, blockHash, tip });
  const reason = failureOf(receipt, from.address, assets);
  return {
    state: 'block',
    txid,
    height,
    hash: blockHash,
    confirmations,
    fee: fromUnits(feeOf(account, receipt, plan), assets.coin.decimals),
    succeeded: reason === null,
    reason,
  };
}

/**
 * A backend can keep the receipt of a block that left the chain, and the newest height is of
 * another one. So the block must be on the chain, and the one that makes it final must be there.
 * @throws UnavailableError when the receipt is of another block
 */
async function confirmationsOf(
  { chain, node }: EvmAccount,
  { height, blockHash, tip }: { height: number; blockHash: string; tip: number },
): Promise<number> {
  if ((await node.blockHash(height)) !== blockHash)
    throw new UnavailableError('The node has the receipt of a block that is not on its chain');
  const { finalConfirmations } = CHAINS[chain];
  const confirmations = Math.max(0, tip - height + 1);
  if (confirmations < finalConfirmations) return confirmations;
  const last = await node.blockHash(height + finalConfirmations - 1);
  return last === null ? finalConfirmations - 1 : confirmations;
}

/**
 * The chain takes at most what was signed for gas, whatever a node says; the fee for data has no
 * limit.
 */
function feeOf(
  { chain }: EvmAccount,
  { gasUsed, effectiveGasPrice, l1Fee }: EvmReceipt,
  plan: SendPlan | undefined,
): bigint {
  const forData = EVM_TRAITS[chain].hasDataFee ? l1Fee : 0n;
  const forGas = gasUsed * effectiveGasPrice;
  if (plan?.family !== 'evm') return forGas + forData;
  const limit = BigInt(plan.gasLimit) * BigInt(plan.maxFeePerGas);
  return (forGas < limit ? forGas : limit) + forData;
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
