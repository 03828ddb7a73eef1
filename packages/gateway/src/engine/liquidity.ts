import type { Liquidity } from '@crypto-checkout/chains/adapter';
import { sql } from 'kysely';
import { raiseAlarmOnce } from '../alarm/raise.ts';
import type { Context } from '../context.ts';
import { readLiquidity } from '../http/monitoring/liquidity.ts';

/** Part of the channels below which an operator has to act. */
const LOW = 10n;

const REASONS = {
  channels: 'The lightning node has no usable channel: nothing can be received or paid out',
  receivable:
    'The channels can receive less than a tenth of their capacity: pay out over lightning, or let others open channels to the node',
  sendable:
    'The channels can send less than a tenth of their capacity: payouts may wait; open channels from the node',
} as const;

/**
 * Raises an alarm before the channels of a lightning node are empty on one side, and removes it
 * when they are not any more.
 */
export async function watchLiquidity(context: Context): Promise<void> {
  for (const [chain, liquidity] of await readLiquidity(context)) {
    const low = lowParts(liquidity, context.senders.has(chain));
    for (const [part, reason] of Object.entries(REASONS))
      if (low.has(part as keyof typeof REASONS)) await raiseAlarmOnce(context, chain, reason);
      else
        await sql`delete from alarm where chain = ${chain} and reason = ${reason}`.execute(
          context.db,
        );
  }
}

function lowParts(
  { channels, receivable, sendable }: Liquidity,
  canSend: boolean,
): ReadonlySet<keyof typeof REASONS> {
  if (channels === 0) return new Set(['channels']);
  const least = (receivable + sendable) / LOW;
  return new Set([
    ...(receivable < least ? (['receivable'] as const) : []),
    ...(canSend && sendable < least ? (['sendable'] as const) : []),
  ]);
}
