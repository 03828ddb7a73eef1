/** Paying from an exchange; loaded once the buyer chooses it. */
// They share code: a bundler keeps it in that file.
import './trouble.ts';

export { drawHolds, drawWarning, exchangeFee, exchangeNetwork } from '../status/exchange.ts';
export { drawRecipient } from '../status/exchange-recipient.ts';
