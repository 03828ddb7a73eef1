import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { presentExchange } from '../exchange/present.ts';
import type { ConversionView } from './store.ts';

/** A conversion in lists and in answers of create, update and delete. */
export function presentConversion(context: Context, view: ConversionView) {
  return {
    id: view.id,
    created_at: view.created_at,
    created_by: view.created_by,
    from_wallet: { id: view.from_wallet_id, name: view.from_wallet_name },
    from_kind: view.from_kind,
    to_wallet: { id: view.to_wallet_id, name: view.to_wallet_name },
    to_kind: view.to_kind,
    amount: view.amount_text,
    to_amount: formatAmount(parseAmount(view.to_amount)),
    exchange: presentExchange(context, view.exchange),
    status: view.status,
    is_approved: view.is_approved,
    approved_by: view.approved_by,
    ...(view.error === null ? {} : { error: view.error }),
  };
}

/** A conversion in the answer of a get. */
export function presentWholeConversion(context: Context, view: ConversionView) {
  return {
    ...presentConversion(context, view),
    transaction: view.transaction_id,
    payout: view.payout_id,
  };
}
