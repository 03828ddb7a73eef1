import {
  type Checkout,
  type CheckoutReceived,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html } from 'lit';
import { msg, str } from '../i18n/locale.ts';
import { formatCoins, isPositive } from '../i18n/number.ts';
import type { Panel } from '../core/panel.ts';
import { drawNote } from '../components/checkout/note.ts';
import { stageTexts } from '../components/status/lazy-stage-texts.ts';
import { AMOUNT_STAGES, receivedText } from './progress.ts';
import { coinSum, receivedAmount, needsShop, isGone, isLate } from './received.ts';
import {
  countedSum,
  isAfterPrice,
  isLateReturn,
  isSent,
  isWrongCoin,
  lateAmount,
  overpaidAmount,
  returnedAmount,
  wrongCoinAmount,
} from './sums.ts';
import { isolated, sentences } from '../i18n/sentences.ts';

/** Late money that is on its way back, with no new price since. */
const isReturning = (one: CheckoutReceived, checkout: Checkout): boolean =>
  isLateReturn(one, checkout) && isAfterPrice(one, checkout) && !isSent(one, checkout);

/**
 * The stage to show: late money that goes back comes before the price that has expired, until it
 * was sent.
 */
export const shownStage = (checkout: Checkout): string =>
  checkout.stage === 'expired' && checkout.received.some((one) => isReturning(one, checkout))
    ? 'late'
    : checkout.stage;

/** The payments that a note is about, if it is about some. */
export const moneyOf = (note: string, checkout: Checkout): CheckoutReceived[] =>
  checkout.received.filter((one) =>
    note === 'wrong_coin' ? isWrongCoin(one, checkout) : one.status === note,
  );

/** Whether all money of a note was sent back. */
export function isSentBack(note: string, checkout: Checkout): boolean {
  const money = moneyOf(note, checkout);
  return money.length > 0 && money.every((one) => isSent(one, checkout));
}

/** Whether a payment is no reason to stop paying: it went back, or came before the price. */
export const isOver = (one: CheckoutReceived, checkout: Checkout): boolean =>
  isSent(one, checkout) ||
  Date.parse(one.created_at) < Date.parse(checkout.payment?.quoted_at ?? '');

/** Whether a note is about such payments alone. */
export function isPast(note: string, checkout: Checkout): boolean {
  const money = moneyOf(note, checkout);
  return money.length > 0 && money.every((one) => isOver(one, checkout));
}

/**
 * The stage's sentence with amounts, where they are known.
 * @param hasHints - The fields below it are drawn with their hints: the tag's is not said twice.
 */
export function stageSentence(checkout: Checkout, language: string, hasHints = false): string {
  const { stage, payment, coins } = checkout;
  if (stage === 'choose' && !coins.length)
    return msg('No coins are available right now.', { id: 'choose.none' });
  if (!payment) return '';
  const { remaining, renewable, symbol, from, tag } = payment;
  const received = receivedAmount(checkout, language);
  const sum = receivedText(received, language);
  if (stage === 'expired' && shownStage(checkout) === 'late')
    return lateFigures(returnedAmount(checkout, language));
  if (stage === 'late')
    return sentences(
      receivedText(lateAmount(checkout, language), language),
      stageTexts(stage).text,
    );
  // The price of the remainder has expired: sent now, it would be late.
  if (stage === 'underpaid' && renewable) {
    const { title, text } = stageTexts('expired');
    return sentences(sum, title, text);
  }
  // "Nothing more is needed" would contradict an open question for the shop.
  if (isPaidStage(stage) && needsShop(checkout)) return sentences(sum);
  if (stage === 'underpaid' && isPositive(remaining) && received) {
    const missing = coinSum(remaining, symbol, payment, language);
    const counted = countedSum(checkout, language) || received;
    return msg(str`${counted} received. Send ${missing} more.`, {
      id: 'underpaid.figures',
    });
  }
  if (stage !== 'pay' || from !== 'exchange') return '';
  // Below the exchange's minimum there is nothing to copy; the warning is shown instead.
  if (exchangeWarning(checkout, language)) return ' ';
  const copy = msg('Paste these into your exchange’s withdrawal form.', {
    id: 'exchange.text',
  });
  if (!tag || hasHints) return copy;
  const required = msg('Without this tag, your payment can’t be matched to your order.', {
    id: 'tag.hint',
  });
  return sentences(copy, `${msg('Destination tag', { id: 'tag' })}: ${required}`);
}

