import { AmountError } from '@crypto-checkout/protocol/amount';
import type { PaymentSource } from '@crypto-checkout/protocol/checkout';
import type { Kind } from '@crypto-checkout/protocol/kind';
import { type PaymentStrings, PaymentStringError, paymentStrings } from '@crypto-checkout/protocol/payment-string';
import { encodeQr, QrError } from '@crypto-checkout/protocol/qr';
import type { CheckoutInvoice } from './record.ts';

/** The payment strings of an invoice for what is still due; null when the service says nothing that can be paid to. */
export function stringsOf(invoice: CheckoutInvoice, amount: string | null): PaymentStrings | null {
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
    });
  } catch (error) {
    if (error instanceof PaymentStringError || error instanceof AmountError) return null;
    throw error;
  }
}

/**
 * What the QR holds. Exchanges read nothing but an address, so theirs is bare; but a QR never loses XRP's tag, and a lightning request
 * has everything inside.
 */
export function qrText(kind: Kind, strings: PaymentStrings, from: PaymentSource): string {
  if (from === 'wallet' || kind.chain === 'lightning') return strings.qrFull;
  return kind.paymentString === 'xrp' ? strings.qr : strings.addressOnly;
}

const MAX_CODES = 1000;
const codes = new Map<string, { size: number; path: string }>();

/** Drawing a code takes a millisecond or two, so that each text is drawn once. */
export function qrOf(text: string): { size: number; path: string } {
  const known = codes.get(text);
  if (known) return known;
  if (codes.size >= MAX_CODES) for (const key of [...codes.keys()].slice(0, MAX_CODES / 2)) codes.delete(key);
  const code = drawn(text);
  codes.set(text, code);
  return code;
}

function drawn(text: string): { size: number; path: string } {
  try {
    return encodeQr(text);
  } catch (error) {
    if (error instanceof QrError) return { size: 0, path: '' };
    throw error;
  }
}
