import { ALERT, CHECK, CLOCK } from '../styles/icons.ts';
import { msg } from '../i18n/locale.ts';
import type { StageTexts } from '../core/panel.ts';
import { AFTERWARDS, CHECKS, CROSS, EYE, HOURGLASS, PART, SHIELD } from './icons.ts';

/** Functions, because each text is translated when it is shown. */
const TEXTS: Readonly<Record<string, () => StageTexts>> = {
  // Of any amount; one with an amount begins with `send`.
  pay: () => ({
    title: msg('Send your payment', { id: 'pay.title' }),
    text: msg('Scan with your wallet, or copy the amount and address.', { id: 'pay.text' }),
  }),
  underpaid: () => ({
    title: msg('Partly paid', { id: 'underpaid.title' }),
    text: msg('Send what is still missing.', { id: 'underpaid.text' }),
    tone: 'warn',
    picture: PART,
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
  expired: () => ({
    title: msg('This price has expired', { id: 'expired.title' }),
    text: msg('Don’t send the old amount. Already paid? It isn’t lost; it will appear here.', {
      id: 'expired.text',
    }),
    tone: 'warn',
    picture: HOURGLASS,
  }),
  late: () => ({
    title: msg('Your payment arrived late', { id: 'late.title' }),
    text: msg('It arrived after the price expired. The shop can accept or refund it.', {
      id: 'late.text',
    }),
    tone: 'warn',
    picture: AFTERWARDS,
  }),
  held: () => ({
    title: msg('Your payment is being checked', { id: 'held.title' }),
    text: msg('The shop is reviewing it. There’s nothing you need to do.', { id: 'held.text' }),
    picture: SHIELD,
  }),
  failed: () => ({
    title: msg('The payment did not go through', { id: 'failed.title' }),
    text: msg('The network refused or replaced it. Check your wallet before paying again.', {
      id: 'failed.text',
    }),
    tone: 'bad',
    picture: CROSS,
  }),
  wrong_coin: () => ({
    title: msg('The payment did not go through', { id: 'failed.title' }),
    text: '',
    tone: 'warn',
    picture: ALERT,
  }),
  dropped: () => ({
    title: msg('Transaction dropped', { id: 'dropped.title' }),
    text: '',
    tone: 'warn',
    picture: ALERT,
  }),
  replaced: () => ({
    title: msg('Transaction replaced', { id: 'replaced.title' }),
    text: '',
    tone: 'warn',
    picture: ALERT,
  }),
  reversed: () => ({
    title: msg('Confirmation rolled back', { id: 'reversed.title' }),
    text: '',
    tone: 'warn',
    picture: AFTERWARDS,
  }),
  overpaid: () => ({
    title: msg('You paid too much', { id: 'overpaid.title' }),
    text: '',
    tone: 'warn',
    picture: CHECK,
  }),
  paid_twice: () => ({
    title: msg('You paid twice', { id: 'twice.title' }),
    text: '',
    tone: 'warn',
    picture: CHECKS,
  }),
  error: () => ({
    title: msg('Something went wrong', { id: 'error.title' }),
    text: '',
    tone: 'bad',
    picture: ALERT,
  }),
};

/** Texts of the stages after choosing, and of exceptional ones. */
export function statusTexts(stage: string): StageTexts | undefined {
  if (!stage) return undefined;
  if (Object.hasOwn(TEXTS, stage)) return TEXTS[stage]!();
  // A newer server may send a stage that this version has no text for.
  return {
    title: msg('Please wait', { id: 'wait.title' }),
    text: msg('We detected your payment and are waiting for news.', { id: 'wait.text' }),
    picture: CLOCK,
  };
}
