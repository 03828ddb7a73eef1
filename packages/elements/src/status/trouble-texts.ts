import { ALERT, CHECK } from '../styles/icons.ts';
import { msg } from '../i18n/locale.ts';
import type { StageTexts } from '../core/panel.ts';
import { CHECKS } from './icons.ts';

// Line drawings on a 24-unit grid.

/** underpaid */
export const PART = 'M12 3a9 9 0 1 0 9 9h-9z';
/** expired */
export const HOURGLASS =
  'M6 3h12M6 21h12M7.5 3c0 5 3 6.5 4.5 9-1.5 2.5-4.5 4-4.5 9m9-18c0 5-3 6.5-4.5 9 1.5 2.5 4.5 4 4.5 9';
/** late */
export const AFTERWARDS = 'M12 7v5l3 2M4 4v5h5M4.5 9a8.5 8.5 0 1 1-1 4.5';
/** held */
export const SHIELD = 'M12 3 4.5 6v5.5c0 4.5 3 7.5 7.5 9.5 4.5-2 7.5-5 7.5-9.5V6z';
/** failed */
export const CROSS = 'M12 3a9 9 0 1 0 .01 0zM9 9l6 6m0-6-6 6';

/** Functions, because each text is translated when it is shown. */
const TEXTS: Readonly<Record<string, () => StageTexts>> = {
  underpaid: () => ({
    title: msg('Partly paid', { id: 'underpaid.title' }),
    text: msg('Send what is still missing.', { id: 'underpaid.text' }),
    tone: 'warn',
    picture: PART,
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
    title: msg('Your payment is being confirmed again', { id: 'reversed.title' }),
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
};

/** Texts of the stages and notes beside a payment in full and in time. */
export const troubleTexts = (stage: string): StageTexts | undefined =>
  Object.hasOwn(TEXTS, stage) ? TEXTS[stage]!() : undefined;
