import { ALERT, CHECK, CLOCK } from '../styles/icons.ts';
import { msg } from '../i18n/locale.ts';
import type { StageTexts } from '../core/panel.ts';
import { AFTERWARDS, CHECKS, CROSS, EYE, HOURGLASS, PART, SHIELD } from './icons.ts';

/** Functions, because each text is translated when it is shown. */
const TEXTS: Readonly<Record<string, () => StageTexts>> = {
  underpaid: () => ({
    title: msg('Part of the amount has arrived', { id: 'underpaid.title' }),
    text: msg('Please send what is still missing.', { id: 'underpaid.text' }),
    tone: 'warn',
    picture: PART,
  }),
  seen: () => ({
    title: msg('We see your payment', { id: 'seen.title' }),
    text: msg('Now the network confirms it. You can leave this page open or come back later.', {
      id: 'seen.text',
    }),
    picture: EYE,
  }),
  paid: () => ({
    title: msg('Paid', { id: 'paid.title' }),
    // The text does not mention the shop, whose webhook may still be failing.
    text: msg('Thank you. Nothing more is needed.', { id: 'paid.text' }),
    tone: 'good',
    picture: CHECK,
  }),
  complete: () => ({
    title: msg('Paid and final', { id: 'complete.title' }),
    text: msg('Thank you. This payment can no longer be undone.', { id: 'complete.text' }),
    tone: 'good',
    picture: CHECKS,
  }),
  expired: () => ({
    title: msg('The time to pay has run out', { id: 'expired.title' }),
    text: msg(
      'Please do not send to the old amount. If you have paid already, your money is not lost: it will show up here.',
      {
        id: 'expired.text',
      },
    ),
    tone: 'warn',
    picture: HOURGLASS,
  }),
  late: () => ({
    title: msg('Your payment arrived late', { id: 'late.title' }),
    text: msg(
      'The money is there, but it came after the price had run out. Please ask the shop what happens next.',
      {
        id: 'late.text',
      },
    ),
    tone: 'warn',
    picture: AFTERWARDS,
  }),
  held: () => ({
    title: msg('Your payment is being checked', { id: 'held.title' }),
    text: msg('The shop looks at it first. You do not have to do anything.', { id: 'held.text' }),
    picture: SHIELD,
  }),
  failed: () => ({
    title: msg('The payment did not go through', { id: 'failed.title' }),
    text: msg(
      'The network refused the payment or replaced it. Please look into your wallet before you pay again.',
      {
        id: 'failed.text',
      },
    ),
    tone: 'bad',
    picture: CROSS,
  }),
  error: () => ({
    title: msg('This did not work', { id: 'error.title' }),
    text: '',
    tone: 'bad',
    picture: ALERT,
  }),
};

/** Texts of the stages after paying, and of exceptional ones. */
export function statusTexts(stage: string): StageTexts | undefined {
  if (!stage) return undefined;
  if (Object.hasOwn(TEXTS, stage)) return TEXTS[stage]!();
  // A newer server may send a stage that this version has no text for.
  return {
    title: msg('Please wait', { id: 'wait.title' }),
    text: msg('We see your payment and are waiting for news.', { id: 'wait.text' }),
    picture: CLOCK,
  };
}
