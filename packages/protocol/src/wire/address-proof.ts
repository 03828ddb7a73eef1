import type { Network } from './status.ts';

/**
 * The payment service's signature over one payment request: Ed25519, base64url without padding.
 * Without a text that can be signed there is no proof.
 */
export interface AddressProof {
  /** JWK thumbprint (RFC 7638) of the public key. */
  kid: string;
  signature: string;
}

/**
 * The values that an address proof signs. Each text is exactly as the invoice resource writes it.
 */
export interface SignedPayment {
  invoiceId: string;
  /** Null for an invoice without an order. */
  orderId: string | null;
  requested: { amount: string; currency: string };
  kind: string;
  network: Network | (string & {});
  /** The address without a tag, or the lightning request. */
  target: string;
  /** Destination tag. */
  tag: string | null;
  /** In the coin. */
  invoiced: string;
  expiresAt: string | null;
}

/** The first line, so that a signature means nothing in any other place. */
const PURPOSE = 'crypto-checkout-address-v1';

/**
 * The text of an address proof: one value a line, no line break at the end.
 * @returns null when a value has a control character, which could pretend to be another line
 * @example addressProofText({invoiceId: '8f1a…', orderId: '1001', …})
 */
export function addressProofText(payment: SignedPayment): string | null {
  const { requested, orderId, tag, expiresAt } = payment;
  const lines = [
    PURPOSE,
    payment.invoiceId,
    orderId ?? '',
    requested.amount,
    requested.currency,
    payment.kind,
    payment.network,
    payment.target,
    tag ?? '',
    payment.invoiced,
    expiresAt ?? '',
  ];
  return lines.some((line) => /\p{Cc}/u.test(line)) ? null : lines.join('\n');
}
