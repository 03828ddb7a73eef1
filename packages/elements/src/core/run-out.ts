import type { Checkout } from '@crypto-checkout/protocol/checkout';

/** Whether the time for the price is over; one without an end has no such time. */
export const hasRunOut = ({ payment, server_time }: Checkout): boolean =>
  Date.parse(payment?.expires_at ?? '') <= Date.parse(server_time);
