import {
  decimalsOf as decimalsIn,
  formatAmount,
  parseAmount,
} from '@crypto-checkout/protocol/amount';
import { offerRefund as schema } from '@crypto-checkout/protocol/schema/refund';
import { queueCallbacks } from '../callback/queue.ts';
import type { Context } from '../context.ts';
import { transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { invalid } from '../http/invalid.ts';
import { validate } from '../http/payload.ts';
import { getTransaction } from '../transaction/get.ts';
import { presentTransaction } from '../transaction/present.ts';
import { findTransactions, type TransactionView } from '../transaction/views.ts';
import { decimalsOf } from './entitlement.ts';
import { lockMoney } from './money.ts';

/**
 * Opens a transaction for a refund of at most an amount: the buyer can ask for it at their link.
 * Zero ends the offer. Repeating it changes nothing.
 * @throws ServiceError `NotFound`, `ValidationError` for an amount above what came
 */
export async function offerRefund(
  context: Context,
  accountId: string,
  id: string,
  input: unknown,
): Promise<TransactionView> {
  const { amount: text } = validate(schema, input);
  const found = await getTransaction(context, accountId, id);
  const decimals = decimalsOf(found);
  if (decimalsIn(text) > decimals) throw invalid('amount', `may have at most ${decimals} decimals`);
  const amount = parseAmount(text);
  const received = parseAmount(found.amount);
  if (amount > received)
    throw invalid('amount', `must be at most ${formatAmount(received)}, the received amount`);
  const refund_offer = amount === 0n ? null : formatAmount(amount);
  await transact(context.db, async (trx) => {
    await lockMoney(trx, { transaction_id: id, invoice_id: found.invoice_id });
    await trx.updateTable('transaction').set({ refund_offer }).where('id', '=', id).execute();
  });
  return getTransaction(context, accountId, id);
}

/**
 * Records that the shop accepts a late payment, so that it cannot be refunded as late. Acceptance
 * and refund exclude each other: both lock the invoice. A callback reports it in the same database
 * transaction. Repeating it changes nothing.
 * @throws ServiceError `NotFound`; `InvalidState` if the payment is not late, or has a refund
 */
export async function acceptLate(
  context: Context,
  accountId: string,
  id: string,
): Promise<TransactionView> {
  const found = await getTransaction(context, accountId, id);
  if (!found.late)
    throw new ServiceError('InvalidState', 'The transaction is not late: it counts by itself.');
  await transact(context.db, (trx) => storeAcceptance(trx, context, found));
  return getTransaction(context, accountId, id);
}

async function storeAcceptance(
  trx: Trx,
  context: Context,
  { id, invoice_id }: TransactionView,
): Promise<void> {
  const { draft } = await lockMoney(trx, { transaction_id: id, invoice_id });
  const { late_accepted, refunded, events } = draft.row;
  if (late_accepted) return;
  if (parseAmount(refunded) > 0n)
    throw new ServiceError('InvalidState', 'A refund of the transaction was requested.');
  const changed = { late_accepted: true, events: [...events, EVENT] };
  await trx.updateTable('transaction').set(changed).where('id', '=', id).execute();
  const [view] = await findTransactions(trx, [id]);
  if (!view) throw new Error(`Unknown transaction ${id}`);
  const { account_id: accountId, profile_id: profileId } = view;
  const shown = presentTransaction(view);
  await queueCallbacks(trx, context, [{ accountId, profileId, id, event: EVENT, shown }]);
}

const EVENT = 'transaction_late_accepted';
