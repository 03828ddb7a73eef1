import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { chainsDue } from './store.ts';
import { createSandboxWorld } from './world.ts';

/**
 * Mines one block on each sandbox chain with pending transactions whose last block is
 * `SANDBOX_BLOCK_SECONDS` old. Idle chains are skipped, so an idle service costs one query.
 * @returns the chains that grew; none if blocks are only mined on request (0)
 */
export async function mineDue(context: Context): Promise<ChainId[]> {
  const seconds = context.config.sandboxBlockSeconds;
  const simulated = [...context.chains.values()].some(({ source }) => source === 'sandbox');
  if (seconds === 0 || !simulated) return [];
  const due = await chainsDue(context.db, context.clock.real() - seconds * 1000);
  const mined = due.filter((chain) => context.chains.get(chain)?.source === 'sandbox');
  const world = createSandboxWorld(context);
  for (const chain of mined) await world.mine(chain, 1);
  return mined;
}
