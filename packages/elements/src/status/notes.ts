import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
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
import { isolated, sentences } from '../i18n/sentences.ts';

/** Late money for which a refund was asked: it counts as if it had never come. */
const isLateReturn = (
  { invoice_id, symbol, refunded, value, created_at }: CheckoutReceived,
  { payment }: Checkout,
): boolean =>
  Boolean(refunded && !value && payment?.expires_at) &&
  payment?.invoice_id === invoice_id &&
  payment.symbol === symbol &&
  Date.parse(created_at) >= Date.parse(payment.expires_at!);

/** The stage to show: late money that goes back comes before the price that has expired. */
export const shownStage = (checkout: Checkout): string =>
  checkout.stage === 'expired' && checkout.received.some((one) => isLateReturn(one, checkout))
    ? 'late'
    : checkout.stage;

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
    return msg(str`${received} received. Send ${missing} more.`, {
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
    case 'wrong_coin': {
      if (hasRefund(checkout)) return wrongCoinTitle(checkout, language);
      const amount = wrongCoinAmount(checkout, language);
      return amount ? `${isolated(amount, language)}: ${wrongCoinText()}` : wrongCoinText();
    }
    case 'replaced':
      return replacedText();
    case 'dropped':
      return droppedText(checkout.stage);
    case 'reversed':
      return msg(
        'The network rolled back a confirmation. It usually confirms again within minutes.',
        {
          id: 'note.reversed',
        },
      );
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

/** "You paid too much: 0.0003 BTC" */
export function overpaidTitle(checkout: Checkout, language: string): string {
  const { title } = stageTexts('overpaid');
  const more = overpaidAmount(checkout, language);
  return more && hasRefund(checkout) ? `${title}: ${isolated(more, language)}` : title;
}

/** "You sent 60 USDC, not USDT" */
export function wrongCoinTitle(checkout: Checkout, language: string): string {
  const { payment } = checkout;
  const sent = wrongCoinAmount(checkout, language);
  if (!sent || !payment) return stageTexts('failed').title;
  const { symbol, network } = payment;
  // The same coin on another network.
  const asked = sent.endsWith(` ${symbol}`)
    ? msg(str`${symbol} on ${network}`, { id: 'coin.on' })
    : symbol;
  return msg(str`You sent ${isolated(sent, language)}, not ${isolated(asked, language)}`, {
    id: 'wrong.title',
  });
}

export const wrongCoinText = (): string =>
  msg('It doesn’t count towards this order. Ask the shop how to get it back.', {
    id: 'note.wrong_coin',
  });

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
const CALM = ['late_accepted', 'reusable', 'reversed'];

/** Draws these notes, and the one about late money. */
export const drawNoteTexts = (
  { checkout, language }: Panel,
  notes: readonly string[],
): TemplateResult =>
  html`${notes.map((note) => drawNote(noteText(note, checkout, language), CALM.includes(note) ? 'wait' : 'warn'))}${drawNote(
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
      : wrongCoinText();
  return isLate(payment) || isLateReturn(payment, checkout) ? stageTexts('late').title : null;
}

/** Whether a payment came in another coin than requested. */
export const isWrongCoin = (one: CheckoutReceived, { notes }: Checkout): boolean =>
  notes.includes('wrong_coin') &&
  !one.value &&
  !one.late &&
  !isGone(one) &&
  one.status !== 'quarantined';

/** Sum of the payments in another coin. */
export const wrongCoinAmount = (checkout: Checkout, language: string): string =>
  sumOf(
    checkout.received.filter((one) => isWrongCoin(one, checkout)),
    checkout,
    language,
  );

/** Sum of the payments that came too late. */
export const lateAmount = (checkout: Checkout, language: string): string =>
  sumOf(checkout.received.filter(isLate), checkout, language);

/** Sum of the late payments that go back. */
const returnedAmount = (checkout: Checkout, language: string): string =>
  sumOf(
    checkout.received.filter((one) => isLateReturn(one, checkout)),
    checkout,
    language,
  );

/** Sum of the excess. */
export function overpaidAmount(checkout: Checkout, language: string): string {
  const { received, payment } = checkout;
  const fromInvoice = payment ? [{ amount: payment.overpaid, symbol: payment.symbol }] : [];
  const each = received.map(({ overpaid, symbol }) => ({ amount: overpaid, symbol }));
  return sumOf(each, checkout, language) || sumOf(fromInvoice, checkout, language);
}

/** Sum of the payments that count, by coin: `0.0004 BTC + 9.52 USDT`. */
export function receivedSum(checkout: Checkout, language: string): string {
  const { received, payment } = checkout;
  const counted = received.map((one) => ({
    amount: one.value ? countedAmount(one) : null,
    symbol: one.symbol,
  }));
  // Amounts that only the invoice lists, and payments to a reusable address.
  const fromInvoice =
    payment && !received.some(isLate) ? [{ amount: payment.paid, symbol: payment.symbol }] : [];
  return sumOf(counted, checkout, language) || sumOf(fromInvoice, checkout, language);
}

/** Amounts that can be added; others are shown as received. */
const AMOUNT = /^\d{1,18}(\.\d{1,18})?$/;

/** The sum of amounts, by coin: `0.0004 BTC + 9.52 USDT`. */
function sumOf(
  parts: readonly { amount: string | null; symbol: string }[],
  { payment }: Checkout,
  language: string,
): string {
  const sums = new Map<string, bigint>();
  const odd: string[] = [];
  for (const { amount, symbol } of parts) {
    if (!isPositive(amount)) continue;
    if (AMOUNT.test(amount)) sums.set(symbol, (sums.get(symbol) ?? 0n) + parseAmount(amount));
    else odd.push(`${amount} ${symbol}`);
  }
  return [
    ...[...sums].map(([symbol, sum]) => coinSum(formatAmount(sum), symbol, payment, language)),
    ...odd,
  ].join(' + ');
}

/** The amount without the part that goes back, which has a line of its own. */
export const countedAmount = ({ amount, refunded }: CheckoutReceived): string =>
  refunded && AMOUNT.test(amount) && AMOUNT.test(refunded)
    ? formatAmount(parseAmount(amount) - parseAmount(refunded))
    : amount;
