/** Everything that choosing, paying and waiting need, in one file: it arrives in one answer. */
export * from '@crypto-checkout/elements/controller';
export * from '@crypto-checkout/elements/plain-hand-off';
export * from '@crypto-checkout/elements/marks';
export * from '@crypto-checkout/elements/picker';
export * from '@crypto-checkout/elements/status';
export { followTitle } from './tab.ts';
