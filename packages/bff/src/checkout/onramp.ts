import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { ServiceProfile } from '../service/service.ts';

/** What an operator's address may leave open. */
export const ONRAMP_MEMBERS = ['api_key', 'address', 'amount', 'currency', 'symbol', 'network'] as const;

export interface OnrampOptions {
  onrampUrl: string | null;
  profile: ServiceProfile | null;
}

/**
 * Where a buyer without coins can buy them with a card, sent straight to the payment's address: the operator's address with the
 * payment filled in. Only where the profile has a key for it, and the coins go to an address (§2.8).
 */
export function onrampOf(
  payment: CheckoutPayment,
  price: { currency: string } | null,
  { onrampUrl, profile }: OnrampOptions,
): string | null {
  const amount = payment.strings.amount;
  if (onrampUrl === null || !profile?.onrampApiKey || payment.address === null || payment.tag !== null || amount === null) return null;
  const members: Record<(typeof ONRAMP_MEMBERS)[number], string> = {
    api_key: profile.onrampApiKey,
    address: payment.address,
    amount,
    currency: price?.currency ?? '',
    symbol: payment.symbol,
    network: kindOf(payment.kind)?.chain ?? '',
  };
  return onrampUrl.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(members, name) ? encodeURIComponent(members[name as keyof typeof members]) : whole,
  );
}
