import { feeEstimates } from './answers.ts';
import type { Esplora } from './client.ts';

/**
 * The rate at which a transaction is mined within this number of blocks, in satoshi per byte; of
 * fewer blocks where the service has no estimate of its own. Null on a quiet chain.
 */
export async function estimatedRate(esplora: Esplora, blocks: number): Promise<number | null> {
  const rates = Object.entries((await esplora.json('/fee-estimates', feeEstimates)) ?? {})
    .map(([target, rate]) => ({ target: Number(target), rate }))
    .toSorted((a, b) => a.target - b.target);
  const [first] = rates;
  return (rates.findLast(({ target }) => target <= blocks) ?? first)?.rate ?? null;
}
