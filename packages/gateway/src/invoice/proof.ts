import { type AddressProof, addressProofText } from '@crypto-checkout/protocol/address-proof';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { type SealedProofKey, signText } from '../account/proof-key.ts';
import type { Context } from '../context.ts';
import type { InvoiceRow } from './store.ts';

/** The values of an invoice that its address proof signs. */
export type Provable = Pick<
  InvoiceRow,
  | 'id'
  | 'order_id'
  | 'requested_text'
  | 'requested_currency'
  | 'kind'
  | 'address'
  | 'tag'
  | 'lightning'
  | 'invoiced'
  | 'expires_at'
  | 'is_testnet'
>;

/** Signs the lightning request that an invoice has beside its address. */
export const proveRequest = (
  secrets: Context['secrets'],
  key: SealedProofKey | null,
  invoice: Provable,
): AddressProof | null =>
  invoice.address === null || invoice.lightning === null
    ? null
    : proveInvoice(secrets, key, {
        ...invoice,
        kind: 'BTC_LIGHTNING',
        address: null,
        tag: null,
      });

/**
 * Signs address and amount of an invoice, so that a page that pins the account's key can check
 * them.
 * @param key null before the account has one
 * @returns null without a key, without an address, and for a text with control characters
 */
export function proveInvoice(
  secrets: Context['secrets'],
  key: SealedProofKey | null,
  invoice: Provable,
): AddressProof | null {
  const { lightning } = invoice;
  const target = invoice.address ?? lightning?.paymentRequest ?? lightning?.lnurl ?? null;
  if (key === null || target === null) return null;
  const text = addressProofText({
    invoiceId: invoice.id,
    orderId: invoice.order_id,
    requested: { amount: invoice.requested_text ?? '0', currency: invoice.requested_currency },
    kind: invoice.kind,
    network: invoice.is_testnet ? 'testnet' : 'mainnet',
    target,
    tag: invoice.tag,
    invoiced: invoice.invoiced === null ? '0' : formatAmount(parseAmount(invoice.invoiced)),
    expiresAt: invoice.expires_at,
  });
  return text === null ? null : { kid: key.kid, signature: signText(secrets, key, text) };
}
