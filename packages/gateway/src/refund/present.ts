import { parseAmount } from '@crypto-checkout/protocol/amount';
import { shownAmount } from './entitlement.ts';
import type { RefundView } from './store.ts';

/** A refund in answers and callbacks (docs/interface.md, "Refund fields"). */
export const presentRefund = (view: RefundView) => ({ id: view.id, ...presentContent(view) });

/** An estimate is not stored, so it has no id. */
export const presentEstimate = (view: Omit<RefundView, 'id' | 'version' | 'number'>) => ({
  id: null,
  ...presentContent(view),
});

function presentContent(view: Omit<RefundView, 'id' | 'version' | 'number'>) {
  return {
    transaction_id: view.transaction_id,
    invoice_id: view.invoice_id,
    profile_id: view.profile_id,
    payout_id: view.payout_id,
    kind: view.kind,
    status: view.status,
    cause: view.cause,
    address: view.address,
    destination_tag: view.destination_tag,
    amount: shownAmount(view, parseAmount(view.amount)),
    received: shownAmount(view, parseAmount(view.received)),
    network_fee_pays: view.network_fee_pays,
    is_proven: view.is_proven,
    reference_id: view.reference_id,
    reason: view.reason,
    txid: view.txid,
    error: view.error ?? view.payout_error,
    network: view.is_testnet ? 'testnet' : 'mainnet',
    created_at: view.created_at,
    updated_at: view.updated_at,
  };
}
