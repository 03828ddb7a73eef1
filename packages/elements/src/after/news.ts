import { type Checkout, type CheckoutPayment, type CheckoutReceived, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { pageLink } from '../link.ts';
import { msg, str } from '../locale.ts';
import { formatCoins, isPositive } from '../number.ts';
import { type Drawn, type Panel, amountOf, drawNote } from '../panel.ts';
import { wordsOf } from '../stage.ts';
import { arrived, hasConcern, isGone, isLost, isStray, lost, priceOf, stray, tooMuch, worthOf } from './came.ts';
import { isolated, sentences } from './sentence.ts';
import { clock, duration, shortMoment } from './time.ts';

/** What a screen reader hears of a change. */
export function newsOf(now: Checkout, next: Checkout, language: string): string {
  const turned = now.stage !== next.stage;
  // What the shop is to be asked is said once more when the order is paid: it is the end of what the buyer hears.
  const again = turned && isPaidStage(next.stage);
  const gone = newlyGone(now, next, language);
  const notes = next.notes.filter((note) => again || !now.notes.includes(note)).map((note) => noteOf(note, next, language));
  const isNew = turned || isOther(now.payment, next.payment);
  const late = lateFigures(next, language);
  // Before anything is asked for once more; of what is paid it is the end.
  const first = isNew && !isPaidStage(next.stage) && late;
  if (again || (!first && late !== lateFigures(now, language))) notes.push(late);
  const rest = notes.filter((note) => !gone.some((words) => note && words.endsWith(note)));
  const sentence = sentenceFor(next, language).trim();
  if (isNew || gone.length) {
    const { title, text } = wordsOf(next.stage);
    const sum = !sentence && CAME.includes(next.stage) && receivedSum(arrived(next, language), language);
    const warning = warningOf(next, language);
    // The sums first: what is too little for an exchange is the rest.
    const then = [sentence || (!warning && text), warning];
    return sentences(...gone, first, title, askedFor(now, next, language), sum, ...then, ...rest);
  }
  // Another part has come.
  const came = sentence !== sentenceFor(now, language) && sentence;
  if (came || rest.some(Boolean)) return sentences(came, came && warningOf(next, language), ...rest);
  if (isLonger(now.payment, next.payment)) {
    const end = clock(Date.parse(next.payment!.expires_at!), language);
    return msg(str`You have more time now: until ${end}.`, { id: 'more.done' });
  }
  const have = next.payment?.confirmations.have;
  const need = neededFor(next);
  return have !== undefined && need && have !== now.payment?.confirmations.have && have <= need ? wordsOfConfirmations(have, need) : '';
}

/** Stages of which it is heard how much came. */
const CAME = ['seen', 'paid', 'complete'];
/** "Received: …", of a sum that is known. */
const receivedSum = (sum: string, language: string): string =>
  sum && `${msg('Received', { id: 'details.received' })}: ${isolated(sum, language)}`;

/** Each payment that has come to nothing: how much it was, and why. The stage itself says it of the only one that has failed. */
function newlyGone(now: Checkout, next: Checkout, language: string): string[] {
  const before = new Set(now.received.filter(isGone).map(({ txid }) => txid));
  return next.received
    .filter((one) => isGone(one) && !before.has(one.txid) && !(next.stage === 'failed' && one.status === 'failed'))
    .map((one) => `${isolated(`${formatCoins(one.amount, language)} ${one.symbol}`, language)}: ${markOf(one, next)}`);
}

/** What is asked for: the coin and how much of it, or the coin alone where another sentence says how much. */
function askedFor(now: Checkout, { stage, payment }: Checkout, language: string): string {
  if (!payment || !['pay', 'underpaid'].includes(stage)) return '';
  const { name, network, symbol, invoice_id } = payment;
  const coin = network.startsWith(name) ? network : `${name}, ${network}`;
  if (stage !== 'pay')
    return now.payment?.invoice_id === invoice_id ? '' : `${msg('Coin', { id: 'details.coin' })}: ${isolated(coin, language)}`;
  const amount = amountOf(payment);
  return isolated(isPositive(amount) ? `${formatCoins(amount, language)} ${symbol}, ${coin}` : coin, language);
}

/** Another coin, an exchange in place of a wallet, or one that can't be paid any more: address and amount are not what they were. */
const isOther = (now: CheckoutPayment | null, next: CheckoutPayment | null): boolean =>
  Boolean(now && next) && (now!.invoice_id !== next!.invoice_id || now!.from !== next!.from || (!now!.renewable && next!.renewable));

/** The same payment at the same price, for longer. */
const isLonger = (now: CheckoutPayment | null, next: CheckoutPayment | null): boolean =>
  Boolean(next?.expires_at && now?.expires_at && now.invoice_id === next.invoice_id && now.rate === next.rate) &&
  Date.parse(next!.expires_at!) > Date.parse(now!.expires_at!);

/** The stage's sentence in figures, where they are known. */
export function sentenceFor(checkout: Checkout, language: string): string {
  const { stage, payment, coins } = checkout;
  if (stage === 'choose' && !coins.length) return msg('No coin can be used at the moment. Please ask the shop.', { id: 'choose.none' });
  if (!payment) return '';
  const { remaining, renewable, symbol, from, tag } = payment;
  const here = arrived(checkout, language);
  const sum = receivedSum(here, language);
  if (stage === 'late') return sentences(receivedSum(lost(checkout, language), language), wordsOf(stage).text);
  // The time for the rest has run out: sent to the old price it would come late.
  if (stage === 'underpaid' && renewable) {
    const { title, text } = wordsOf('expired');
    return sentences(sum, title, text);
  }
  // Not that nothing more is needed, beside what the shop is to be asked.
  if (isPaidStage(stage) && hasConcern(checkout)) return sentences(sum);
  if (stage === 'underpaid' && isPositive(remaining) && here) {
    const missing = `${formatCoins(remaining, language)} ${symbol}`;
    return msg(str`${here} has arrived. Please send the remaining ${missing}.`, { id: 'underpaid.figures' });
  }
  if (stage !== 'pay' || from !== 'exchange') return '';
  // What exchanges do not send is not asked for: the warning stands below.
  if (warningOf(checkout, language)) return ' ';
  const copy = msg('Copy amount and address into the withdrawal form of your exchange.', { id: 'exchange.text' });
  if (!tag) return copy;
  const required = msg('Required for your payment to be found.', { id: 'tag.hint' });
  return sentences(copy, `${msg('Destination tag', { id: 'tag' })}: ${required}`);
}

/** That exchanges commonly send no amount as small as this. */
export function warningOf({ payment }: Checkout, language: string): string {
  if (!payment?.minimum_withdrawal) return '';
  const least = `${formatCoins(payment.minimum_withdrawal, language)} ${payment.symbol}`;
  return msg(str`Many exchanges send no less than ${least}, and this is less. Please pay from a wallet or with another coin.`, {
    id: 'exchange.minimum',
  });
}

/** What else the buyer should know, told as it is. */
export function noteOf(note: string, checkout: Checkout, language: string): string | null {
  switch (note) {
    case 'overpaid': {
      const more = tooMuch(checkout, language);
      return more
        ? msg(str`${more} more than the amount has arrived. Please ask the shop about the rest.`, { id: 'overpaid.figures' })
        : msg('More than the amount has arrived. Please ask the shop about the rest.', { id: 'note.overpaid' });
    }
    case 'wrong_coin': {
      const came = stray(checkout, language);
      return came ? `${isolated(came, language)}: ${noteOfStray()}` : noteOfStray();
    }
    case 'replaced':
      return noteOfReplaced();
    case 'dropped':
      return noteOfDropped(checkout.stage);
    case 'reversed':
      return msg('The payment was confirmed, but the network has taken that back. It is usually confirmed again soon.', {
        id: 'note.reversed',
      });
    case 'reusable':
      return msg('You can send any amount to this address, as often as you like.', { id: 'note.reusable' });
    case 'paid_twice':
      return msg('This order was paid more than once. Please ask the shop to return what is too much.', { id: 'note.paid_twice' });
    case 'late_accepted':
      return msg('A late payment was accepted at the price of its arrival.', { id: 'late.accepted' });
    default:
      return null;
  }
}

const noteOfReplaced = (): string =>
  msg('A transaction was replaced by another one in your wallet and does not count.', { id: 'note.replaced' });

const noteOfStray = (): string =>
  msg('Another coin arrived at this address. It does not count towards this payment; please ask the shop.', { id: 'note.wrong_coin' });

/** Who has paid all the same is not to think of paying again. */
const noteOfDropped = (stage: string): string =>
  sentences(
    msg('The network no longer knows your transaction; it may still arrive.', { id: 'note.dropped' }),
    !isPaidStage(stage) && msg('Please look into your wallet before you pay again.', { id: 'note.dropped.look' }),
  );

/** Notes that are no warning. */
const CALM = ['late_accepted', 'reusable', 'reversed'];

/** What has happened: notes, how long it takes, payments so far. */
export function drawNews({ checkout, language }: Panel): TemplateResult {
  const { stage, notes, payment, received } = checkout;
  return html`${notes.map((note) => drawNote(noteOf(note, checkout, language), CALM.includes(note) ? 'wait' : 'warn'))}${drawNote(
    lateFigures(checkout, language),
  )}${stage === 'seen' && payment ? drawUsual(payment, language) : nothing}${
    received.length
      ? html`<ul part="transactions">
          ${received.map((payment) => drawReceived(payment, checkout, language))}
        </ul>`
      : nothing
  }`;
}

/** What came too late, for as long as it is open what becomes of it: the stage `late` says so itself, and of a paid order it is what is too much. */
export function lateFigures(checkout: Checkout, language: string): string | null {
  const { stage, notes } = checkout;
  if (stage === 'late' || (isPaidStage(stage) && notes.includes('overpaid'))) return null;
  return CAME.includes(stage) ? figuresOfLate(checkout, language) : warningOfLate(checkout, language);
}

/** The same before anything is paid once more: the shop is to be asked first. */
export function warningOfLate(checkout: Checkout, language: string): string {
  const figures = figuresOfLate(checkout, language);
  return figures && sentences(figures, msg('It may be enough already: please ask the shop before you pay again.', { id: 'late.again' }));
}

function figuresOfLate(checkout: Checkout, language: string): string {
  const came = lost(checkout, language);
  return came && msg(str`${came} arrived after the price had run out.`, { id: 'late.figures' });
}

function drawUsual({ network, usual_seconds }: CheckoutPayment, language: string): Drawn {
  if (!usual_seconds) return nothing;
  const time = duration(usual_seconds, language);
  return html`<p class="center" part="usual">${msg(str`On ${network} this usually takes ${time}.`, { id: 'seen.usual' })}</p>`;
}

/** One payment: how much, what it counts for and at which price, when, and which it is. */
function drawReceived(payment: CheckoutReceived, checkout: Checkout, language: string): TemplateResult {
  const { txid, explorer_url, created_at } = payment;
  const short = txid.length > 16 ? `${txid.slice(0, 6)}…${txid.slice(-6)}` : txid;
  const worth = worthOf(payment, checkout, language);
  const facts = [priceOf(payment, checkout, language), shortMoment(created_at, language), markOf(payment, checkout)];
  return html`<li class="row" part="transaction">
    <div>
      <span><bdi>${isGone(payment) ? html`<s>${worth}</s>` : worth}</bdi></span>
      <small>${drawFacts(facts)}</small>
    </div>
    ${drawExplorer(explorer_url, short, html`<small>${short}</small>`)}
  </li>`;
}

/** Facts side by side, each by itself: where letters run the other way, a price and a date are otherwise drawn as one. */
export const drawFacts = (facts: readonly (string | null)[]): Drawn[] =>
  facts.filter(Boolean).map((fact, at) => html`${at ? ' · ' : nothing}<bdi>${fact}</bdi>`);

/** Why a payment does not count, in words: a line through it is not heard. */
export function markOf(payment: CheckoutReceived, checkout: Checkout): string | null {
  if (payment.status === 'replaced') return noteOfReplaced();
  if (payment.status === 'dropped') return noteOfDropped(checkout.stage);
  if (isGone(payment)) return wordsOf('failed').title;
  if (payment.status === 'quarantined') return wordsOf('held').title;
  if (isStray(payment, checkout)) return noteOfStray();
  return isLost(payment) ? wordsOf('late').title : null;
}

/** A link to an explorer, or what stands in its place. */
export function drawExplorer(url: string | null, txid: string, other: TemplateResult): TemplateResult {
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

/** What the amount is, once a part of it has arrived. */
export const amountLabel = ({ checkout, language }: Pick<Panel, 'checkout' | 'language'>): string =>
  arrived(checkout, language) ? msg('Still to pay', { id: 'pay.remaining' }) : '';

/**
 * How many confirmations are waited for. Once it is paid the buyer waits for none: a bar that began again, up to what is final, would take
 * back what was said.
 */
export const neededFor = ({ stage, payment }: Checkout): number | undefined => (stage === 'seen' ? payment?.confirmations.need : undefined);

/** The confirmations so far, in words. */
export const wordsOfConfirmations = (have: number, need: number): string =>
  msg(str`Confirmations: ${Math.min(have, need)} of ${need}`, { id: 'status.confirmations' });

/** The confirmations so far. */
export const drawConfirmations = (have: number, need: number): TemplateResult =>
  html`<div class="stack tight" part="confirmations">
    <progress max=${need} value=${have} aria-hidden="true"></progress><small>${wordsOfConfirmations(have, need)}</small>
  </div>`;
