import { ALERT, CHECK, CLOCK } from '../styles/icons.ts';
import { msg } from '../i18n/locale.ts';
import { trouble } from '../core/lazy-registry.ts';
import type { StageTexts } from '../core/panel.ts';
import { CHECKS, EYE } from './icons.ts';

/** Functions, because each text is translated when it is shown. */
const TEXTS: Readonly<Record<string, () => StageTexts>> = {
  // Of any amount; one with an amount begins with `send`.
  pay: () => ({
    title: msg('Send your payment', { id: 'pay.title' }),
    text: msg('Scan with your wallet, or copy the amount and address.', { id: 'pay.text' }),
  }),
  seen: () => ({
    title: msg('Payment detected', { id: 'seen.title' }),
    text: msg('Waiting for the network to confirm it. You can close this page.', {
      id: 'seen.text',
    }),
    picture: EYE,
  }),
  paid: () => ({
    title: msg('Payment complete', { id: 'paid.title' }),
    // The text does not mention the shop, whose webhook may still be failing.
    text: msg('Thanks, you’re all set.', { id: 'paid.text' }),
    tone: 'good',
    picture: CHECK,
  }),
  complete: () => ({
    title: msg('Payment complete', { id: 'complete.title' }),
    text: msg('Confirmed and final.', { id: 'complete.text' }),
    tone: 'good',
    picture: CHECKS,
  }),
  error: () => ({
    title: msg('Something went wrong', { id: 'error.title' }),
    text: '',
    tone: 'bad',
    picture: ALERT,
  }),
};

/** Texts of the stages after choosing. */
export function statusTexts(stage: string): StageTexts | undefined {
  if (!stage) return undefined;
  if (Object.hasOwn(TEXTS, stage)) return TEXTS[stage]!();
  // A newer server may send a stage that this version has no text for.
  return (
    trouble()?.troubleTexts(stage) ?? {
      title: msg('Please wait', { id: 'wait.title' }),
      text: msg('We detected your payment and are waiting for news.', { id: 'wait.text' }),
      picture: CLOCK,
    }
  );
}
