import { parseAmount } from '@crypto-checkout/protocol/amount';
import { equalInConstantTime, toHex } from '@crypto-checkout/protocol/bytes';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { z } from 'zod';
import { checkoutIdOf } from './ids.ts';
import { Terms } from './terms.ts';

/**
 * The order inside an invoice's `passthrough`. It restores a checkout from the invoice alone, after
 * a crash before the answer was stored, or without the store. Its MAC proves that the BFF wrote it.
 */
export const Envelope = z.object({
  checkout: z.string(),
  /** Identifies one attempt to create an invoice. */
  attempt: z.string(),
  profile: z.string(),
  network: z.string(),
  kind: z.string(),
  /**
   * The amount of this invoice in the order's currency: the whole order, or the rest after other
   * payments.
   */
  requested: z.string(),
  terms: Terms.extend({ order_id: z.string(), amount: z.string(), currency: z.string() }),
});
export type Envelope = z.infer<typeof Envelope>;

const Sealed = z.object({ crypto_checkout: Envelope, mac: z.string().regex(/^[0-9a-f]{64}$/) });

const MAX_LENGTH = 4096;

/** Members that are left out in this order when the envelope is too long for a passthrough. */
const OPTIONAL = ['passthrough', 'kinds', 'description', 'shop_url', 'success_url'] as const;

export async function sealEnvelope(
  envelope: Envelope,
  key: Uint8Array,
  hmac: Hmac,
): Promise<string> {
  let terms = envelope.terms;
  for (const name of [null, ...OPTIONAL]) {
    if (name !== null) terms = { ...terms, [name]: null };
    const candidate = { ...envelope, terms };
    const text = JSON.stringify({
      crypto_checkout: candidate,
      mac: toHex(await hmac(key, canonical(candidate))),
    });
    if (text.length <= MAX_LENGTH) return text;
  }
  throw new RangeError('the order does not fit into a passthrough');
}

/**
 * Reads an envelope; null for an invalid MAC or another text. A valid one may still be copied from
 * another invoice: see `envelopeMatches`.
 */
export async function openEnvelope(
  passthrough: string | null,
  key: Uint8Array,
  hmac: Hmac,
): Promise<Envelope | null> {
  if (passthrough === null || !passthrough.includes('crypto_checkout')) return null;
  let sealed;
  try {
    sealed = Sealed.safeParse(JSON.parse(passthrough));
  } catch {
    return null;
  }
  if (!sealed.success) return null;
  const expected = toHex(await hmac(key, canonical(sealed.data.crypto_checkout)));
  return equalInConstantTime(sealed.data.mac, expected) ? sealed.data.crypto_checkout : null;
}

export interface EnvelopedInvoice {
  kind: string;
  network: string;
  profile_id: string;
  amount: { requested: { amount: string; currency: string } | null };
}

/** Whether an envelope belongs to its invoice: same profile, network, coin, amount and order. */
export async function envelopeMatches(
  envelope: Envelope,
  invoice: EnvelopedInvoice,
  orderSecret: string,
  hmac: Hmac,
): Promise<boolean> {
  const requested = invoice.amount.requested;
  return (
    requested !== null &&
    envelope.profile === invoice.profile_id &&
    envelope.network === invoice.network &&
    envelope.kind === invoice.kind &&
    envelope.terms.currency === requested.currency &&
    parseAmount(envelope.requested) === parseAmount(requested.amount) &&
    envelope.checkout === (await checkoutIdOf(envelope.terms.order_id, orderSecret, hmac))
  );
}

/** A text that does not depend on the order of members. */
function canonical(envelope: Envelope): string {
  const { checkout, attempt, profile, network, kind, requested, terms } = envelope;
  const {
    order_id,
    amount,
    currency,
    description,
    success_url,
    shop_url,
    kinds,
    source,
    passthrough,
  } = terms;
  const order = [
    order_id,
    amount,
    currency,
    description,
    success_url,
    shop_url,
    kinds,
    source,
    ...(passthrough === null ? [] : [passthrough]),
  ];
  return JSON.stringify([1, checkout, attempt, profile, network, kind, requested, order]);
}
