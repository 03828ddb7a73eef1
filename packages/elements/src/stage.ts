import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { Icon } from './icon.ts';
import { msg, str } from './locale.ts';
import { isPositive } from './number.ts';

/** The heading of a stage; one that is not known is no error. */
export function titleOf(stage: string): string {
  switch (stage) {
    case 'choose':
      return msg('Choose how to pay', { id: 'choose.title' });
    case 'pay':
      return msg('Send your payment', { id: 'pay.title' });
    case 'underpaid':
      return msg('Part of the amount has arrived', { id: 'underpaid.title' });
    case 'seen':
      return msg('We see your payment', { id: 'seen.title' });
    case 'paid':
      return msg('Paid', { id: 'paid.title' });
    case 'complete':
      return msg('Paid and final', { id: 'complete.title' });
    case 'expired':
      return msg('The time to pay has run out', { id: 'expired.title' });
    case 'late':
      return msg('Your payment arrived late', { id: 'late.title' });
    case 'held':
      return msg('Your payment is being checked', { id: 'held.title' });
    case 'failed':
      return msg('The payment did not go through', { id: 'failed.title' });
    default:
      return msg('Please wait', { id: 'wait.title' });
  }
}

/** What a stage means for the buyer, and what to do next. */
export function sentenceOf(stage: string): string {
  switch (stage) {
    case 'choose':
      return msg('The exact amount is fixed once you have chosen a coin.', { id: 'choose.text' });
    case 'pay':
      return msg('Scan the code with your wallet, or copy amount and address.', { id: 'pay.text' });
    case 'underpaid':
      return msg('Please send what is still missing.', { id: 'underpaid.text' });
    case 'seen':
      return msg('Now the network confirms it. You can leave this page open or come back later.', { id: 'seen.text' });
    case 'paid':
      return msg('Thank you. Your payment has arrived, and the shop knows.', { id: 'paid.text' });
    case 'complete':
      return msg('Thank you. Nothing more is needed.', { id: 'complete.text' });
    case 'expired':
      return msg('Please do not send to the old amount. If you have paid already, your money is not lost: it will show up here.', {
        id: 'expired.text',
      });
    case 'late':
      return msg('The money is there, but it came after the price had run out. Please ask the shop what happens next.', {
        id: 'late.text',
      });
    case 'held':
      return msg('The shop looks at it first. You do not have to do anything.', { id: 'held.text' });
    case 'failed':
      return msg('The network refused the payment or replaced it. Please look into your wallet before you pay again.', {
        id: 'failed.text',
      });
    default:
      return msg('We see your payment and are waiting for news.', { id: 'wait.text' });
  }
}

/** How a stage looks: its tone, and its picture where nothing else is shown. */
export function lookOf(stage: string): ['wait' | 'good' | 'warn' | 'bad', Icon?] {
  switch (stage) {
    case 'choose':
    case 'pay':
      return ['wait'];
    case 'paid':
    case 'complete':
      return ['good', 'check'];
    case 'underpaid':
    case 'expired':
    case 'late':
      return ['warn', 'alert'];
    case 'failed':
    case 'error':
      return ['bad', 'alert'];
    default:
      return ['wait', 'clock'];
  }
}

/** What else the buyer should know, told as it is. */
export function noteOf(note: string): string | null {
  switch (note) {
    case 'overpaid':
      return msg('More than the amount has arrived. Please ask the shop about the rest.', { id: 'note.overpaid' });
    case 'wrong_coin':
      return msg('Another coin arrived at this address. It does not count towards this payment; please ask the shop.', {
        id: 'note.wrong_coin',
      });
    case 'replaced':
      return msg('A transaction was replaced by another one in your wallet and does not count.', { id: 'note.replaced' });
    case 'reusable':
      return msg('You can send any amount to this address, as often as you like.', { id: 'note.reusable' });
    case 'paid_twice':
      return msg('This order was paid more than once. Please ask the shop to return what is too much.', { id: 'note.paid_twice' });
    case 'test_network':
      return msg('Test network: these coins have no value.', { id: 'note.test_network' });
    default:
      return null;
  }
}

/** The sentence of this checkout: with figures where they are known. */
export function sentenceFor({ stage, payment }: Checkout): string {
  if (stage === 'underpaid' && payment && isPositive(payment.remaining) && isPositive(payment.paid)) {
    const [paid, remaining] = [`${payment.paid} ${payment.symbol}`, `${payment.remaining} ${payment.symbol}`];
    return msg(str`${paid} has arrived. Please send the remaining ${remaining}.`, { id: 'underpaid.figures' });
  }
  return sentenceOf(stage);
}
