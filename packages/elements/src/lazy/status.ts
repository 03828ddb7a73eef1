/**
 * Everything that choosing and paying do not need; loaded while the buyer reads. Only what the
 * elements call: a lazy file keeps all that it exports.
 */
export { copied } from '../components/copy/copied-text.ts';
export { encodeQrFor } from '../components/qr/encode.ts';
export { announce } from '../status/announce.ts';
export { qrLabel } from '../status/qr-label.ts';
export { drawPaymentOptions } from '../status/payment-options.ts';
export { drawContact, drawShopLink, startReturn } from '../status/return-to-shop.ts';
export {
  amountLabel,
  confirmationsNeeded,
  drawConfirmations,
  drawProgress,
} from '../status/progress.ts';
export { drawInstead, drawNextSteps, pageName } from '../status/next-steps.ts';
export { drawCloseLink } from '../status/details.ts';
export { drawMoreTimeForm } from '../status/renew.ts';
export { addStatusStyles } from '../status/sheet.ts';
export { timeLeft, timeLeftText } from '../i18n/time.ts';
export {
  connectionText,
  drawBroken,
  drawFailure,
  drawProblems,
  errorText,
} from '../status/failure.ts';
export { loadStage, loadTroubleOf, troubleIn } from '../core/trouble.ts';
export { statusTexts } from '../status/stage-texts.ts';
export { liveRegionOf, speakIn } from '../status/live-region.ts';
