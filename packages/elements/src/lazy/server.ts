/** The status module, with what servers write besides: texts, receipts and style sheets. */
export * from './status.ts';
export * from './trouble.ts';
export { hasBoth, inWalletUnit } from '../core/payment.ts';
export { hasRunOut } from '../core/run-out.ts';
export { coinText } from '../status/details.ts';
export { receivedAmount, paymentRate, paymentValue } from '../status/received.ts';
export { contactOf, drawContinue } from '../status/return-to-shop.ts';
export { mailText, sentText } from '../status/receipt.ts';
export { holdsUntil } from '../status/renew.ts';
export { proofSheet } from '../status/sheet.ts';
export { formatDuration, formatTime, formatTimestamp } from '../i18n/time.ts';
export { sentences } from '../i18n/sentences.ts';
