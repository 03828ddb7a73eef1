import type { ChainAdapter, Liquidity } from '@crypto-checkout/chains/adapter';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { withinTime } from '@crypto-checkout/chains/within-time';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../../context.ts';

/** Longest wait for a node; pages and metrics wait for the answer. */
const TIMEOUT_MS = 2_000;

/** The liquidity of each chain that limits it; null for a node that does not answer. */
export async function askLiquidity({
  chains,
}: Pick<Context, 'chains'>): Promise<ReadonlyMap<ChainId, Liquidity | null>> {
  const limited = [...chains].filter(([, { liquidity }]) => liquidity !== undefined);
  return new Map(
    await Promise.all(
      limited.map(async ([chain, adapter]) => [chain, await ask(adapter)] as const),
    ),
  );
}

/** The same, without the nodes that do not answer. */
export async function readLiquidity(
  context: Pick<Context, 'chains'>,
): Promise<ReadonlyMap<ChainId, Liquidity>> {
  const asked = [...(await askLiquidity(context))];
  return new Map(asked.flatMap(([chain, read]) => (read === null ? [] : [[chain, read] as const])));
}

async function ask({ liquidity }: ChainAdapter): Promise<Liquidity | null> {
  const answer = (): Promise<Liquidity | null> =>
    liquidity!().catch((error: unknown) => {
      if (error instanceof UnavailableError) return null;
      throw error;
    });
  return withinTime(answer, TIMEOUT_MS, () => null);
}
