/**
 * A lightning request is planned by one payout only, also after it failed: the node shows a payment
 * by the request's hash alone, so two payouts of one request could not be told apart.
 */
export const lightningOnce = `
create unique index outgoing_attempt_request on outgoing_attempt((plan->>'paymentHash'))
  where plan->>'family' = 'lightning';
`;
