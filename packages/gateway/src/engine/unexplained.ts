import type { ScanResult } from '@crypto-checkout/chains/adapter';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { explainer } from '../balance-check/explain.ts';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';
import { internalTxids } from './sending/internal-txids.ts';
import { payoutWatchKey } from '../unassigned/payout-address.ts';
import { saveUnlisted } from '../unassigned/unlisted-tokens.ts';
import { saveDismissed, saveUnassigned } from '../unassigned/store.ts';

/** The money lies where payouts and gas top-ups leave from. */
const SENT_TO_PAYOUT_ADDRESS =
  'sent to the payout address: assign it to the wallet that pays network fees with it';
/** The wallets still have it in their balances. */
const MAYBE_FROM_COLD_ADDRESS = `${SENT_TO_PAYOUT_ADDRESS}, or dismiss it if it was swept before and comes back`;

/** No wallet lost it when it was swept. */
const FROM_COLD_ADDRESS = 'came back from a cold address, where it was swept to before';

/** The configured one, and those that earlier sweeps went to. */
async function coldAddresses(
  trx: Trx,
  { config }: Pick<Context, 'config'>,
  chain: ChainId,
): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    select distinct recipient from sweep where chain = ${chain} and recipient is not null`.execute(
    trx,
  );
  const all = [config.sweepTo[chain] ?? [], rows.map(({ recipient }) => recipient)].flat();
  return [...new Set(all.map((address) => address.toLowerCase()))];
}

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
  const cold = sent.length === 0 ? [] : await coldAddresses(trx, context, chain);
  const reason = cold.length === 0 ? SENT_TO_PAYOUT_ADDRESS : MAYBE_FROM_COLD_ADDRESS;
  const internal = await internalTxids(trx, chain, sent);
  const isExplained = await explainer(trx, chain, sent);
  for (const seen of sent) {
    const { block, watchKey, ...observation } = seen;
    if (block === null || observation.amount <= 0n || internal.has(observation.txid)) continue;
    if (await isExplained(seen)) continue;
    const money = { ...observation, address: watchKey, height: block.height };
    const isFrom = (sender: string): boolean =>
      observation.conflicts.some((input) => input.startsWith(`${sender}:`));
    if (cold.some(isFrom))
      await saveDismissed(trx, chain, { ...money, reason: FROM_COLD_ADDRESS }, at);
    else await saveUnassigned(trx, chain, { ...money, reason }, at);
  }
  for (const event of result.events)
    if (event.type === 'unexplained') await saveUnassigned(trx, chain, event.unexplained, at);
  const unlisted = result.events.flatMap((event) =>
    event.type === 'unlisted' ? [event.transfer] : [],
  );
  await saveUnlisted(trx, chain, unlisted, at);
}
