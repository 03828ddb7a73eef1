import type { EvmAccount } from '../sending-account.ts';

/**
 * The nonce of the address's next transaction. A node that answers for another chain would make a
 * gap, and everything behind a gap waits. So a number above the own record is asked once more of
 * every provider.
 * @param minNonce the lowest nonce that no stored transaction uses
 * @param firstNonce of what waits for its block, with all nonces up to `minNonce`; null if nothing
 * waits
 * @returns less than `minNonce` from a node that lags behind; null if the answers disagree
 */
export async function nextNonce(
  { node, providers, from: { address } }: EvmAccount,
  minNonce: number,
  firstNonce: number | null = null,
): Promise<number | null> {
  const first = await node.transactionCount(address);
  if (first < (firstNonce ?? minNonce)) return first;
  if (first <= minNonce) return minNonce;
  const answers = await Promise.allSettled(
    providers().map((provider) => provider.transactionCount(address)),
  );
  const counts = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const isOwn = (count: number): boolean => count >= (firstNonce ?? minNonce) && count <= minNonce;
  if (counts.some(isOwn)) return minNonce;
  return counts.length > 0 && counts.every((count) => count === first) ? first : null;
}
