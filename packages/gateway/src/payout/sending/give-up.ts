import { requestEnd } from '@crypto-checkout/chains/lightning/request-end';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { CHAINS } from '@crypto-checkout/protocol/kind';
import type { Context } from '../../context.ts';
import { milliseconds, timestamp, transact } from '../../database/database.ts';
import {
  guardLease,
  keepLease,
  releaseLease,
  waitForLease,
  type Lease,
} from '../../database/lease.ts';
import { closeOutgoing } from '../../engine/sending/outcome-store.ts';
import { findOutgoing, type Outgoing } from '../../engine/sending/outgoing-store.ts';
import { sendingLease } from '../../engine/sending/send.ts';
import { lookUpSent } from '../../engine/sending/track.ts';
import { ServiceError, UnavailableError } from '../../http/error.ts';
import { releaseFunds } from '../hold.ts';
import { isEnded } from '../state.ts';
import { findPayouts, lockPayout, type PayoutView } from '../store.ts';
import { movePayout } from '../transition.ts';
import { LOST_PAGE } from './fee-rise.ts';

const GIVEN_UP = 'An operator gave it up: the lightning node has no record of its payment';

/**
 * Ends a payout without a record at the node (docs/run/lightning.md, "A payment without a record"):
 * it fails, and its funds return. The operator decides that nobody was paid; the node is asked once
 * more. A record that it shows within a week repairs the payout, as that of any failed one.
 * @throws ServiceError `InvalidState` for any other payout, and within two weeks
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
  const keeper = keepLease(context.db, lease);
  try {
    await requireLost(context, sender, payout);
    await requireLongAgo(context, payout);
    await end(context, lease, id);
  } finally {
    await keeper.stop();
    await releaseLease(context.db, lease).catch(() => {});
  }
  context.log.info(
    { event: 'payout_given_up', payout_id: id, by: username },
    'a payout without a record at its node was given up',
  );
  return (await findPayouts(context.db, [id]))[0]!;
}

const LEASE_MS = 30_000;

/** One that is `confirmed` was proven paid, and stays so without its record. */
const canBeLost = ({ status }: Pick<PayoutView, 'status'>): boolean =>
  !isEnded(status) && status !== 'confirmed';

async function requireLost(
  context: Context,
  sender: ChainSender,
  payout: PayoutView,
): Promise<void> {
  const found = canBeLost(payout) ? await lookUpSent(context, sender, payout.id) : null;
  if (found?.state === 'unseen' && found.lost !== undefined) return;
  throw new ServiceError(
    'InvalidState',
    `The payout is ${payout.status}: only one whose payment the lightning node has no record of can be given up, once the node had begun it or its request ran out.`,
  );
}

/** A route can hold a payment for this long. */
const HELD_MS = 14 * 24 * 60 * 60 * 1000;

async function requireLongAgo(context: Context, payout: PayoutView): Promise<void> {
  const outgoing = (await findOutgoing(context.db, payout.id))!;
  const from = begunBefore(payout, outgoing) + HELD_MS;
  if (context.clock.real() >= from) return;
  throw new ServiceError(
    'InvalidState',
    `The payout can be given up from ${new Date(from).toISOString()} on, two weeks after its node may have begun it: a route can hold a payment until then (${LOST_PAGE}).`,
  );
}

/** Until the node confirms a payment, it is handed over again as long as its request holds. */
function begunBefore(
  { executed_at: executedAt }: PayoutView,
  { attempts, result }: Outgoing,
): number {
  const times = attempts.map(({ plan, created_at_real: at }) =>
    result !== 'ok' && plan.family === 'lightning'
      ? requestEnd(plan.paymentRequest)
      : milliseconds(at),
  );
  return Math.max(...times, executedAt === null ? 0 : milliseconds(executedAt));
}

const NO_BLOCK = { block_height: null, block_hash: null, confirmations: 0 };

async function end(context: Context, lease: Lease, id: string): Promise<void> {
  const at = timestamp(context.clock.now());
  await transact(context.db, async (trx) => {
    await guardLease(trx, lease);
    const payout = await lockPayout(trx, id);
    if (payout === null || !canBeLost(payout)) return;
    if (payout.hold === 'held') await releaseFunds(trx, payout, at);
    await closeOutgoing(trx, id, null);
    const hold = payout.hold === 'held' ? ('released' as const) : payout.hold;
    await movePayout(trx, context, payout, ['failed'], { ...NO_BLOCK, error: GIVEN_UP, hold });
  });
}
