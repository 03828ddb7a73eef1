/** What is not needed to choose and to pay; fetched while the buyer does. */
import { END } from './address.ts';
import { msg, str } from './locale.ts';
export { drawCopies, drawExtras } from './after/exchange.ts';
export { contactOf, drawContact, drawContinue, drawRedirect, leave } from './after/leave.ts';
export { amountLabel, drawConfirmations, drawNews, neededFor, newsOf, noteOf, sentenceFor } from './after/news.ts';
export { drawNext, pageName } from './after/next.ts';
export { drawClose, drawDetails, drawReceipt } from './after/receipt.ts';
export { afterSheet, dress, wear } from './after/sheet.ts';
export { clock, duration, moment, timeLeft } from './after/time.ts';
export { connection, drawFailure, drawTrouble, sentenceOfFailure } from './after/trouble.ts';
export { wordsAfter } from './after/words.ts';
export { copyByHand } from './copy-by-hand.ts';
export { speak, voiceOf } from './voice.ts';

/** A code that the server did not send; null without an encoder, or for a text too long: address and amount stand beside it. */
export async function encode(text: string): Promise<{ size: number; path: string } | null> {
  try {
    const { encodeQr } = await import('@crypto-checkout/protocol/qr');
    return encodeQr(text, { mask: 'fixed' });
  } catch {
    return null;
  }
}

/** What was copied; of what is long, both ends to compare. */
export const copied = (label: string, value: string): string =>
  value.length > 2 * END
    ? msg(str`Copied: ${label}. It begins with ${value.slice(0, END)} and ends with ${value.slice(-END)}. Compare after pasting.`, {
        id: 'address.said',
      })
    : msg(str`Copied: ${label}`, { id: 'copy.said' });