/** Warning that exchanges usually do not send such a small amount. */
export function exchangeWarning({ payment }: Checkout, language: string): string {
  if (!payment?.minimum_withdrawal) return '';
  const least = `${formatCoins(payment.minimum_withdrawal, language)} ${payment.symbol}`;
  return msg(str`Most exchanges won’t send less than ${least}. Use a wallet or another coin.`, {
    id: 'exchange.minimum',
  });
}

/** The same for a receipt, which says of every payment that does not count that it does not. */
export function receiptMark(
  payment: CheckoutReceived,
  checkout: Checkout,
  language: string,
): string {
  const mark = paymentMark(payment, checkout, language) ?? '';
  const isOpen =
    Boolean(checkout.order.amount) &&
    !payment.value &&
    !isGone(payment) &&
    payment.status !== 'quarantined' &&
    !mark.includes(uncountedText());
  return sentences(mark, isOpen && uncountedText());
}

/** The text of a note. */
export function noteText(note: string, checkout: Checkout, language: string): string | null {
  switch (note) {
    case 'overpaid': {
      if (hasRefund(checkout)) return overpaidTitle(checkout, language);
      const more = overpaidAmount(checkout, language);
      return more
        ? msg(str`You paid ${more} too much. Ask the shop to refund the difference.`, {
            id: 'overpaid.figures',
          })
        : msg('You paid too much. Ask the shop to refund the difference.', {
            id: 'note.overpaid',
          });
    }
    case 'wrong_coin':
      return wrongCoinNote(checkout, language);
    case 'replaced':
      return replacedText();
    case 'dropped':
      return droppedText(checkout.stage);
    case 'reversed':
      return msg('The network took a confirmation back; a new one usually comes within minutes.', {
        id: 'note.reversed',
      });
    case 'reusable':
      return msg('You can send any amount to this address, as often as you like.', {
        id: 'note.reusable',
      });
    case 'paid_twice':
      if (hasRefund(checkout)) return stageTexts(note).title;
      return msg('This order was paid more than once. Ask the shop to return the extra payment.', {
        id: 'note.paid_twice',
      });
    case 'late_accepted':
      return msg('Your late payment was accepted at the rate when it arrived.', {
        id: 'late.accepted',
      });
    case 'small_refund':
      return msg('This amount is smaller than the network fee, so it can’t be sent back.', {
        id: 'note.small_refund',
      });
    default:
      return null;
  }
}

const replacedText = (): string =>
  msg('Your wallet replaced this transaction, so it doesn’t count.', {
    id: 'note.replaced',
  });

/** Whether money goes back from this page: then the buyer need not ask the shop for it. */
export const hasRefund = ({ refundable, refunds }: Checkout): boolean =>
  Boolean(refundable?.length || refunds?.length);

/** Keeps number and unit of a heading in one line. */
const unbroken = (sum: string, language: string): string =>
  isolated(sum.replaceAll(/(?<=\d) (?!\+)/g, '\u00a0'), language);

/** "You paid 0.0003 BTC too much" */
export function overpaidTitle(checkout: Checkout, language: string): string {
  const more = overpaidAmount(checkout, language);
  return more && hasRefund(checkout)
    ? msg(str`You paid ${unbroken(more, language)} too much`, { id: 'overpaid.title.figures' })
    : stageTexts('overpaid').title;
}

/** "You sent 60 USDC, not USDT" */
export const wrongCoinTitle = (checkout: Checkout, language: string): string =>
  wrongCoinFigures(checkout, language) || stageTexts('failed').title;

/** The same; empty if it is unknown what came, or what was asked for then. */
function wrongCoinFigures(checkout: Checkout, language: string): string {
  const sent = wrongCoinAmount(checkout, language);
  const asked = askedInstead(checkout);
  if (!sent || !asked) return '';
  const { symbol, network } = asked;
  const came = unbroken(sent, language);
  // The same coin on another network.
  const isSameCoin = sent.endsWith(` ${symbol}`);
  const on = (coins: string, name: string): string =>
    msg(str`${coins} on ${name}`, { id: 'coin.on' });
  const [first, ...others] = moneyOf('wrong_coin', checkout);
  const hasOneNetwork = others.every((one) => one.network === first?.network);
  const what = isSameCoin && hasOneNetwork && first ? on(came, first.network) : came;
  const instead = isolated(isSameCoin ? on(symbol, network) : symbol, language);
  return msg(str`You sent ${what}, not ${instead}`, { id: 'wrong.title' });
}

