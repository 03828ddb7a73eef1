import {
  type Checkout,
  type CheckoutPayment,
  type CheckoutReceived,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { pageLink } from '../server/safe-link.ts';
import { msg, str } from '../i18n/locale.ts';
import { formatCoins, isPositive } from '../i18n/number.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { drawNote } from '../components/checkout/note.ts';
import { stageTexts } from '../components/status/lazy-stage-texts.ts';
import {
  receivedAmount,
  needsShop,
  isGone,
  isLate,
  isWrongCoin,
  lateAmount,
  wrongCoinAmount,
  overpaidAmount,
  paymentValue,
} from './received.ts';
import { isolated, sentences } from '../i18n/sentences.ts';
import { formatDuration, formatShortTimestamp } from '../i18n/time.ts';

/** Stages whose announcement includes the received amount. */
export const AMOUNT_STAGES = ['seen', 'paid', 'complete'];
/** "Received: …", if the amount is known. */
export const receivedText = (sum: string, language: string): string =>
  sum && `${msg('Received', { id: 'details.received' })}: ${isolated(sum, language)}`;

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
    const missing = `${formatCoins(remaining, language)} ${symbol}`;
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

/**
 * Draws the progress: notes, usual duration, received payments.
 * @param shownAbove - Texts above it, which a single payment does not repeat.
 */
export function drawNotesAndPayments(
  { checkout, language }: Panel,
  notes: readonly string[],
  shownAbove: readonly string[],
): TemplateResult {
  const { stage, payment, received } = checkout;
  return html`${notes.map((note) => drawNote(noteText(note, checkout, language), CALM.includes(note) ? 'wait' : 'warn'))}${drawNote(
    lateNote(checkout, language),
  )}${stage === 'seen' && payment ? drawUsual(payment, language) : nothing}${
    received.length
      ? html`<ul part="transactions">
          ${received.map((payment) =>
            drawReceived(payment, checkout, language, received.length > 1 ? [] : shownAbove),
          )}
        </ul>`
      : nothing
  }`;
}

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

function lateAmountText(checkout: Checkout, language: string): string {
  const late = lateAmount(checkout, language);
  return late && msg(str`${late} arrived after the price expired.`, { id: 'late.figures' });
}

function drawUsual(
  { network, usual_seconds, confirmations }: CheckoutPayment,
  language: string,
): Drawn {
  if (!usual_seconds) return nothing;
  const { have, need } = confirmations;
  // Each confirmation takes its share of the usual time.
  const left = have > 0 && have < need ? (usual_seconds * (need - have)) / need : 0;
  const time = formatDuration(left || usual_seconds, language);
  return html`<p class="center" part="usual">
    ${
      left
        ? msg(str`Time left: ${`≈ ${time}`}`, { id: 'countdown.said' })
        : msg(str`On ${network} this usually takes ${time}.`, { id: 'seen.usual' })
    }
  </p>`;
}

/** Draws one payment: amount, value, time and transaction id. The rate is in the receipt. */
function drawReceived(
  payment: CheckoutReceived,
  checkout: Checkout,
  language: string,
  shownAbove: readonly string[],
): TemplateResult {
  const { txid, explorer_url, created_at } = payment;
  const short = txid.length > 16 ? `${txid.slice(0, 6)}…${txid.slice(-6)}` : txid;
  const worth = paymentValue(payment, checkout, language);
  const mark = paymentMark(payment, checkout);
  const facts = [
    formatShortTimestamp(created_at, language),
    shownAbove.includes(mark ?? '') ? null : mark,
  ];
  return html`<li class="row" part="transaction">
    <div>
      <span><bdi>${isGone(payment) ? html`<s>${worth}</s>` : worth}</bdi></span>
      <small>${joinFacts(facts)}</small>
    </div>
    ${drawExplorer(explorer_url, short, html`<small>${short}</small>`)}
  </li>`;
}

/** Isolates each fact, because right-to-left text would merge a price and a date. */
export const joinFacts = (facts: readonly (string | null)[]): Drawn[] =>
  facts.filter(Boolean).map((fact, at) => html`${at ? ' · ' : nothing}<bdi>${fact}</bdi>`);

/** Reason why a payment does not count: screen readers do not announce a line through a text. */
export function paymentMark(payment: CheckoutReceived, checkout: Checkout): string | null {
  if (payment.status === 'replaced') return replacedText();
  if (payment.status === 'dropped') return droppedText(checkout.stage);
  if (isGone(payment)) return stageTexts('failed').title;
  if (payment.status === 'quarantined') return stageTexts('held').title;
  if (isWrongCoin(payment, checkout)) return wrongCoinText();
  return isLate(payment) ? stageTexts('late').title : null;
}

/** Draws a link to the block explorer, or the alternative. */
export function drawExplorer(
  url: string | null,
  txid: string,
  other: TemplateResult,
): TemplateResult {
  const link = pageLink(url);
  return link
    ? html`<a
        part="explorer-link"
        href=${link}
        target="_blank"
        rel="noreferrer"
        aria-label=${msg(str`Transaction ${txid} in the explorer`, { id: 'transactions.explorer' })}
        ><bdi>${txid}</bdi></a
      >`
    : other;
}

/** Label of the amount once a part has arrived. */
export const amountLabel = ({ checkout, language }: Pick<Panel, 'checkout' | 'language'>): string =>
  receivedAmount(checkout, language) ? msg('Still to pay', { id: 'pay.remaining' }) : '';

/**
 * Confirmations that the buyer waits for. None once the order is paid: a second progress bar, up to
 * finality, would look like a step back.
 */
export const confirmationsNeeded = ({ stage, payment }: Checkout): number | undefined =>
  stage === 'seen' ? payment?.confirmations.need : undefined;

/** The confirmations as text. */
export const confirmationsText = (have: number, need: number): string =>
  msg(str`${Math.min(have, need)} of ${need} confirmations`, { id: 'status.confirmations' });

/** More steps than this would be too narrow to count. */
const MOST_STEPS = 12;

/** Draws the confirmations as steps; the next one pulses. */
export const drawConfirmations = (have: number, need: number): TemplateResult =>
  html`<div class="stack tight" part="confirmations">
    ${
      need > MOST_STEPS
        ? html`<progress max=${need} value=${have} aria-hidden="true"></progress>`
        : html`<div class="steps" aria-hidden="true">
            ${Array.from(
              { length: need },
              (_, at) => html`<i class=${at < have ? 'done' : at === have ? 'next' : ''}></i>`,
            )}
          </div>`
    }<small>${confirmationsText(have, need)}</small>
  </div>`;
