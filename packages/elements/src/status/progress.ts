import type {
  Checkout,
  CheckoutPayment,
  CheckoutReceived,
} from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { pageLink } from '../server/safe-link.ts';
import { msg, str } from '../i18n/locale.ts';
import { refund } from '../core/lazy-registry.ts';
import { troubleIn } from '../core/trouble.ts';
import type { Drawn, Panel } from '../core/panel.ts';
import { receivedAmount, isGone, paymentValue } from './received.ts';
import { isolated } from '../i18n/sentences.ts';
import { formatDuration, formatShortTimestamp } from '../i18n/time.ts';

/** Stages whose announcement includes the received amount. */
export const AMOUNT_STAGES = ['seen', 'paid', 'complete'];
/** "Received: …", if the amount is known. */
export const receivedText = (sum: string, language: string): string =>
  sum && `${msg('Received', { id: 'details.received' })}: ${isolated(sum, language)}`;

/**
 * Draws the progress: notes, refunds of what they say, usual duration, and with `lists` the
 * payments.
 */
export function drawProgress(panel: Panel, lists: boolean | null | undefined): TemplateResult {
  const { checkout, language } = panel;
  const { stage, payment } = checkout;
  return html`${troubleIn(checkout)?.drawNotes(panel)}${refund()?.drawRefunds(panel)}${stage === 'seen' && payment ? drawUsual(payment, language) : nothing}${lists ? drawPayments(panel) : nothing}`;
}

/** Draws the received payments. */
export function drawPayments({ checkout, language }: Panel): Drawn {
  const { received } = checkout;
  return received.length
    ? html`<ul part="transactions">
        ${received.map((one) => drawReceived(one, checkout, language))}
      </ul>`
    : nothing;
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
): TemplateResult {
  const { txid, explorer_url, created_at } = payment;
  const short = txid.length > 16 ? `${txid.slice(0, 6)}…${txid.slice(-6)}` : txid;
  const worth = paymentValue(payment, checkout, language);
  const facts = [
    formatShortTimestamp(created_at, language),
    troubleIn(checkout)?.rowMark(payment, checkout, language) ?? null,
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

/** The confirmations as text; empty for a single one, which the stage's own sentence is about. */
export const confirmationsText = (have: number, need: number): string =>
  need > 1
    ? msg(str`${Math.min(have, need)} of ${need} confirmations`, { id: 'status.confirmations' })
    : '';

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
