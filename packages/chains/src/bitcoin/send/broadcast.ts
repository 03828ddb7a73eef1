import { formatAmount, fromUnits } from '@crypto-checkout/protocol/amount';
import { JsonRpcError } from '../../json-rpc.ts';
import type { BroadcastResult, Refusal } from '../../sender.ts';
import { parseRawTransaction } from '../raw.ts';
import { DECIMALS } from '../units.ts';
import type { BitcoinSendNode } from './send-node.ts';

/** The node, or a block, has it already. */
const KNOWN = /already in (?:block ?chain|utxo set|mempool)|txn-already-(?:known|in-mempool)/i;
/** The fee is below the minimum of the mempool, or of a replacement. */
const FEE_TOO_LOW =
  /min(?:imum)? (?:relay )?fee not met|insufficient fee|mempool full|insufficient priority/i;
/** The form of the transaction: nodes never relay it, whatever happens. */
const NEVER_RELAYED =
  /^(?:\d+: )?(?:dust|scriptpubkey|tx-size|bad-txns-(?:vout|oversize|toolarge))/i;

/**
 * Only this test can show that a broadcast would fail for good: a node can hand a transaction on
 * and refuse it all the same.
 * @throws UnavailableError when the node does not respond
 */
export async function testBitcoin(
  node: Pick<BitcoinSendNode, 'testAcceptance'>,
  raw: string,
): Promise<Refusal | null> {
  try {
    const reason = await node.testAcceptance(raw);
    return reason === null ? null : refusalOf(raw, reason, NEVER_RELAYED.test(reason));
  } catch (error) {
    if (error instanceof JsonRpcError) return refusalOf(raw, error.message, false);
    throw error;
  }
}

/**
 * Broadcasts signed bytes, which were tested before. A node without the test refuses the form of a
 * transaction here: it checks before it hands it on, and would refuse the same bytes each time.
 */
export async function broadcastBitcoin(
  node: Pick<BitcoinSendNode, 'send' | 'lacksTest'>,
  raw: string,
): Promise<BroadcastResult> {
  try {
    await node.send(raw);
    return { result: 'ok' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof JsonRpcError)) return { result: 'unknown', reason };
    const isCertain = node.lacksTest === true && isRefusedForGood(error);
    return refusalOf(raw, reason, isCertain) ?? { result: 'ok' };
  }
}

/** Core's code for a transaction that it did not take. */
const REJECTED = -26;
/** The client puts the name of the call before the node's words. */
const isRefusedForGood = ({ code, message }: JsonRpcError): boolean =>
  code === REJECTED && NEVER_RELAYED.test(message.replace(/^[a-z]+: /, ''));

/** @returns null when the network has the transaction already */
function refusalOf(raw: string, reason: string, isCertain: boolean): Refusal | null {
  if (KNOWN.test(reason)) return null;
  if (isCertain)
    return {
      result: 'failed',
      reason: DUST.test(reason) ? aboutDust(raw) : `The node refuses it: ${reason}`,
    };
  return FEE_TOO_LOW.test(reason)
    ? { result: 'unknown', reason, cause: 'fee' }
    : { result: 'unknown', reason };
}

const DUST = /^(?:[a-z]+: )?(?:\d+: )?dust/i;

/** The least output is the one that the node refuses: change is never below its limit. */
function aboutDust(raw: string): string {
  const units = parseRawTransaction(raw).outputs.map((output) => output.units);
  const least = units.reduce((a, b) => (a < b ? a : b));
  const amount = formatAmount(fromUnits(least, DECIMALS));
  return `The node refuses it: an output of ${amount} is dust for this node (dustrelayfee); pay out more`;
}
