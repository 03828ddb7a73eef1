import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import {
  type Checkout,
  type CheckoutRefund,
  type CheckoutRefundable,
  isPaidStage,
} from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import type { Drawn, Fact, Panel } from '../../core/panel.ts';
import { hasRunOut } from '../../core/run-out.ts';
import { troubleIn } from '../../core/trouble.ts';
import { msg, str } from '../../i18n/locale.ts';
import { sentences } from '../../i18n/sentences.ts';
import { pageLink } from '../../server/safe-link.ts';
import { coinSum } from '../../status/received.ts';
import { drawNote } from '../checkout/note.ts';

/** The address that was asked for here, by payment, where another request came first. */
const taken = new Map<string, string>();

/** Keeps for the page's life whether another request came before this one. */
export const markTaken = (transaction: string, address: string, isTaken: boolean): void =>
  void (isTaken ? taken.set(transaction, address) : taken.delete(transaction));

/** Whether a refund goes to another address than the one that was asked for here. */
function isTaken({ transaction, address }: CheckoutRefund): boolean {
  const asked = taken.get(transaction);
  // Some addresses have two spellings.
  return asked !== undefined && asked.toLowerCase() !== address.toLowerCase();
}

/** Whether a request for this money was refused here, because another one came first. */
const wasTaken = ({ transaction }: CheckoutRefundable): boolean => taken.has(transaction);

/**
 * The warning that another request came first: another holder of the link may have made it.
 * @param isReplaceable - A proven request can still take its place.
 */
export const takenText = (isReplaceable: boolean): string =>
  sentences(
    msg(
      'This refund was already requested to another address. If that wasn’t you, contact the shop.',
      { id: 'refund.taken' },
    ),
    isReplaceable &&
      msg('Only the browser you paid in can change the address.', { id: 'refund.browser' }),
  );

/** Draws the refunds, and the way to ask for one. */
export function drawRefunds(panel: Panel): Drawn {
  const { checkout, language } = panel;
  const { refundable = [] } = checkout;
  const newest = newestOf(checkout);
  if (!newest.length && !refundable.length) return nothing;
  return html`<div class="stack tight" part="refunds" role="status">
      ${newest.map((refund) => drawRefund(refund, checkout, language))}
      ${drawNote(newest.some(isTaken) && takenText(replaceableOf(checkout).some(wasTaken)))}
      ${newest.length || refundable.some(({ ready }) => ready) ? nothing : drawNote(waitText(panel), 'wait')}
    </div>
    ${drawRefundLink(panel)}`;
}

/** Whether the rest of the price can be paid now: then that is the main action. */
const asksForRest = ({ checkout, language }: Panel): boolean =>
  checkout.stage === 'underpaid' &&
  checkout.payment !== null &&
  !hasRunOut(checkout) &&
  !troubleIn(checkout)?.headOf(checkout, false, language).folded;

/**
 * Draws the link to the form, once there is money to ask for. It is a quiet one where only an
 * unproven request stands before the buyer's own.
 */
function drawRefundLink(panel: Panel): Drawn {
  const { checkout, page } = panel;
  const link = (part: string, look: string, text: string): TemplateResult =>
    html`<a class="button ${look}" part=${part} href="${page}refund" data-show="refund"
      >${text}</a
    >`;
  if (checkout.refundable?.some(({ ready }) => ready))
    return link('refund-link', asksForRest(panel) ? '' : 'primary', askText());
  return replaceableOf(checkout).some((one) => !wasTaken(one))
    ? link('refund-replace', '', replaceText())
    : nothing;
}

/** An earlier request for the same payment was replaced. */
const newestOf = ({ refunds = [] }: Checkout): CheckoutRefund[] =>
  refunds.filter(
    ({ transaction }, at) => !refunds.slice(at + 1).some((one) => one.transaction === transaction),
  );

/** The facts of each refund, for a receipt. */
export const refundRows = ({
  checkout,
  language,
}: Pick<Panel, 'checkout' | 'language'>): Fact[][] =>
  newestOf(checkout).map((refund) => {
    const { status, address, tag, txid, explorer_url } = refund;
    return [
      [refundName(), sumOf(refund.amount, refund, checkout, language)],
      [receiveText(), !isRefused(refund) && arrivalOf(refund, checkout, language)],
      [msg('Status', { id: 'details.status' }), refundText(status)],
      [msg('Address', { id: 'address' }), address],
      [tagName(), tag],
      [transactionName(), txid && drawTransaction(explorer_url, txid, html`<bdi>${txid}</bdi>`)],
    ];
  });

/** "Get a refund" */
export const askText = (): string => msg('Get a refund', { id: 'refund.ask' });

/** "Use another address" */
export const replaceText = (): string => msg('Use another address', { id: 'refund.replace' });

/** "Refund" */
export const refundName = (): string => msg('Refund', { id: 'refund.amount' });

/** "You receive" */
export const receiveText = (): string => msg('You receive', { id: 'refund.receive' });

/** "Destination tag" */
export const tagName = (): string => msg('Destination tag', { id: 'tag' });

const transactionName = (): string => msg('Transaction', { id: 'details.transaction' });

/** "0.00002 BTC fee" */
export const feeText = (fee: string): string => msg(str`${fee} fee`, { id: 'coin.fee' });

const DECIMAL = /^\d{1,18}(\.\d{1,18})?$/;

/** The network fee that a refund has cost; empty without one. */
export function feeOf(amount: string, received: string): string {
  if (!DECIMAL.test(amount) || !DECIMAL.test(received)) return '';
  const fee = parseAmount(amount) - parseAmount(received);
  return fee > 0n ? formatAmount(fee) : '';
}

