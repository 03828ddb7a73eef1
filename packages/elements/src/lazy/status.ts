/** Everything that choosing and paying do not need; loaded while the buyer reads. */
export { copied } from '../components/copy/copied-text.ts';
export { encodeQrFor } from '../components/qr/encode.ts';
export { announce } from '../status/announce.ts';
export { receivedAmount, paymentRate, paymentValue } from '../status/received.ts';
export { qrLabel } from '../status/qr-label.ts';
export {
  drawHolds,
  drawPaymentOptions,
  drawWarning,
  exchangeFee,
  exchangeNetwork,
} from '../status/exchange.ts';
export { drawRecipient, drawRecipientHint } from '../status/exchange-recipient.ts';
export {
  contactOf,
  drawContact,
  drawContinue,
  drawShopLink,
  startReturn,
} from '../status/return-to-shop.ts';
export {
  amountLabel,
  drawConfirmations,
  lateNote,
  paymentMark,
  confirmationsNeeded,
  noteText,
  stageSentence,
  exchangeWarning,
  lateWarning,
} from '../status/notes.ts';
export { drawAgain, drawProgress, headOf, leftText, troubleTitle } from '../status/trouble.ts';
export { drawInstead, drawNextSteps, pageName } from '../status/next-steps.ts';
export { drawCloseLink, mailText, sentText } from '../status/receipt.ts';
export { drawMoreTimeForm, holdsUntil } from '../status/renew.ts';
export { addStatusStyles, proofSheet, statusSheet } from '../status/sheet.ts';
export {
  formatTime,
  formatDuration,
  formatTimestamp,
  timeLeft,
  timeLeftText,
} from '../i18n/time.ts';
export { connectionText, drawFailure, drawProblems, errorText } from '../status/failure.ts';
export { statusTexts } from '../status/stage-texts.ts';
export { speakIn, liveRegionOf } from '../status/live-region.ts';
