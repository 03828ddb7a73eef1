import {
  type Checkout,
  type CheckoutReceived,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { OPEN_STAGES } from '@crypto-checkout/protocol/open-stages';
import { stageTexts } from '../components/status/lazy-stage-texts.ts';
import type { Head } from '../core/contracts.ts';
import { hasRunOut } from '../core/run-out.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { msg, str } from '../i18n/locale.ts';
import { formatPrice } from '../i18n/number.ts';
import { isolated, sentences } from '../i18n/sentences.ts';
import {
  drawNoteTexts,
  hasRefund,
  isOver,
  isPast,
  isSentBack,
  moneyOf,
  noteText,
  overpaidTitle,
  paymentMark,
  shownStage,
  stageSentence,
  uncountedText,
  wrongCoinText,
  wrongCoinTitle,
} from './notes.ts';
import { drawPayments } from './progress.ts';
import { contactOf } from './return-to-shop.ts';
import { coinSum, isGone, isLate } from './received.ts';

/** Notes that become the heading: the first one of the stage's list counts. */
const TROUBLES: Readonly<Record<string, readonly string[]>> = {
  pay: ['wrong_coin', 'dropped', 'replaced'],
  underpaid: ['wrong_coin', 'dropped', 'replaced'],
  // The money comes before the price: it is not lost.
  expired: ['wrong_coin'],
  seen: ['reversed'],
  paid: ['paid_twice', 'overpaid'],
  complete: ['paid_twice', 'overpaid'],
};
/** Troubles in which paying once more may be paying twice: the code is folded. */
const LOOK_FIRST = ['wrong_coin', 'dropped', 'replaced', 'failed'];

/** Notes that the heading says in full where money goes back. */
const SHOP_NOTES = ['overpaid', 'paid_twice'];

/** The note that is the stage's heading; undefined if everything goes well, or does so again. */
export const troubleOf = (checkout: Checkout): string | undefined =>
  TROUBLES[checkout.stage]?.find(
    (note) =>
      checkout.notes.includes(note) && !isPast(note, checkout) && !isFollowed(note, checkout),
  );

/** Whether a later payment counts, such as the transaction that replaced this one. */
const isFollowed = (note: string, { stage, received, ...rest }: Checkout): boolean =>
  stage === 'underpaid' &&
  moneyOf(note, { stage, received, ...rest }).every((one) =>
    received.some(
      ({ value, created_at }) => value && Date.parse(created_at) >= Date.parse(one.created_at),
    ),
  );

/**
 * Whether a payment is asked for, and everything that came was before its price. Not after a
 * request for a refund: its buyer comes back to see how it goes.
 */
const isAfresh = (checkout: Checkout): boolean =>
  checkout.stage === 'pay' &&
  checkout.received.length > 0 &&
  !checkout.refunds?.length &&
  !troubleOf(checkout) &&
  !checkout.received.some(isLate) &&
  checkout.received.every((one) => isOver(one, checkout));

/** Notes that neither the heading nor the note about the refund says. */
function otherNotes(checkout: Checkout): readonly string[] {
  const trouble = troubleOf(checkout);
  return checkout.notes.filter(
    (note) =>
      note !== trouble &&
      !isSentBack(note, checkout) &&
      !(note === 'overpaid' && (trouble === 'paid_twice' || isWaiting(checkout))),
  );
}

/** The top of a stage; in trouble it says what happened. */
export function headOf(checkout: Checkout, choosing: boolean, language: string): Head {
  if (choosing)
    return {
      stage: 'choose',
      heading: restTitle(checkout, language),
      text: checkout.payment ? '' : stageSentence(checkout, language),
      folded: false,
      past: false,
    };
  const trouble = troubleOf(checkout);
  return {
    stage: trouble ?? shownStage(checkout),
    heading: troubleTitle(checkout, language),
    text: trouble ? troubleText(checkout, language) : stageSentence(checkout, language, true),
    folded: LOOK_FIRST.includes(trouble ?? checkout.stage),
    past: isAfresh(checkout),
  };
}

/** The heading of a trouble with its figures; empty where the stage has one of its own. */
export function troubleTitle(checkout: Checkout, language: string): string {
  const trouble = troubleOf(checkout);
  if (trouble === 'wrong_coin') return wrongCoinTitle(checkout, language);
  if (trouble === 'overpaid') return overpaidTitle(checkout, language);
  return trouble ? stageTexts(trouble).title : '';
}

/** The sentence below the heading of a trouble. */
function troubleText(checkout: Checkout, language: string): string {
  const trouble = troubleOf(checkout);
  if (!trouble) return '';
  const back = SHOP_NOTES.includes(trouble) && hasRefund(checkout);
  const over =
    (checkout.stage === 'expired' ||
      (OPEN_STAGES.includes(checkout.stage) && hasRunOut(checkout))) &&
    stageTexts('expired').title;
  if (trouble === 'wrong_coin') return sentences(wrongCoinText(checkout), over);
  return sentences(
    isPaidStage(checkout.stage) && stageTexts(checkout.stage).title,
    !back && noteText(trouble, checkout, language),
    over,
  );
}

/**
 * Reason why a payment does not count, in the list of payments. A single one does not repeat the
 * texts above it; among others, one that is gone has their short form.
 */
export function rowMark(
  payment: CheckoutReceived,
  checkout: Checkout,
  language: string,
): string | null {
  const mark = paymentMark(payment, checkout, language);
  const notes = otherNotes(checkout).map((note) => noteText(note, checkout, language));
  const isAlone = checkout.received.length === 1;
  if (isGone(payment) && (!isAlone || notes.includes(mark))) {
    const isSaid = [...textsAbove(checkout, language), ...notes].includes(mark);
    return isSaid ? stageTexts(payment.status).title : mark;
  }
  return isAlone && mark !== null && textsAbove(checkout, language).includes(mark) ? null : mark;
}

/** The texts above the received payments. */
function textsAbove(checkout: Checkout, language: string): readonly string[] {
  const { title, text } = stageTexts(shownStage(checkout));
  const wrong =
    checkout.notes.includes('wrong_coin') && !isSentBack('wrong_coin', checkout)
      ? [uncountedText(), wrongCoinText(checkout), wrongCoinTitle(checkout, language)]
      : [];
  const trouble = noteText(troubleOf(checkout) ?? '', checkout, language) ?? '';
  return [title, text, troubleText(checkout, language), trouble, ...wrong];
}

/** Draws the notes that the heading does not say yet. */
export const drawNotes = (panel: Panel): TemplateResult =>
  drawNoteTexts(panel, otherNotes(panel.checkout));

/** Stages and troubles in which contacting the shop is the main action. */
const MAIN_CONTACT = [
  'late',
  'failed',
  'wrong_coin',
  'dropped',
  'replaced',
  'overpaid',
  'paid_twice',
];

/** Whether a refund can be asked for now: then that is the main action. */
const canAsk = ({ refundable }: Checkout): boolean =>
  Boolean(refundable?.some(({ ready }) => ready));

/** Whether the note about the refund says that it can be asked for later. */
const isWaiting = (checkout: Checkout): boolean =>
  Boolean(checkout.refundable?.length && !checkout.refunds?.length) && !canAsk(checkout);

/** Whether every refund that was asked for is on its way, so that there is nothing to do. */
const isReturning = ({ refunds = [] }: Checkout): boolean => {
  const newest = new Map(refunds.map(({ transaction, status }) => [transaction, status]));
  return (
    newest.size > 0 &&
    ![...newest.values()].some((status) => status === 'rejected' || status === 'failed')
  );
};

/**
 * Whether contacting the shop comes before paying again, and no refund is there or on its way. Too
 * much by a payment that is not final yet only has to wait.
 */
export const needsShopFirst = (checkout: Checkout): boolean => {
  const trouble = troubleOf(checkout) ?? shownStage(checkout);
  return (
    contactOf(checkout.merchant) !== undefined &&
    !canAsk(checkout) &&
    !isReturning(checkout) &&
    !(['overpaid', 'paid_twice'].includes(trouble) && isWaiting(checkout)) &&
    MAIN_CONTACT.includes(trouble)
  );
};

/**
 * Draws what came, the ways out, and the folded payment details: paying again comes last. After
 * another coin it is the main action where the shop need not be asked, and no refund waits.
 */
export function drawAgain(panel: Panel, details: Drawn, steps: TemplateResult): TemplateResult {
  const { checkout } = panel;
  const pays = troubleOf(checkout) === 'wrong_coin';
  const isMain = pays && !canAsk(checkout) && !needsShopFirst(checkout);
  return html`${drawPayments(panel)}${steps}
    <details part="again">
      <summary class="${pays ? 'button' : ''} ${isMain ? 'primary' : ''}">
        ${msg(str`Pay with ${checkout.payment!.symbol}`, { id: 'wallet.with' })}
      </summary>
      ${details}
    </details>`;
}

/** "$30.00 left of $60.00", once a part is paid; empty before and after. */
export function leftText({ stage, order, received }: Checkout, language: string): string {
  const sums = sumsOf({ stage, order, received });
  return sums
    ? msg(str`${formatPrice(sums.left, language)} left of ${formatPrice(sums.all, language)}`, {
        id: 'left',
      })
    : '';
}

/** "Pay the remaining $30.00", above the coins. */
function restTitle(checkout: Checkout, language: string): string {
  const sums = sumsOf(checkout);
  return sums
    ? msg(str`Pay the remaining ${formatPrice(sums.left, language)}`, { id: 'choose.rest' })
    : '';
}

type Price = NonNullable<Checkout['order']['amount']>;
const DECIMAL = /^\d{1,18}(\.\d{1,18})?$/;

function sumsOf({
  stage,
  order,
  received,
}: Pick<Checkout, 'stage' | 'order' | 'received'>): { left: Price; all: Price } | null {
  const all = order.amount;
  const values = received.flatMap(({ value }) => value ?? []);
  if (!all || !['choose', 'pay', 'underpaid', 'expired'].includes(stage)) return null;
  if (![all.amount, ...values].every((value) => DECIMAL.test(value))) return null;
  const paid = values.reduce((sum, value) => sum + parseAmount(value), 0n);
  const left = parseAmount(all.amount) - paid;
  if (paid <= 0n || left <= 0n) return null;
  const decimals = all.amount.split('.')[1]?.length ?? 0;
  const [whole, rest = ''] = formatAmount(left).split('.');
  const amount = decimals ? `${whole}.${rest.padEnd(decimals, '0')}` : whole!;
  return { left: { ...all, amount }, all };
}

/** Whether nothing comes before a new price: no refund, and no question for the shop. */
const isMainRenewal = (checkout: Checkout): boolean =>
  !canAsk(checkout) && !needsShopFirst(checkout) && shownStage(checkout) !== 'late';

/** Draws the form for a new price. */
export function drawRenewForm({ checkout, url, busy }: Panel): Drawn {
  return checkout.payment?.renewable
    ? html`<form class="row fill" part="renew" method="post" action="${url}/renew">
        <button
          class=${isMainRenewal(checkout) ? 'primary' : ''}
          part="renew-button"
          aria-disabled=${Boolean(busy)}
        >
          ${msg('Get a new price', { id: 'expired.renew' })}
        </button>
      </form>`
    : nothing;
}

/** Stages that end the automatic refresh. */
const STILL = ['expired', 'late'];

/** Draws the reload link for pages without a script, where they stop to refresh themselves. */
export const drawCheckLink = ({ checkout, page }: Panel): Drawn =>
  STILL.includes(checkout.stage)
    ? html`<a class="button noscript" part="check-link" href=${page}
        >${msg('Refresh', { id: 'check' })}</a
      >`
    : nothing;

/**
 * Each payment that failed, with amount and reason. The stage `failed` already covers a single
 * failed payment.
 */
export function newlyGone(now: Checkout, next: Checkout, language: string): string[] {
  const before = new Set(now.received.filter(isGone).map(({ txid }) => txid));
  return next.received
    .filter(
      (one) =>
        isGone(one) &&
        !before.has(one.txid) &&
        !(next.stage === 'failed' && one.status === 'failed'),
    )
    .map(
      (one) =>
        `${isolated(coinSum(one.amount, one.symbol, next.payment, language), language)}: ${paymentMark(one, next, language)}`,
    );
}
