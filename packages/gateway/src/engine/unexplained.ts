import type { ScanResult } from '@crypto-checkout/chains/adapter';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import { internalTxids } from './outgoing-store.ts';
import { payoutWatchKey } from '../unassigned/payout-address.ts';
import { saveUnlisted } from '../unassigned/unlisted-tokens.ts';
import { saveUnassigned } from '../unassigned/store.ts';

/** The money lies where payouts and gas top-ups leave from. */
const SENT_TO_PAYOUT_ADDRESS =
  'sent to the payout address: assign it to the wallet that pays network fees with it';
/** The wallets still have it in their balances. */
const MAYBE_FROM_COLD_ADDRESS = `${SENT_TO_PAYOUT_ADDRESS}, or dismiss it if it was swept before and comes back`;

/** Money without an invoice, and money from outside on the address that pays network fees. */
export async function saveUnexplained(
  trx: Trx,
  context: Context,
  chain: ChainId,
  result: ScanResult,
): Promise<void> {
  const at = timestamp(context.clock.now());
  const payoutKey = payoutWatchKey(context.senders.get(chain));
  const sent = result.events.flatMap((event) =>
    event.type === 'observed' && event.observation.watchKey === payoutKey
      ? [event.observation]
      : [],
  );
  const cold = context.config.sweepTo[chain]?.toLowerCase();
  const reason = cold === undefined ? SENT_TO_PAYOUT_ADDRESS : MAYBE_FROM_COLD_ADDRESS;
  const internal = await internalTxids(trx, chain, sent);
  for (const { block, watchKey, ...observation } of sent) {
    if (block === null || observation.amount <= 0n || internal.has(observation.txid)) continue;
    // It was swept to the cold address before, and no wallet lost it by that.
    if (observation.conflicts.some((input) => input.startsWith(`${cold}:`))) continue;
    const where = { address: watchKey, height: block.height, reason };
    await saveUnassigned(trx, chain, { ...observation, ...where }, at);
  }
  for (const event of result.events)
    if (event.type === 'unexplained') await saveUnassigned(trx, chain, event.unexplained, at);
  const unlisted = result.events.flatMap((event) =>
    event.type === 'unlisted' ? [event.transfer] : [],
  );
  await saveUnlisted(trx, chain, unlisted, at);
}
