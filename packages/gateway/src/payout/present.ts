import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { PayoutView, RecipientRow } from './store.ts';

type PresentablePayout = Pick<
  PayoutView,
  | 'kind'
  | 'txid'
  | 'created_at'
  | 'approved_at'
  | 'executed_at'
  | 'profile_id'
  | 'wallet_id'
  | 'confirmations'
  | 'status'
  | 'is_testnet'
  | 'asset'
  | 'fee_asset'
  | 'total'
  | 'fee'
  | 'network_fee_pays'
  | 'network_fee_preset'
  | 'network_fee'
  | 'fee_rate'
  | 'passthrough'
  | 'reference_id'
  | 'sub_kind'
  | 'error'
  | 'approved_by'
  | 'recipients'
>;

/** A payout in answers and callbacks (docs/interface.md, "Payout fields"). */
export function presentPayout(view: PresentablePayout & { id: string }) {
  return { id: view.id, ...presentContent(view) };
}

/** An estimate is not stored, so it and its recipients have no ids. */
export function presentEstimate(view: PresentablePayout) {
  const shown = presentContent(view);
  return {
    id: null,
    ...shown,
    recipients: shown.recipients.map((recipient) => ({ ...recipient, id: null })),
  };
}

function presentContent(view: PresentablePayout) {
  return {
    kind: view.kind,
    txid: view.txid ?? '',
    created_at: view.created_at,
    approved_at: view.approved_at,
    executed_at: view.executed_at,
    profile_id: view.profile_id,
    wallet_id: view.wallet_id,
    confirmations: view.confirmations,
    status: view.status,
    network: view.is_testnet ? 'testnet' : 'mainnet',
    amount: {
      total: plain(view.total),
      network_fee: plain(view.fee),
      network_fee_currency: symbolOf(view.fee_asset),
    },
    network_fee_pays: view.network_fee_pays,
    network_fee_preset: view.network_fee_preset,
    // The requested rate, otherwise the rate of the preset.
    network_fee: view.network_fee ?? view.fee_rate,
    passthrough: view.passthrough,
    reference_id: view.reference_id,
    sub_kind: view.sub_kind,
    error: view.error,
    approved_by: view.approved_by,
    recipients: view.recipients.map((recipient) =>
      presentRecipient(recipient, symbolOf(view.asset)),
    ),
  };
}

function presentRecipient(recipient: RecipientRow, currency: string) {
  const {
    id,
    given_address,
    requested_text,
    requested_currency,
    amount,
    custom_fee,
    notes,
    destination_tag,
  } = recipient;
  return {
    id,
    address: given_address,
    amount: {
      requested: { amount: requested_text, currency: requested_currency },
      received: { amount: plain(amount), currency },
    },
    custom_fee,
    notes,
    ...(destination_tag === null ? {} : { destination_tag }),
  };
}

/** The database pads amounts to 18 decimals. */
const plain = (amount: string): string => formatAmount(parseAmount(amount));

const symbolOf = (asset: string): string => kindOf(asset)?.symbol ?? asset;
