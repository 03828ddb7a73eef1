import { AmountError } from '@crypto-checkout/protocol/amount';
import {
  type PaymentStrings,
  PaymentStringError,
  paymentStrings,
} from '@crypto-checkout/protocol/payment-string';
import { encodeQr, QrError } from '@crypto-checkout/protocol/qr';
import type { CheckoutInvoice } from '../repository/record.ts';

/** The payment strings of an invoice for the amount due; null when it has no payable address. */
export function invoicePaymentStrings(
  invoice: CheckoutInvoice,
  amount: string | null,
): PaymentStrings | null {
  try {
    return paymentStrings({
      kind: invoice.kind,
      address: invoice.address,
      xAddress: invoice.x_address,
      publicAddress: invoice.public_address,
      lightning: invoice.lightning,
      amount,
      network: invoice.network === 'mainnet' ? 'mainnet' : 'testnet',
      expiresAt: invoice.expires_at,
      ...(invoice.evm && { evmChainId: invoice.evm.chain_id, contract: invoice.evm.contract }),
    });
  } catch (error) {
    if (error instanceof PaymentStringError || error instanceof AmountError) return null;
    throw error;
  }
}

const MAX_CODES = 1000;
const codes = new Map<string, { size: number; path: string }>();

/** Encoding takes a millisecond or two: cache the result by text. */
export function cachedQr(text: string): { size: number; path: string } {
  const cached = codes.get(text);
  if (cached) return cached;
  if (codes.size >= MAX_CODES)
    for (const key of [...codes.keys()].slice(0, MAX_CODES / 2)) codes.delete(key);
  const code = drawQr(text);
  codes.set(text, code);
  return code;
}

function drawQr(text: string): { size: number; path: string } {
  try {
    return encodeQr(text);
  } catch (error) {
    if (error instanceof QrError) return { size: 0, path: '' };
    throw error;
  }
}
