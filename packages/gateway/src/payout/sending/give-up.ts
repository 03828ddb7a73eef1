import type { ChainSender } from '@crypto-checkout/chains/sender';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { Context } from '../../context.ts';
import { timestamp, transact } from '../../database/database.ts';
import { guardLease, releaseLease, waitForLease, type Lease } from '../../database/lease.ts';
import { closeOutgoing } from '../../engine/sending/outcome-store.ts';
import { sendingLease } from '../../engine/sending/send.ts';
import { lookUpSent } from '../../engine/sending/track.ts';
import { ServiceError, UnavailableError } from '../../http/error.ts';
import { releaseFunds } from '../hold.ts';
import { isEnded } from '../state.ts';
import { findPayouts, lockPayout, type PayoutView } from '../store.ts';
import { movePayout } from '../transition.ts';

const GIVEN_UP = 'An operator gave it up: the lightning node has no record of its payment';

/**
 * Ends a payout without a record at the node (docs/run/lightning.md, "A payment without a record"):
 * it fails, and its funds return. The operator decides that nobody was paid; the node is asked once
 * more. A record that it shows within a week repairs the payout, as that of any failed one.
 * @throws ServiceError `InvalidState` for any other payout
 * @throws UnavailableError if the node does not answer
 */
export async function giveUpPayout(
  context: Context,
  { username }: { username: string },
  payout: PayoutView,
): Promise<PayoutView> {
  const { id, chain } = payout;
  const sender = context.senders.get(chain);
  if (sender === undefined)
    throw new UnavailableError(`Nothing sends on ${CHAINS[chain].name} now`);
  // The worker of the chain neither looks the payout up nor sends it meanwhile.
  const signal = AbortSignal.timeout(LEASE_MS);
  const lease = await waitForLease(context.db, sendingLease(chain), context.ids.uuid(), signal);
  if (lease === null) throw new UnavailableError('The payouts are being sent now; try again');
  try {
    await requireLost(context, sender, payout);
    await end(context, lease, id);
  } finally {
    await releaseLease(context.db, lease).catch(() => {});
  }
  context.log.info(
    { event: 'payout_given_up', payout_id: id, by: username },
    'a payout without a record at its node was given up',
  );
  return (await findPayouts(context.db, [id]))[0]!;
}

const LEASE_MS = 30_000;

async function requireLost(
  context: Context,
  sender: ChainSender,
  { id, status }: PayoutView,
): Promise<void> {
  const found = isEnded(status) ? null : await lookUpSent(context, sender, id);
  if (found?.state === 'unseen' && found.lost !== undefined) return;
  throw new ServiceError(
    'InvalidState',
    `The payout is ${status}: only one whose payment the lightning node has no record of can be given up, once the node had begun it or its request ran out.`,
  );
}

async function end(context: Context, lease: Lease, id: string): Promise<void> {
  const at = timestamp(context.clock.now());
  await transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const payout = await lockPayout(trx, id);
    if (payout === null || isEnded(payout.status)) return;
    if (payout.hold === 'held') await releaseFunds(trx, payout, at);
    await closeOutgoing(trx, id, null);
    const hold = payout.hold === 'held' ? ('released' as const) : payout.hold;
    await movePayout(trx, context, payout, ['failed'], { error: GIVEN_UP, hold });
  });
}
