import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { storePayout } from '../payout/create.ts';
import type { Creator } from '../payout/new-payout.ts';
import { movePayout } from '../payout/transition.ts';
import { entitlementOf, obstacleOf, restOf } from './entitlement.ts';
import { lockMoney, settleMoney, withoutRefund, type LockedMoney } from './money.ts';
import { planRefund, receivedOf } from './plan.ts';
import { lockRefund, type RefundChange, type RefundRow } from './store.ts';
import { moveRefund } from './transition.ts';

export interface Approval {
  /** Recorded as `approved_by` of the payout. */
  by: { username: string; email: string | null };
  /** Further changes of the refund. */
  change?: RefundChange;
  /**
   * Runs first in the transaction; its error stops the approval.
   * @param usdValue the value now; null without an exchange rate
   */
  check?: (trx: Trx, usdValue: string | null) => Promise<void>;
}

/**
 * Approves a requested refund: creates its payout, which is approved with it, in one database
 * transaction. The worker sends the payout.
 * @throws ServiceError `InvalidState` if the refund or its money changed; `InsufficientFunds`; and
 * the errors of an invalid payout
 */
export async function approveRefund(
  context: Context,
  refund: RefundRow,
  { by, change = {}, check }: Approval,
): Promise<void> {
  const { id, account_id: accountId, address, destination_tag, network_fee_pays } = refund;
  const transaction = await context.db
    .selectFrom('transaction')
    .select(['kind', 'profile_id', 'wallet_id', 'invoice_id', 'amount', 'refunded'])
    .where('id', '=', refund.transaction_id)
    .executeTakeFirstOrThrow();
  const creator: Creator = { accountId, key: null };
  const amount = parseAmount(refund.amount);
  const left = restOf(transaction);
  const terms = { id, transaction, left, address, destination_tag, amount, network_fee_pays };
  const planned = await planRefund(context, creator, terms);
  await storePayout(context, creator, planned, async (trx, store) => {
    await check?.(trx, planned.payout.usd_value);
    const money = await lockMoney(trx, refund);
    const locked = await requireRequested(trx, id);
    requireReturnable(money, locked);
    const payout = await store();
    if (payout === null) throw wrongState('has a payout already');
    const at = timestamp(context.clock.now());
    await movePayout(trx, context, payout, [], { approved_at: at, approved_by: by });
    await moveRefund(trx, context, locked, 'approved', {
      ...change,
      payout_id: payout.id,
      received: formatAmount(receivedOf(planned)),
      usd_value: largerOf(refund.usd_value, planned.payout.usd_value),
      decided_at: at,
      decided_by: by,
    });
    await settleMoney(trx, context, money);
  });
  context.log.info({ event: 'refund_approved', refund_id: id, by: by.username }, 'refund approved');
}

/** Rejects a requested refund: its transaction counts again. */
export async function rejectRefund(
  context: Context,
  refund: RefundRow,
  by: { username: string; email: string | null },
): Promise<void> {
  const { id } = refund;
  await transact(context.db, async (trx) => {
    const money = await lockMoney(trx, refund);
    const locked = await requireRequested(trx, id);
    await moveRefund(trx, context, locked, 'rejected', {
      decided_at: timestamp(context.clock.now()),
      decided_by: by,
    });
    await settleMoney(trx, context, money);
  });
  context.log.info({ event: 'refund_rejected', refund_id: id, by: by.username }, 'refund rejected');
}

/** The limits count a refund at its highest value. */
export function largerOf(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return parseAmount(one) > parseAmount(other) ? one : other;
}

async function requireRequested(trx: Trx, id: string): Promise<RefundRow> {
  const locked = (await lockRefund(trx, id))!;
  if (locked.status !== 'requested')
    throw wrongState(`is ${locked.status}: only a requested refund can be approved or rejected`);
  return locked;
}

/** The chain may have taken the money back since the request. */
function requireReturnable({ facts, draft }: LockedMoney, refund: RefundRow): void {
  const obstacle = obstacleOf(draft.row);
  if (obstacle !== null)
    throw new ServiceError('InvalidState', `The transaction ${obstacle}; it can't be refunded.`);
  if (refund.cause !== 'excess') return;
  const entitled = entitlementOf(withoutRefund(facts, refund));
  if (entitled === null || entitled.amount < parseAmount(refund.amount))
    throw wrongState('is for an overpayment that no longer exists');
}

const wrongState = (what: string): ServiceError =>
  new ServiceError('InvalidState', `The refund ${what}.`);
