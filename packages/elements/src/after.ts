/** What is not needed to choose and to pay; fetched while the buyer does. */
import { END } from './address.ts';
import { msg, str } from './locale.ts';
import type { CryptoQr } from './qr.ts';
export { announce } from './after/announce.ts';
export { arrived, priceOf, worthOf } from './after/came.ts';
export { adviseOnEmpty, explain } from './after/advice.ts';
export { nameOfCode } from './after/code.ts';
export { drawCopies, drawExtras } from './after/exchange.ts';
export { contactOf, drawContact, drawContinue, drawWayBack, leave } from './after/leave.ts';
export {
  amountLabel,
  drawConfirmations,
  drawNews,
  lateFigures,
  markOf,
  neededFor,
  noteOf,
  sentenceFor,
  warningOf,
  warningOfLate,
} from './after/news.ts';
export { drawInstead, drawNext, pageName } from './after/next.ts';
export { drawClose } from './after/receipt.ts';
export { holdsUntil } from './after/renew.ts';
export { afterSheet, dress } from './after/sheet.ts';
export { advise, adviseOnNames } from './after/spelling.ts';
export { clock, duration, moment, timeLeft, wordsOfLeft } from './after/time.ts';
export { connection, drawFailure, drawTrouble, sentenceOfFailure } from './after/trouble.ts';
export { wordsAfter } from './after/words.ts';
export { speakFor, voiceOf } from './voice.ts';

/** A code that the server did not send; none without an encoder, or for a text too long: address and amount stand beside it. */
export async function encodeFor(element: CryptoQr, text: string): Promise<void> {
  try {
    const { encodeQr } = await import('@crypto-checkout/protocol/qr');
    const { size, path } = encodeQr(text, { mask: 'fixed' });
    if (text === element.value && !element.path) Object.assign(element, { size, path, made: path });
  } catch {
    // Told above.
  }
}

/** What was copied; of what is long, both ends to compare. */
export const copied = (label: string, value: string): string =>
  value.length > 2 * END
    ? msg(str`Copied: ${label}. It begins with ${value.slice(0, END)} and ends with ${value.slice(-END)}. Compare after pasting.`, {
        id: 'address.said',
      })
    : msg(str`Copied: ${label}`, { id: 'copy.said' });
