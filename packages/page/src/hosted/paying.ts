/** Everything that choosing, paying and waiting need, in one file: it arrives in one answer. */
export * as controller from '@crypto-checkout/elements/controller';
export * as handOff from '@crypto-checkout/elements/plain-hand-off';
export * as marks from '@crypto-checkout/elements/marks';
export * as picker from '@crypto-checkout/elements/picker';
export * as status from '@crypto-checkout/elements/status';
export { followTitle } from './tab.ts';
