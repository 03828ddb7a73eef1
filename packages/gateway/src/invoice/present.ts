import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { afterFee } from './match.ts';
import type { InvoiceRow, InvoiceView } from './store.ts';

/** An invoice with its transactions, in answers of get and create and in callbacks. */
export function presentInvoice(view: InvoiceView) {
  const transactions = view.transactions.map((transaction) => ({
    ...transaction,
    amount: plain(transaction.amount),
  }));
  return { ...presentListedInvoice(view), transactions };
}

/** An invoice in a list: without its transactions. */
export function presentListedInvoice(row: InvoiceRow) {
  const { id, kind, created_at, profile_id, ...rest } = presentEmbeddedInvoice(row);
  return {
    id,
    kind,
    created_at,
    expires_at: row.expires_at,
    profile_id,
    status: row.status,
    ...rest,
    order_id: row.order_id,
    proof: row.proof,
    ...(isBeside(row) ? { lightning_proof: row.lightning_proof } : {}),
    ...familyAddresses(row),
  };
}

/** An invoice inside a transaction: without status, expiry and transactions. */
export function presentEmbeddedInvoice(row: InvoiceRow) {
  const { id, kind, created_at, profile_id, notes, passthrough } = row;
  return {
    id,
    kind,
    created_at,
    profile_id,
    address: row.address !== null && row.tag !== null ? `${row.address}:${row.tag}` : row.address,
    lightning: presentLightning(row),
    network: row.is_testnet ? 'testnet' : 'mainnet',
    amount: presentAmount(row),
    custom_fee:
      row.fee_amount === null ? null : { amount: plain(row.fee_amount), currency: symbolOf(kind) },
    // The effective value, from the payload or the profile; lightning has no confirmations.
    min_confirmations: row.chain === 'lightning' ? null : row.required_confirmations,
    zero_conf_enabled: row.zero_conf_enabled,
    notes,
    passthrough,
  };
}

function presentAmount(row: InvoiceRow) {
  const currency = symbolOf(row.kind);
  const rate = row.rate_usd === null ? {} : { rate_usd: plain(row.rate_usd) };
  const gross = parseAmount(row.paid_total);
  const paidTotal = gross === 0n ? null : { amount: formatAmount(gross), currency };
  const fee = row.fee_amount === null ? null : parseAmount(row.fee_amount);
  return {
    requested: { amount: row.requested_text ?? '0', currency: row.requested_currency },
    invoiced: { amount: row.invoiced === null ? '0' : plain(row.invoiced), currency, ...rate },
    paid:
      fee === null || paidTotal === null
        ? paidTotal
        : { amount: formatAmount(afterFee(gross, fee, 0n)), currency },
    ...(fee === null ? {} : { paid_total: paidTotal }),
  };
}

/** A lightning request beside an address, until the first payment is seen. */
const isBeside = ({ chain, lightning, request_closed }: InvoiceRow): boolean =>
  chain !== 'lightning' && lightning !== null && !request_closed;

function presentLightning(row: InvoiceRow) {
  const { lightning, lnurl_invoice_id } = row;
  if (lightning === null || (row.chain !== 'lightning' && !isBeside(row))) return null;
  const { paymentRequest, paymentHash, lnurl } = lightning;
  return { payment_request: paymentRequest, payment_hash: paymentHash, lnurl, lnurl_invoice_id };
}

/** Further forms of the address, and an unlisted network, only for chains that have them. */
function familyAddresses({ x_address, public_address, evm }: InvoiceRow) {
  return {
    ...(x_address === null ? {} : { x_address }),
    ...(public_address === null ? {} : { public_address }),
    ...(evm === null ? {} : { evm }),
  };
}

/** The database returns all 18 decimals. */
const plain = (amount: string): string => formatAmount(parseAmount(amount));

const symbolOf = (kind: string): string => kindOf(kind)?.symbol ?? kind;
