import {
  type Checkout,
  type CheckoutPayment,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { stageTexts } from '../components/status/lazy-stage-texts.ts';
import { troubleIn } from '../core/trouble.ts';
import { amountOf, networksOf } from '../core/payment.ts';
import { msg, str } from '../i18n/locale.ts';
import { isPositive } from '../i18n/number.ts';
import { isolated, sentences } from '../i18n/sentences.ts';
import { formatTime } from '../i18n/time.ts';
import { AMOUNT_STAGES, confirmationsNeeded, confirmationsText, receivedText } from './progress.ts';
import { coinSum, receivedAmount } from './received.ts';

/** The announcement of a change, for screen readers. */
export function changeAnnouncement(now: Checkout, next: Checkout, language: string): string {
  const turned = now.stage !== next.stage;
  // Open questions for the shop are repeated when the order is paid, at the end of the text.
  const again = turned && isPaidStage(next.stage);
  const trouble = troubleIn(next);
  const gone = trouble?.newlyGone(now, next, language) ?? [];
  const notes = next.notes
    .filter((note) => again || !now.notes.includes(note))
    .map((note) => trouble?.noteText(note, next, language) ?? null);
  const isNew = turned || isOther(now.payment, next.payment);
  const late = trouble?.lateNote(next, language) ?? null;
  // Late money comes before a request for more, and at the end once the order is paid.
  const first = isNew && !isPaidStage(next.stage) && late;
  if (again || (!first && late !== (troubleIn(now)?.lateNote(now, language) ?? null)))
    notes.push(late);
  const rest = notes.filter((note) => !gone.some((words) => note && words.endsWith(note)));
  const sentence = sentenceOf(next, language);
  if (isNew || gone.length) {
    const { title, text } = stageTexts(trouble?.shownStage(next) ?? next.stage);
    const sum =
      !sentence &&
      AMOUNT_STAGES.includes(next.stage) &&
      receivedText(receivedAmount(next, language), language);
    const warning = trouble?.exchangeWarning(next, language);
    // Amounts come first: what is too small for an exchange is the remainder.
    const then = [sentence || (!warning && text), warning];
    // A trouble comes before its stage, and in place of a request to pay.
    const heading = trouble?.troubleTitle(next, language);
    const others = rest.filter((note) => note !== heading);
    const stage =
      heading && next.stage === 'pay' ? [] : [title, askedFor(now, next, language), sum, ...then];
    const other = !turned && next.payment && trouble?.otherAddressText(next.payment);
    return sentences(...gone, first, heading, ...stage, ...others, other);
  }
  // Another part has arrived.
  const newSentence = sentence !== sentenceOf(now, language) && sentence;
  if (newSentence || rest.some(Boolean))
    return sentences(newSentence, newSentence && trouble?.exchangeWarning(next, language), ...rest);
  if (isLonger(now.payment, next.payment)) {
    const end = formatTime(Date.parse(next.payment!.expires_at!), language);
    return msg(str`You have more time now: until ${end}.`, { id: 'more.done' });
  }
  const have = next.payment?.confirmations.have;
  const need = confirmationsNeeded(next);
  return have !== undefined && need && have !== now.payment?.confirmations.have && have <= need
    ? confirmationsText(have, need)
    : '';
}

const sentenceOf = (checkout: Checkout, language: string): string =>
  troubleIn(checkout)?.stageSentence(checkout, language).trim() ?? '';

/** The coin and amount to send; the coin alone if another sentence contains the amount. */
function askedFor(now: Checkout, { stage, payment }: Checkout, language: string): string {
  if (!payment || !['pay', 'underpaid'].includes(stage)) return '';
  const { name, symbol, invoice_id } = payment;
  const networks = networksOf(payment, language);
  const coin = networks.startsWith(name) ? networks : `${name}, ${networks}`;
  if (stage !== 'pay')
    return now.payment?.invoice_id === invoice_id
      ? ''
      : `${msg('Coin', { id: 'details.coin' })}: ${isolated(coin, language)}`;
  const amount = amountOf(payment);
  return isolated(
    isPositive(amount) ? `${coinSum(amount, symbol, payment, language)}, ${coin}` : coin,
    language,
  );
}

/** Whether address and amount changed: another coin, another source, or a price that has ended. */
const isOther = (now: CheckoutPayment | null, next: CheckoutPayment | null): boolean =>
  Boolean(now && next) &&
  (now!.invoice_id !== next!.invoice_id ||
    now!.from !== next!.from ||
    (!now!.renewable && next!.renewable));

/** Whether the same payment at the same price holds longer. */
const isLonger = (now: CheckoutPayment | null, next: CheckoutPayment | null): boolean =>
  Boolean(
    next?.expires_at &&
    now?.expires_at &&
    now.invoice_id === next.invoice_id &&
    now.rate === next.rate,
  ) && Date.parse(next!.expires_at!) > Date.parse(now!.expires_at!);
