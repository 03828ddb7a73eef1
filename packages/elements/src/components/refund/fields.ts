import type { CheckoutRefundable } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html } from 'lit';
import { statusModule } from '../../core/lazy-registry.ts';
import { networkName } from '../../core/payment.ts';
import { msg, str } from '../../i18n/locale.ts';
import type { RefundEntry, RefundProblem } from '../../server/refund-request.ts';
import { drawNote } from '../checkout/note.ts';
import { tagName, takenText } from './refunds.ts';

/** The entries, and the mistake in them. */
interface Entries extends RefundEntry {
  problem: RefundProblem | null;
}

/** Characters of an address that fit into a row on a narrow phone. */
const ROW = 24;
const MOST_ROWS = 12;

/** Draws the field for the address, with its mistake. */
export function drawAddress(
  { address, problem }: Entries,
  money: CheckoutRefundable,
  coins: (sum: string) => string,
): TemplateResult {
  const isWrong = isOfAddress(problem);
  return html`<div class="stack tight">
    <label
      ><b>${addressLabel(money, coins)}</b
      ><textarea
        part="refund-address"
        name="address"
        rows=${rowsOf(address)}
        .value=${address}
        required
        maxlength="4096"
        autocomplete="off"
        autocapitalize="off"
        spellcheck="false"
        aria-describedby="wrong own"
        aria-invalid=${isWrong}
        @keydown=${submitOnEnter}
      ></textarea>
    </label>
    <div id="wrong" role="alert">
      ${drawNote(isWrong ? problemText(problem, money) : null, 'bad')}
    </div>
    <small id="own">${ownText()}</small>
  </div>`;
}

/** Draws the field for the tag, with its mistake. */
export const drawTag = ({ tag, problem }: Entries, { kind }: CheckoutRefundable): TemplateResult =>
  html`<div class="stack tight">
    <label
      ><b>${tagName()}</b
      ><input
        part="refund-tag"
        name="tag"
        .value=${tag}
        maxlength="120"
        autocomplete="off"
        aria-describedby="wrong-tag if"
        aria-invalid=${problem === 'tag'}
      />
    </label>
    <div id="wrong-tag" role="alert">
      ${drawNote(problem === 'tag' ? wrongTagText(tag, kind) : null, 'bad')}
    </div>
    <small id="if">${tagText()}</small>
  </div>`;

/** Draws a mistake that is in no single field. */
export const drawProblem = (
  problem: RefundProblem | null,
  money: CheckoutRefundable,
): TemplateResult =>
  html`<div role="alert">
    ${drawNote(problem && problem !== 'tag' && !isOfAddress(problem) ? problemText(problem, money) : null, 'bad')}
  </div>`;

const isOfAddress = (problem: RefundProblem | null): problem is 'address' | 'shop' =>
  problem === 'address' || problem === 'shop';

/** Rows for all of an address, where a field does not grow with its content. */
export const rowsOf = (address: string): number =>
  Math.min(MOST_ROWS, Math.max(2, Math.ceil(address.length / ROW)));

/** An address has no lines: the key sends the form, as in a field of one line. */
function submitOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.isComposing) return;
  event.preventDefault();
  (event.target as HTMLTextAreaElement).form?.requestSubmit();
}

const tagText = (): string => msg('Required if your address comes with one.', { id: 'refund.tag' });

/** A tag of XRP is a number; that of TON is any text. */
const wrongTagText = (tag: string, kind: string): string =>
  kind === 'XRP' && !/^\d*$/.test(tag)
    ? msg('A destination tag has digits only.', { id: 'refund.tag.digits' })
    : `${tagName()}: ${tagText()}`;

function addressLabel(money: CheckoutRefundable, coins: (sum: string) => string): string {
  const { kind, symbol, amount } = money;
  const network = networkName(money);
  return kind.startsWith('BTC_LIGHTNING')
    ? msg(str`Your lightning address, or an invoice for ${coins(amount)}`, {
        id: 'refund.lightning',
      })
    : msg(str`Your ${symbol} address on ${network}`, { id: 'refund.address' });
}

const ownText = (): string =>
  msg('Use your own wallet. An exchange may reject a refund to its deposit address.', {
    id: 'refund.own',
  });

function problemText(problem: Exclude<RefundProblem, 'tag'>, money: CheckoutRefundable): string {
  const { symbol } = money;
  const network = networkName(money);
  if (problem === 'address')
    return msg(str`That is not a valid ${symbol} address on ${network}.`, { id: 'refund.invalid' });
  if (problem === 'shop')
    return msg('This address belongs to the shop. Enter one of your own.', { id: 'refund.shop' });
  // Only where a proven request can still be made.
  if (problem === 'taken') return takenText(true);
  if (problem === 'fee')
    return msg('The network fee is higher than this refund.', { id: 'refund.small' });
  return statusModule()?.errorText(problem) ?? '';
}
