import type { Checkout, CheckoutCoin, CheckoutPayment, CheckoutTransaction } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { END } from './address.ts';
import type { CryptoCheckout } from './checkout.ts';
import type { CheckoutErrorCode } from './event.ts';
export { copyByHand } from './copy-by-hand.ts';
export { Live } from './live.ts';
export { speak, voiceOf } from './voice.ts';
import { pageLink } from './link.ts';
import { msg, str } from './locale.ts';
import { isPositive } from './number.ts';
import { type Drawn, type Panel, drawNote, rateOf } from './panel.ts';
import { type Words, wordsOf } from './stage.ts';
import './status.ts';

/** The words for the stages after paying, and for those in which something went another way. */
export function wordsAfter(stage: string): Words | undefined {
  switch (stage) {
    case 'underpaid':
      return {
        title: msg('Part of the amount has arrived', { id: 'underpaid.title' }),
        text: msg('Please send what is still missing.', { id: 'underpaid.text' }),
        tone: 'warn',
        picture: 'alert',
      };
    case 'seen':
      return {
        title: msg('We see your payment', { id: 'seen.title' }),
        text: msg('Now the network confirms it. You can leave this page open or come back later.', { id: 'seen.text' }),
        picture: 'clock',
      };
    case 'paid':
      return {
        title: msg('Paid', { id: 'paid.title' }),
        text: msg('Thank you. Your payment has arrived, and the shop knows.', { id: 'paid.text' }),
        tone: 'good',
        picture: 'check',
      };
    case 'complete':
      return {
        title: msg('Paid and final', { id: 'complete.title' }),
        text: msg('Thank you. Nothing more is needed.', { id: 'complete.text' }),
        tone: 'good',
        picture: 'check',
      };
    case 'expired':
      return {
        title: msg('The time to pay has run out', { id: 'expired.title' }),
        text: msg('Please do not send to the old amount. If you have paid already, your money is not lost: it will show up here.', {
          id: 'expired.text',
        }),
        tone: 'warn',
        picture: 'clock',
      };
    case 'late':
      return {
        title: msg('Your payment arrived late', { id: 'late.title' }),
        text: msg('The money is there, but it came after the price had run out. Please ask the shop what happens next.', {
          id: 'late.text',
        }),
        tone: 'warn',
        picture: 'alert',
      };
    case 'held':
      return {
        title: msg('Your payment is being checked', { id: 'held.title' }),
        text: msg('The shop looks at it first. You do not have to do anything.', { id: 'held.text' }),
        picture: 'clock',
      };
    case 'failed':
      return {
        title: msg('The payment did not go through', { id: 'failed.title' }),
        text: msg('The network refused the payment or replaced it. Please look into your wallet before you pay again.', {
          id: 'failed.text',
        }),
        tone: 'bad',
        picture: 'alert',
      };
    case 'error':
      return { title: msg('This did not work', { id: 'error.title' }), text: '', tone: 'bad', picture: 'alert' };
    default:
      return stage
        ? {
            title: msg('Please wait', { id: 'wait.title' }),
            text: msg('We see your payment and are waiting for news.', { id: 'wait.text' }),
            picture: 'clock',
          }
        : undefined;
  }
}

/** A code that the server did not send; null without an encoder, or for a text too long: address and amount stand beside it. */
export async function encode(text: string): Promise<{ size: number; path: string } | null> {
  try {
    const { encodeQr } = await import('@crypto-checkout/protocol/qr');
    return encodeQr(text, { mask: 'fixed' });
  } catch {
    return null;
  }
}

/** What a screen reader hears of a change. */
export function newsOf(now: Checkout, next: Checkout): string {
  const notes = next.notes.filter((note) => !now.notes.includes(note));
  const [before, after] = [now.payment?.confirmations.have, next.payment?.confirmations];
  const { title, text } = wordsOf(next.stage);
  if (now.stage !== next.stage) return `${title}. ${sentenceFor(next) || text}`;
  if (notes.length) return notes.map(noteOf).join(' ');
  return after && after.have !== before && after.have <= after.need
    ? msg(str`Confirmations: ${after.have} of ${after.need}`, { id: 'status.confirmations' })
    : '';
}

