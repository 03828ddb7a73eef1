import { type Checkout, type CheckoutPayment, type CheckoutReceived, isPaidStage } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { pageLink } from '../link.ts';
import { msg, str } from '../locale.ts';
import { isPositive } from '../number.ts';
import { type Drawn, type Panel, drawNote } from '../panel.ts';
import { wordsOf } from '../stage.ts';
import { arrived, isGone, lost, priceOf, tooMuch, worthOf } from './came.ts';
import { clock, duration, shortMoment } from './time.ts';

/** What a screen reader hears of a change. */
export function newsOf(now: Checkout, next: Checkout, language: string): string {
  const notes = next.notes.filter((note) => !now.notes.includes(note)).map((note) => noteOf(note, next) ?? '');
  if (lateFigures(next) !== lateFigures(now)) notes.push(lateFigures(next) ?? '');
  const [before, after] = [now.payment?.confirmations.have, next.payment?.confirmations];
  const { title, text } = wordsOf(next.stage);
  if (now.stage !== next.stage || isOther(now.payment, next.payment))
    return [`${title}. ${sentenceFor(next) || text}`, ...notes].join(' ').trim();
  if (notes.some(Boolean)) return notes.join(' ');
  if (isLonger(now.payment, next.payment)) {
    const end = clock(Date.parse(next.payment!.expires_at!), language);
    return msg(str`You have more time now: until ${end}.`, { id: 'more.done' });
  }
  return after && after.have !== before && after.have <= after.need ? wordsOfConfirmations(after.have, after.need) : '';
}

/** Another coin, an exchange in place of a wallet, or one that can't be paid any more: address and amount are not what they were. */
const isOther = (now: CheckoutPayment | null, next: CheckoutPayment | null): boolean =>
  Boolean(now && next) && (now!.invoice_id !== next!.invoice_id || now!.from !== next!.from || (!now!.renewable && next!.renewable));

/** The same payment at the same price, for longer. */
const isLonger = (now: CheckoutPayment | null, next: CheckoutPayment | null): boolean =>
  Boolean(next?.expires_at && now?.expires_at && now.invoice_id === next.invoice_id && now.rate === next.rate) &&
  Date.parse(next!.expires_at!) > Date.parse(now!.expires_at!);

/** The stage's sentence in figures, where they are known. */
export function sentenceFor(checkout: Checkout): string {
  const { stage, payment, coins } = checkout;
  if (stage === 'choose' && !coins.length) return msg('No coin can be used at the moment. Please ask the shop.', { id: 'choose.none' });
  if (!payment) return '';
  const { remaining, renewable, symbol, from } = payment;
  // The time for the rest has run out: sent to the old price it would come late.
  if (stage === 'underpaid' && renewable) return wordsOf('expired').text;
  const here = arrived(checkout);
  if (stage === 'underpaid' && isPositive(remaining) && here) {
    const missing = `${remaining} ${symbol}`;
    return msg(str`${here} has arrived. Please send the remaining ${missing}.`, { id: 'underpaid.figures' });
  }
  return stage === 'pay' && from === 'exchange'
    ? msg('Copy amount and address into the withdrawal form of your exchange.', { id: 'exchange.text' })
    : '';
}

/** What else the buyer should know, told as it is. */
export function noteOf(note: string, checkout: Checkout): string | null {
  switch (note) {
    case 'overpaid': {
      const more = tooMuch(checkout);
      return more
        ? msg(str`${more} more than the amount has arrived. Please ask the shop about the rest.`, { id: 'overpaid.figures' })
        : msg('More than the amount has arrived. Please ask the shop about the rest.', { id: 'note.overpaid' });
    }
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
    case 'late_accepted':
      return msg('A late payment was accepted at the price of its arrival.', { id: 'late.accepted' });
    default:
      return null;
  }
}

/** Notes that are no warning. */
const CALM = ['late_accepted', 'reusable'];

/** What has happened: notes, how long it takes, payments so far. */
export function drawNews({ checkout, language }: Panel): TemplateResult {
  const { stage, notes, payment, received } = checkout;
  return html`${notes.map((note) => drawNote(noteOf(note, checkout), CALM.includes(note) ? 'wait' : 'warn'))}${drawNote(
    lateFigures(checkout),
  )}${stage === 'seen' && payment ? drawUsual(payment, language) : nothing}${
    received.length
      ? html`<ul part="transactions">
          ${received.map((payment) => drawReceived(payment, checkout, language))}
        </ul>`
      : nothing
  }`;
}

/** What came too late, for as long as it is open what becomes of it; of a paid order it is what is too much. */
export function lateFigures(checkout: Checkout): string | null {
  const came = isPaidStage(checkout.stage) && checkout.notes.includes('overpaid') ? '' : lost(checkout);
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
  const facts = [priceOf(payment, checkout, language), shortMoment(created_at, language)].filter(Boolean).join(' · ');
  return html`<li class="row" part="transaction">
    <div>
      <bdi>${isGone(payment) ? html`<s>${worth}</s>` : worth}</bdi>
      <small>${facts}</small>
    </div>
    ${drawExplorer(explorer_url, short, html`<small>${short}</small>`)}
  </li>`;
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
export const amountLabel = ({ checkout }: Pick<Panel, 'checkout'>): string =>
  arrived(checkout) ? msg('Still to pay', { id: 'pay.remaining' }) : '';

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
