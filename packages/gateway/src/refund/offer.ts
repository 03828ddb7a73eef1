import {
  decimalsOf as decimalsIn,
  formatAmount,
  parseAmount,
} from '@crypto-checkout/protocol/amount';
import { offerRefund as schema } from '@crypto-checkout/protocol/schema/refund';
import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { invalid } from '../http/invalid.ts';
import { validate } from '../http/payload.ts';
import { getTransaction } from '../transaction/get.ts';
import type { TransactionView } from '../transaction/views.ts';
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
  await change(context, found, { refund_offer: amount === 0n ? null : formatAmount(amount) });
  return getTransaction(context, accountId, id);
}

/**
 * Records that the shop accepts a late payment, so that it cannot be refunded as late. Acceptance
 * and refund exclude each other: both lock the invoice. Repeating it changes nothing.
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
  await change(context, found, { late_accepted: true });
  return getTransaction(context, accountId, id);
}

async function change(
  context: Context,
  { id, invoice_id }: TransactionView,
  changed: { refund_offer: string | null } | { late_accepted: true },
): Promise<void> {
  await transact(context.db, async (trx) => {
    const { draft } = await lockMoney(trx, { transaction_id: id, invoice_id });
    if ('late_accepted' in changed && parseAmount(draft.row.refunded) > 0n)
      throw new ServiceError('InvalidState', 'A refund of the transaction was requested.');
    await trx.updateTable('transaction').set(changed).where('id', '=', id).execute();
  });
}
