import { ALERT, CHECK, CLOCK } from '../icon.ts';
import { msg } from '../locale.ts';
import type { Words } from '../stage.ts';
import { AFTERWARDS, CHECKS, CROSS, EYE, HOURGLASS, PART, SHIELD } from './pictures.ts';

/** The words for the stages after paying, and for those in which something went another way. */
export function wordsAfter(stage: string): Words | undefined {
  switch (stage) {
    case 'underpaid':
      return {
        title: msg('Part of the amount has arrived', { id: 'underpaid.title' }),
        text: msg('Please send what is still missing.', { id: 'underpaid.text' }),
        tone: 'warn',
        picture: PART,
      };
    case 'seen':
      return {
        title: msg('We see your payment', { id: 'seen.title' }),
        text: msg('Now the network confirms it. You can leave this page open or come back later.', { id: 'seen.text' }),
        picture: EYE,
      };
    case 'paid':
      return {
        title: msg('Paid', { id: 'paid.title' }),
        // Not that the shop knows: its webhook may refuse for a while.
        text: msg('Thank you. Nothing more is needed.', { id: 'paid.text' }),
        tone: 'good',
        picture: CHECK,
      };
    case 'complete':
      return {
        title: msg('Paid and final', { id: 'complete.title' }),
        text: msg('Thank you. This payment can no longer be undone.', { id: 'complete.text' }),
        tone: 'good',
        picture: CHECKS,
      };
    case 'expired':
      return {
        title: msg('The time to pay has run out', { id: 'expired.title' }),
        text: msg('Please do not send to the old amount. If you have paid already, your money is not lost: it will show up here.', {
          id: 'expired.text',
        }),
        tone: 'warn',
        picture: HOURGLASS,
      };
    case 'late':
      return {
        title: msg('Your payment arrived late', { id: 'late.title' }),
        text: msg('The money is there, but it came after the price had run out. Please ask the shop what happens next.', {
          id: 'late.text',
        }),
        tone: 'warn',
        picture: AFTERWARDS,
      };
    case 'held':
      return {
        title: msg('Your payment is being checked', { id: 'held.title' }),
        text: msg('The shop looks at it first. You do not have to do anything.', { id: 'held.text' }),
        picture: SHIELD,
      };
    case 'failed':
      return {
        title: msg('The payment did not go through', { id: 'failed.title' }),
        text: msg('The network refused the payment or replaced it. Please look into your wallet before you pay again.', {
          id: 'failed.text',
        }),
        tone: 'bad',
        picture: CROSS,
      };
    case 'error':
      return { title: msg('This did not work', { id: 'error.title' }), text: '', tone: 'bad', picture: ALERT };
    default:
      return stage
        ? {
            title: msg('Please wait', { id: 'wait.title' }),
            text: msg('We see your payment and are waiting for news.', { id: 'wait.text' }),
            picture: CLOCK,
          }
        : undefined;
  }
}
