import type { CheckoutPayment } from '@crypto-checkout/protocol/checkout';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { ONRAMP_PLACEHOLDERS } from '../../http/url-rules.ts';
import type { ServiceProfile } from '../../service/service.ts';

export interface OnrampOptions {
  onrampUrl: string | null;
  profile: ServiceProfile | null;
}

/**
 * The on-ramp link: the operator's URL with the payment filled in. It lets a buyer without coins
 * pay by card, straight to the payment's address. Null unless the profile has an on-ramp key and
 * the payment goes to an address without a tag.
 */
export function onrampOf(
  payment: CheckoutPayment,
  price: { currency: string } | null,
  { onrampUrl, profile }: OnrampOptions,
): string | null {
  const amount = payment.strings.amount;
  if (
    onrampUrl === null ||
    !profile?.onrampApiKey ||
    payment.address === null ||
    payment.tag !== null ||
    amount === null
  )
    return null;
  const members: Record<(typeof ONRAMP_PLACEHOLDERS)[number], string> = {
    api_key: profile.onrampApiKey,
    address: payment.address,
    amount,
    currency: price?.currency ?? '',
    symbol: payment.symbol,
    network: kindOf(payment.kind)?.chain ?? '',
  };
  return onrampUrl.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(members, name)
      ? encodeURIComponent(members[name as keyof typeof members])
      : whole,
  );
}
