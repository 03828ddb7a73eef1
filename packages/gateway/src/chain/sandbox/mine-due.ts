import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../../context.ts';
import { chainsDue } from './store.ts';
import { createSandboxWorld } from './world.ts';

/**
 * Mines one block on each sandbox chain where something waits and whose last block is `SANDBOX_BLOCK_SECONDS` old. Chains with
 * nothing open are left alone, so an idle service costs one query.
 * @returns the chains that grew; never any while blocks are only mined by hand (0)
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