/** What is missing, in figures where they are known. */
export function sentenceFor({ stage, payment }: Checkout): string {
  if (stage !== 'underpaid' || !payment || !isPositive(payment.remaining) || !isPositive(payment.paid)) return '';
  const [paid, remaining] = [`${payment.paid} ${payment.symbol}`, `${payment.remaining} ${payment.symbol}`];
  return msg(str`${paid} has arrived. Please send the remaining ${remaining}.`, { id: 'underpaid.figures' });
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
    default:
      return null;
  }
}

/** What went wrong, for the buyer. */
export function sentenceOfFailure(code: CheckoutErrorCode): string {
  switch (code) {
    case 'setup':
      return msg('The shop has not set up this checkout completely. Please tell the shop.', { id: 'error.setup' });
    case 'unavailable':
    case 'busy':
      return msg('The payment server is busy at the moment. Please try again soon.', { id: 'error.unavailable' });
    case 'not_found':
      return msg('This payment does not exist, or its link has ended.', { id: 'error.not_found' });
    case 'refused':
      return msg('The payment server did not accept this. Please go back to the shop and try again.', { id: 'error.refused' });
    case 'malformed':
      return msg('The payment server answered something that this page does not understand.', { id: 'error.malformed' });
    case 'network':
    default:
      return msg('The payment server cannot be reached. Please check your connection.', { id: 'error.network' });
  }
}

/** That the connection is lost, since when, and what it means; or that it is back. */
export function connection(lostAt: number, language: string): string {
  if (!lostAt) return msg('Connected again.', { id: 'connection.back' });
  const since = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeStyle: 'short' }).format(lostAt);
  return msg(str`No connection since ${since}. A payment you have sent is safe: this page catches up by itself.`, {
    id: 'connection.lost',
  });
}

/** What was copied; of what is long, both ends to compare. */
export const copied = (label: string, value: string): string =>
  value.length > 2 * END
    ? msg(str`Copied: ${label}. It begins with ${value.slice(0, END)} and ends with ${value.slice(-END)}. Compare after pasting.`, {
        id: 'address.said',
      })
    : msg(str`Copied: ${label}`, { id: 'copy.said' });

/** Seconds left at which the time is spoken; the clock itself is silent. */
const SPOKEN = [300, 60, 30];

/** The time left in words, with the language's own plural, at a few moments. */
export function timeLeft(before: number, seconds: number, language: string): string {
  if (!seconds || !SPOKEN.some((second) => seconds <= second && second < before)) return '';
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [Math.round(seconds / 60), 'minute'];
  const time = new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  return msg(str`Time left: ${time}`, { id: 'countdown.said' });
}

/** What stands in the way, above the stage. */
export const drawTrouble = (lostAt: number, refused: CheckoutErrorCode | null, language: string): TemplateResult =>
  html`${drawNote(lostAt ? connection(lostAt, language) : '')}${drawNote(refused && sentenceOfFailure(refused), 'bad')}`;

/** In place of the stage: that there is none. */
export const drawFailure = (code: CheckoutErrorCode, onRetry: () => void): TemplateResult =>
  html`<crypto-status part="status" .stage=${'error'} .text=${sentenceOfFailure(code)}></crypto-status
    ><button class="primary" part="retry" @click=${onRetry}>${msg('Try again', { id: 'error.retry' })}</button>`;

/** What has happened: notes, payments so far, the way on. */
export function drawNews({ host, checkout, onLeave }: Panel): TemplateResult {
  const { notes, payment, success_url } = checkout;
  const link = pageLink(success_url);
  // The amount of a transaction in another coin comes without that coin's name.
  const symbol = notes.includes('wrong_coin') ? '' : (payment?.symbol ?? '');
  return html`${notes.map((note) => drawNote(noteOf(note)))}${
    payment?.transactions.length
      ? html`<ul part="transactions">
          ${payment.transactions.map((transaction) => drawTransaction(transaction, symbol))}
        </ul>`
      : nothing
  }${
    link
      ? html`<a class="button primary" part="success-link" href=${link} @click=${onLeave}
          >${leaving.has(host) ? msg('Taking you back to the shop…', { id: 'success.leaving' }) : msg('Continue', { id: 'continue' })}</a
        >`
      : nothing
  }`;
}

