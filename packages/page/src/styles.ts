import {
  CryptoAddress,
  CryptoAmount,
  CryptoCheckout,
  CryptoCoinPicker,
  CryptoCountdown,
  CryptoQr,
  CryptoStatus,
} from '@crypto-checkout/elements';
import * as after from '@crypto-checkout/elements/after';
import * as handOff from '@crypto-checkout/elements/hand-off';
import { provideAfter, provideHandOff } from '@crypto-checkout/elements/later';
import { styleHash } from './headers.ts';
import { PAGE_CSS } from './sheet.ts';

// A server draws every stage, and waits for nothing.
provideAfter(after);
provideHandOff(handOff);

const ELEMENTS = [CryptoCheckout, CryptoCoinPicker, CryptoAmount, CryptoAddress, CryptoQr, CryptoCountdown, CryptoStatus];

/** The styles that Lit writes for the elements: for each the texts of its sheets, one after the other. */
const ELEMENT_CSS = new Set(
  ELEMENTS.map(({ elementStyles }) => elementStyles.map((style) => ('cssText' in style ? style.cssText : '')).join('')),
);

/** Source expressions for a policy that lets the elements' styles through. */
export const ELEMENT_HASHES: readonly string[] = await Promise.all([...ELEMENT_CSS].map(styleHash));

/** The same for our own pages. */
export const PAGE_HASHES: string = [await styleHash(PAGE_CSS), ...ELEMENT_HASHES].join(' ');