/** The coin that was asked for when another one came, if it is one; the buyer may change it. */
function askedInstead(checkout: Checkout): CheckoutReceived['asked'] {
  const { payment } = checkout;
  const coins = moneyOf('wrong_coin', checkout).map(
    ({ asked, invoice_id }) => asked ?? (payment?.invoice_id === invoice_id ? payment : undefined),
  );
  const [first] = coins;
  return coins.every((coin) => coin?.symbol === first?.symbol && coin?.network === first?.network)
    ? first
    : undefined;
}

/** The note about another coin: first what came, then what follows from it. */
function wrongCoinNote(checkout: Checkout, language: string): string {
  const amount = wrongCoinAmount(checkout, language);
  const title = wrongCoinFigures(checkout, language);
  // It does not count: that means nothing any more once the order is paid, or the money is back.
  const isDone = isPaidStage(checkout.stage) || isSentBack('wrong_coin', checkout);
  if (isDone && title) return sentences(title, askShop(checkout));
  return title || !amount
    ? sentences(title, wrongCoinText(checkout))
    : `${isolated(amount, language)}: ${wrongCoinText(checkout)}`;
}

/** Consequences of money in another coin, for the order and for the buyer. */
export const wrongCoinText = (checkout: Checkout): string =>
  sentences(
    uncountedText(),
    ['pay', 'expired'].includes(checkout.stage) &&
      !isPast('wrong_coin', checkout) &&
      msg('Your order is still unpaid.', { id: 'note.unpaid' }),
    askShop(checkout),
  );

export const uncountedText = (): string =>
  msg('It doesn’t count towards this order.', { id: 'note.wrong_coin' });

const askShop = (checkout: Checkout): string =>
  hasRefund(checkout) || checkout.notes.includes('small_refund')
    ? ''
    : msg('Ask the shop how to get it back.', { id: 'note.wrong_coin.ask' });

/** The hint about paying again is left out once the order is paid. */
const droppedText = (stage: string): string =>
  sentences(
    msg('The network dropped your transaction. It may still go through.', {
      id: 'note.dropped',
    }),
    !isPaidStage(stage) &&
      msg('Check your wallet before paying again.', { id: 'note.dropped.look' }),
  );

/** Notes without a warning. */
const CALM = ['late_accepted', 'reusable', 'reversed', 'small_refund'];

/** Whether there is nothing to do about a note. */
const isCalm = (note: string, checkout: Checkout): boolean =>
  CALM.includes(note) ||
  isPast(note, checkout) ||
  (note === 'wrong_coin' && isPaidStage(checkout.stage) && hasRefund(checkout));

/** Draws these notes, and the one about late money. */
export const drawNoteTexts = (
  { checkout, language }: Panel,
  notes: readonly string[],
): TemplateResult =>
  html`${notes.map((note) => drawNote(noteText(note, checkout, language), isCalm(note, checkout) ? 'wait' : 'warn'))}${drawNote(
    lateNote(checkout, language),
  )}`;

/**
 * Note about late money while its fate is open. The stage `late` and the note `overpaid` already
 * cover it.
 */
export function lateNote(checkout: Checkout, language: string): string | null {
  const { stage, notes } = checkout;
  if (stage === 'late' || (isPaidStage(stage) && notes.includes('overpaid'))) return null;
  return AMOUNT_STAGES.includes(stage)
    ? lateAmountText(checkout, language)
    : lateWarning(checkout, language);
}

/** The same with the advice to contact the shop before paying again. */
export function lateWarning(checkout: Checkout, language: string): string {
  const figures = lateAmountText(checkout, language);
  return (
    figures &&
    sentences(
      figures,
      msg('It may already be enough. Ask the shop before paying again.', {
        id: 'late.again',
      }),
    )
  );
}

const lateAmountText = (checkout: Checkout, language: string): string =>
  lateFigures(lateAmount(checkout, language));

const lateFigures = (late: string): string =>
  late && msg(str`${late} arrived after the price expired.`, { id: 'late.figures' });

/** Reason why a payment does not count: screen readers do not announce a line through a text. */
export function paymentMark(
  payment: CheckoutReceived,
  checkout: Checkout,
  language: string,
): string | null {
  if (payment.status === 'replaced') return replacedText();
  if (payment.status === 'dropped') return droppedText(checkout.stage);
  if (isGone(payment)) return stageTexts('failed').title;
  if (payment.status === 'quarantined') return stageTexts('held').title;
  if (isWrongCoin(payment, checkout))
    return hasRefund(checkout)
      ? wrongCoinTitle({ ...checkout, received: [payment] }, language)
      : wrongCoinText(checkout);
  return isLate(payment) || isLateReturn(payment, checkout) ? stageTexts('late').title : null;
}
