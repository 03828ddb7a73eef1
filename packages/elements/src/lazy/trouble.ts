/** Everything beside a payment in full and in time; loaded when it happens. */
// They share code: a bundler keeps it in that file.
import './status.ts';

export { drawOtherAddress, drawRecipientHint, otherAddressText } from '../status/hints.ts';
export {
  exchangeWarning,
  lateNote,
  lateWarning,
  noteText,
  paymentMark,
  receiptMark,
  shownStage,
  stageSentence,
} from '../status/notes.ts';
export { receivedSum } from '../status/sums.ts';
export { troubleTexts } from '../status/trouble-texts.ts';
export {
  drawAgain,
  drawCheckLink,
  drawNotes,
  drawRenewForm,
  headOf,
  leftText,
  needsShopFirst,
  newlyGone,
  rowMark,
  troubleTitle,
} from '../status/trouble.ts';
