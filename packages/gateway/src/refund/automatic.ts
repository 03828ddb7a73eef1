import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { approveRefund, largerOf } from './approve.ts';
import {
  automaticSince,
  dueRefunds,
  findRefunds,
  lockRefund,
  saveRefund,
  type RefundView,
} from './store.ts';

/** Refunds of one cycle; the next cycle takes the rest. */
const LIMIT = 100;
const DAY_MS = 24 * 60 * 60 * 1000;
const APPROVER = { username: 'REFUNDS=auto', email: null };

/**
 * Approves small proven refunds under `REFUNDS=auto`. A refund beyond a limit, or one that cannot
 * be paid now, waits for the shop. A node that does not answer leaves it for the next cycle.
 */
export async function approveDueRefunds(context: Context): Promise<void> {
  if (context.config.refunds !== 'auto') return;
  for (const id of await dueRefunds(context.db, LIMIT)) {
    const [refund] = await findRefunds(context.db, [id]);
    if (refund) await decide(context, refund);
  }
}

async function decide(context: Context, refund: RefundView): Promise<void> {
  try {
    await approveRefund(context, refund, {
      by: APPROVER,
      change: { automatic: 'done' },
      check: (trx, usdValue) => requireWithinLimits(trx, context, refund, usdValue),
    });
  } catch (error) {
    const { id } = refund;
    if (!(error instanceof ServiceError) || error.reason === 'RateUnavailable') {
      context.log.warn(
        { event: 'refund_attempt_failed', err: error, refund_id: id },
        'automatic refund failed, will retry',
      );
      return;
    }
    await leaveToShop(context, id);
    context.log.info(
      { event: 'refund_left_to_shop', refund_id: id, why: error.message },
      'refund waits for an approval',
    );
  }
}

/**
 * The higher of the values at the request and now decides: no change of a price lets a large refund
 * pass. Without an exchange rate the refund waits.
 */
async function requireWithinLimits(
  trx: Trx,
  { config, clock }: Context,
  { account_id, is_proven, usd_value }: RefundView,
  usdValueNow: string | null,
): Promise<void> {
  if (usdValueNow === null)
    throw new ServiceError('RateUnavailable', 'There is no exchange rate for the refund now.');
  const since = timestamp(clock.now() - DAY_MS);
  const earlier = parseAmount(await automaticSince(trx, account_id, since));
  const value = parseAmount(largerOf(usd_value, usdValueNow)!);
  if (!is_proven || usd_value === null || value > config.refundAutoMax)
    throw overLimit('REFUND_AUTO_MAX');
  if (earlier + value > config.refundAutoDailyMax) throw overLimit('REFUND_AUTO_DAILY_MAX');
}

const overLimit = (setting: string): ServiceError =>
  new ServiceError('InvalidState', `The refund exceeds ${setting}.`);

async function leaveToShop({ db, clock }: Context, id: string): Promise<void> {
  await transact(db, async (trx) => {
    const refund = await lockRefund(trx, id);
    if (refund?.automatic !== 'due') return;
    const { status, events } = refund;
    const updated_at = timestamp(clock.now());
    await saveRefund(trx, refund, { status, events, updated_at, automatic: 'no' });
  });
}