/** When the buyer can ask, with the confirmations so far where they are known. */
export function waitText({ checkout, language }: Pick<Panel, 'checkout' | 'language'>): string {
  const { stage, notes, received, payment, refundable } = checkout;
  const one = received.find(({ txid }) => txid === refundable?.[0]?.transaction);
  const final = one?.network === payment?.network ? (payment?.confirmations.final ?? 0) : 0;
  return sentences(
    // Of a paid order it is the heading.
    !isPaidStage(stage) &&
      notes.includes('overpaid') &&
      troubleIn(checkout)?.noteText('overpaid', checkout, language),
    msg('You can ask for a refund once the payment is final.', { id: 'refund.wait' }),
    final > 1 &&
      msg(str`${Math.min(one!.confirmations, final)} of ${final} confirmations`, {
        id: 'status.confirmations',
      }),
  );
}

/** The state of a refund as a sentence. */
export function refundText(status: string): string {
  switch (status) {
    case 'paid':
      return msg('Refund sent.', { id: 'refund.paid' });
    case 'approved':
      return msg('Your refund is on its way.', { id: 'refund.sending' });
    case 'rejected':
    case 'failed':
      return msg('This refund was not sent. Please contact the shop.', { id: 'refund.refused' });
    default:
      return msg('Refund requested. The shop will review it.', { id: 'refund.requested' });
  }
}

/** Money that can be asked for now; at the end, that of requests which a proven one replaces. */
export const readyMoney = (checkout: Checkout): CheckoutRefundable[] => [
  ...(checkout.refundable ?? []).filter(({ ready }) => ready),
  ...replaceableOf(checkout),
];

export const replaceableOf = ({ replaceable = [] }: Checkout): CheckoutRefundable[] =>
  replaceable.filter(({ ready }) => ready);

/** The first payment that can be refunded now: of several, each has its turn. */
export function nextRefund(
  checkout: Checkout,
  transaction?: string,
): CheckoutRefundable | undefined {
  const money = readyMoney(checkout);
  return money.find((one) => one.transaction === transaction) ?? money[0];
}

/** The request that another one for the same payment would replace. */
export const replacedBy = (
  { transaction }: CheckoutRefundable,
  checkout: Checkout,
): CheckoutRefund | undefined =>
  replaceableOf(checkout).some((one) => one.transaction === transaction)
    ? newestOf(checkout).find((one) => one.transaction === transaction)
    : undefined;

/** The address with its tag, too: another holder of the link may have asked. */
export function drawRefund(
  refund: CheckoutRefund,
  checkout: Checkout,
  language: string,
): TemplateResult {
  const { status, txid, address, tag, amount } = refund;
  const isBad = isRefused(refund);
  // Nothing arrives of a refused refund.
  const fee = isBad ? '' : feeOf(amount, receivedOf(refund));
  const sum = (coins: string): string => sumOf(coins, refund, checkout, language);
  return html`<div
    class="note row ${isBad ? 'warn' : status === 'paid' ? 'good' : 'wait'}"
    part="refund"
  >
    <span
      >${refundText(status)}<br /><b
        ><bdi>${isBad ? sum(amount) : arrivalOf(refund, checkout, language)}</bdi></b
      >
      <small
        >→ <bdi class="short" title=${address}>${shortOf(address)}</bdi>${
          tag ? html` · <bdi>${`${tagName()}: ${tag}`}</bdi>` : nothing
        }</small
      >${
        fee
          ? html`<br /><small
                ><bdi>${`${refundName()}: ${sum(amount)}`}</bdi> ·
                <bdi>${feeText(approximate(sum(fee), refund))}</bdi></small
              >`
          : nothing
      }${
        txid
          ? html`<br /><small
                >${`${transactionName()}:`}
                ${drawTransaction(refund.explorer_url, txid, html`<bdi class="short">${shortOf(txid)}</bdi>`)}</small
              >`
          : nothing
      }</span
    >
  </div>`;
}

/** Both ends of an address or a txid. */
export const shortOf = (txid: string): string =>
  txid.length > 16 ? `${txid.slice(0, 6)}…${txid.slice(-6)}` : txid;

function drawTransaction(url: string | null, txid: string, text: TemplateResult): TemplateResult {
  const link = pageLink(url);
  const label = `${transactionName()} ${txid}`;
  return link
    ? html`<a part="explorer-link" href=${link} target="_blank" rel="noreferrer" aria-label=${label}
        >${text}</a
      >`
    : text;
}

/** The amount that arrives. */
const arrivalOf = (refund: CheckoutRefund, checkout: Checkout, language: string): string =>
  approximate(sumOf(receivedOf(refund), refund, checkout, language), refund);

/** A checkout server of an earlier version gives the amount alone. */
const receivedOf = ({ received, amount }: CheckoutRefund): string => received ?? amount;

const isRefused = ({ status }: CheckoutRefund): boolean =>
  status === 'rejected' || status === 'failed';

/** The network fee is an estimate until the approval, and for lightning the shop pays it. */
const approximate = (sum: string, refund: CheckoutRefund): string =>
  ['requested', 'draft'].includes(refund.status) && refund.amount !== receivedOf(refund)
    ? `~${sum}`
    : sum;

const sumOf = (
  amount: string,
  refund: CheckoutRefund,
  checkout: Checkout,
  language: string,
): string => coinSum(amount, symbolOf(refund, checkout), checkout.payment, language);

/**
 * Kinds of one asset share a symbol: `BTC` for lightning, too. A refund may name its payment by an
 * id that only the service has.
 */
const symbolOf = ({ transaction, kind }: CheckoutRefund, { received }: Checkout): string =>
  (
    received.find(({ txid }) => txid === transaction) ??
    received.find((payment) => payment.kind === kind)
  )?.symbol ?? kind;
