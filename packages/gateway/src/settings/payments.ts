import { setting } from '@crypto-checkout/protocol/schema/setting';
import { usDollars } from './us-dollars.ts';

/** Settings of incoming payments, for the table of all settings. */
export const PAYMENT_SETTINGS = {
  LARGE_PAYMENT: setting(
    '1000',
    usDollars,
    'Amount in US dollars from which a payment on a main network counts only at the final depth of its chain, where neither its invoice nor its profile states the confirmations. Smaller ones wait for the usual depth.',
  ),
  RPC_COMPARE_ABOVE: setting(
    '1000',
    usDollars,
    'Amount in US dollars above which a payment is complete only when a second provider of the chain has the same block. Needs two URLs of the chain, or its node and its ESPLORA_URL.',
  ),
};
