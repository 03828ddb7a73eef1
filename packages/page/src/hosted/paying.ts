/** Everything that choosing, paying and waiting need, in one file: it arrives in one answer. */
import { CheckoutController, claimOf, omitted } from '@crypto-checkout/elements/controller';
import { drawCoin, drawMark, drawNetwork, loadRareMarks } from '@crypto-checkout/elements/marks';
import type { PayingModule } from '@crypto-checkout/elements/lazy-registry';
import { chooseTexts, drawPicker } from '@crypto-checkout/elements/picker';
import {
  drawHandOff,
  drawPlainAddress,
  showCopyFeedback,
  startWatching,
} from '@crypto-checkout/elements/plain-hand-off';
import {
  addStatusStyles,
  amountLabel,
  announce,
  confirmationsNeeded,
  connectionText,
  copied,
  drawCloseLink,
  drawBroken,
  drawConfirmations,
  drawContact,
  drawInstead,
  drawMoreTimeForm,
  drawNextSteps,
  drawPaymentOptions,
  drawProblems,
  drawProgress,
  drawShopLink,
  encodeQrFor,
  errorText,
  liveRegionOf,
  loadStage,
  loadTroubleOf,
  qrLabel,
  speakIn,
  startReturn,
  statusTexts,
  timeLeft,
  timeLeftText,
  troubleIn,
} from '@crypto-checkout/elements/status';
import { loadPickerSheet } from './picker-sheet.ts';
import { followTitle } from './tab.ts';

// Our page checks no proofs, which would come from the same server as its script. In a frame the
// views go to the shop's page, which may.
if (!document.documentElement.hasAttribute('data-frame')) omitted.push('proof');

/** With the hosted page's own part. */
export interface Paying extends PayingModule {
  claimOf: typeof claimOf;
  followTitle(): void;
  loadPickerSheet(): Promise<void>;
}

/** One object: the bundler would write a function for each single export. */
export const paying: Paying = {
  CheckoutController,
  addStatusStyles,
  amountLabel,
  announce,
  chooseTexts,
  claimOf,
  confirmationsNeeded,
  connectionText,
  copied,
  drawCloseLink,
  drawCoin,
  drawConfirmations,
  drawContact,
  // The page begins with a checkout: only drawing it can fail.
  drawFailure: drawBroken,
  drawHandOff,
  drawInstead,
  drawMoreTimeForm,
  drawMark,
  drawNetwork,
  drawNextSteps,
  drawPaymentOptions,
  drawPicker,
  drawPlainAddress,
  drawProblems,
  drawProgress,
  drawShopLink,
  encodeQrFor,
  errorText,
  followTitle,
  liveRegionOf,
  loadPickerSheet,
  loadRareMarks,
  loadStage,
  loadTroubleOf,
  qrLabel,
  showCopyFeedback,
  speakIn,
  startReturn,
  startWatching,
  statusTexts,
  timeLeft,
  timeLeftText,
  troubleIn,
};