function drawTransaction({ txid, amount, status, explorer_url }: CheckoutTransaction, symbol: string): TemplateResult {
  const link = pageLink(explorer_url);
  const short = txid.length > 16 ? `${txid.slice(0, 8)}…${txid.slice(-6)}` : txid;
  const sum = `${amount} ${symbol}`;
  return html`<li class="row" part="transaction">
    <bdi>${status === 'failed' || status === 'replaced' ? html`<s>${sum}</s>` : sum}</bdi>${
      link
        ? html`<a
            part="explorer-link"
            href=${link}
            target="_blank"
            rel="noreferrer"
            aria-label=${msg(str`Transaction ${short} in the explorer`, { id: 'transactions.explorer' })}
            >${short}</a
          >`
        : html`<small>${short}</small>`
    }
  </li>`;
}

/** What the amount is, once a part of it has arrived. */
export const amountLabel = ({ paid }: CheckoutPayment): string => (isPositive(paid) ? msg('Still to pay', { id: 'pay.remaining' }) : '');

/** Whether a coin is among the ones that the buyer searches for: every word is in its names. */
export function fits({ name, symbol, network, kind }: CheckoutCoin, wanted: string): boolean {
  const text = `${name} ${symbol} ${network} ${kind}`.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** In place of coins that fit. */
export const drawNothing = (): TemplateResult => html`<p part="asset">${msg('Nothing found.', { id: 'search.none' })}</p>`;

/** In place of a choice. */
export const drawNoCoins = (): Drawn => drawNote(msg('No coin can be used at the moment. Please ask the shop.', { id: 'choose.none' }));

/** How many confirmations the next stage needs. */
export const neededFor = ({ stage, payment }: Checkout): number | undefined =>
  stage === 'seen' ? payment?.confirmations.need : stage === 'paid' ? payment?.confirmations.final : undefined;

/** The confirmations so far. */
export const drawConfirmations = (have: number, need: number): TemplateResult =>
  html`<div class="stack tight" part="confirmations">
    <progress max=${need} value=${have} aria-hidden="true"></progress
    ><small>${msg(str`Confirmations: ${Math.min(have, need)} of ${need}`, { id: 'status.confirmations' })}</small>
  </div>`;

/** The form that asks for a new price. */
export function drawRenew({ checkout, url, busy, onRenew }: Panel): Drawn {
  return checkout.payment?.renewable
    ? html`<form part="renew" method="post" action="${url}/renew" @submit=${onRenew}>
        <button class="primary" part="renew-button" aria-disabled=${busy}>${msg('Get a new price', { id: 'expired.renew' })}</button>
      </form>`
    : nothing;
}

/** What a buyer needs to prove a payment, when the payment itself is no longer asked for. */
export function drawDetails({ checkout, language }: Panel, payment: CheckoutPayment): TemplateResult {
  const { symbol, name, network, due, paid, address, tag } = payment;
  const rows: [string, string | null][] = [
    [msg('Coin', { id: 'details.coin' }), `${name} (${symbol}), ${network}`],
    [msg('Amount', { id: 'amount' }), due && `${due} ${symbol}`],
    [msg('Received', { id: 'details.received' }), isPositive(paid) ? `${paid} ${symbol}` : null],
    [msg('Price', { id: 'details.price' }), rateOf(checkout, language)],
    [msg('Address', { id: 'address' }), address],
    [msg('Destination tag', { id: 'tag' }), tag],
  ];
  return html`<details part="details">
    <summary>${msg('Payment details', { id: 'details.title' })}</summary>
    <dl>
      ${rows.map(([label, value]) =>
        value
          ? html`<dt>${label}</dt>
              <dd><bdi>${value}</bdi></dd>`
          : nothing,
      )}
    </dl>
  </details>`;
}

/** A link to the hosted page, in place of the stage. */
export const drawRedirect = ({ page, onLeave }: Panel): TemplateResult =>
  html`<a class="button primary" part="redirect-link" href=${page} @click=${onLeave}
    >${msg('Pay with cryptocurrency', { id: 'redirect.link' })}</a
  >`;

/** Time to read that it is paid, before the page goes back to the shop. */
const LEAVE_MS = 3000;
/** Elements whose buyers are about to be taken back. */
const leaving = new WeakSet<Element>();

/** Takes the buyer back to the shop, unless `close` says no. */
export function leave(host: CryptoCheckout, close: () => boolean): void {
  const link = pageLink(host.checkout?.success_url ?? null);
  if (!link) return;
  leaving.add(host);
  host.requestUpdate();
  setTimeout(() => {
    if (host.isConnected && close()) location.assign(link);
    leaving.delete(host);
    host.requestUpdate();
  }, LEAVE_MS);
}

/** What the hosted page is called. */
export const pageName = (): string => msg('Payment', { id: 'checkout.label' });
